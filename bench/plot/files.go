package plot

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/reeverun/reeve/bench/measure"
)

// Group is the curves of one family.
type Group struct {
	File   string // of its picture
	Curves []measure.CurveResult
}

// Groups sorts curves by what grows, in the order in which they come.
func Groups(curves []measure.CurveResult) (groups []Group) {
	for _, c := range curves {
		if n := len(groups); n == 0 || groups[n-1].Curves[0].X != c.X {
			name, _, _ := strings.Cut(c.ID, "-")
			groups = append(groups, Group{File: "bench-growth-" + name + ".svg"})
		}
		last := &groups[len(groups)-1]
		last.Curves = append(last.Curves, c)
	}
	return groups
}

// Write draws everything there is into a folder: bench-targets.svg,
// bench-peers.svg, and bench-growth-….svg for each family.
func Write(dir string, rows []measure.Result, curves []measure.CurveResult) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	pictures := map[string]func(io.Writer) error{
		"bench-targets.svg": func(w io.Writer) error { return Targets(w, rows) },
		"bench-peers.svg":   func(w io.Writer) error { return Peers(w, rows) },
	}
	for _, g := range Groups(curves) {
		pictures[g.File] = func(w io.Writer) error { return Growth(w, g.Curves) }
	}
	for name, draw := range pictures {
		var b bytes.Buffer
		if err := draw(&b); err != nil {
			return err
		}
		if b.Len() == 0 { // nothing to show
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
