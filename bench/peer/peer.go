// Package peer has the other systems that rows of the table are measured beside:
// managers of processes, isolated-vm, and River on Postgres. Each is gotten once,
// when a row first wants it, into the folder of the lab, with which it goes.
// One that cannot be had is skipped with the reason, and so is one that fails:
// that Reeve's peers work is not what is tested here.
package peer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
	"github.com/reeverun/reeve/internal/peers"
)

// Set is the peers of one lab.
type Set struct {
	lab *lab.Lab
	mu  sync.Mutex
	had map[string]gotten // guarded by mu, which is held while one is gotten
}

type gotten struct {
	path string
	err  error
}

// New returns the peers of a lab. Nothing is gotten yet.
func New(l *lab.Lab) *Set { return &Set{lab: l, had: map[string]gotten{}} }

// get gets a peer unless that was tried before.
func (s *Set) get(name string, how func() (path string, err error)) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, tried := s.had[name]
	if !tried {
		begin := time.Now()
		g.path, g.err = how()
		if g.err == nil {
			fmt.Fprintf(os.Stderr, "(%s: had in %.0f s) ", name, time.Since(begin).Seconds())
		}
		s.had[name] = g
	}
	return g.path, g.err
}

// installed is the folder below which packages are unpacked.
func (s *Set) installed() string { return filepath.Join(s.lab.Dir, "peers") }

// npm installs the package of a folder of bench/npm into a copy of it. One that
// somebody has installed in place is taken as it is.
func (s *Set) npm(ctx context.Context, name string) (string, error) {
	return s.get(name, func() (string, error) {
		for _, tool := range []string{"node", "npm"} {
			if _, err := exec.LookPath(tool); err != nil {
				return "", fmt.Errorf("it needs %s", tool)
			}
		}
		source, dir := filepath.Join(s.lab.Root, "bench/npm", name), filepath.Join(s.installed(), name)
		if _, err := os.Stat(filepath.Join(source, "node_modules")); err == nil {
			return source, nil
		}
		if s.lab.Short && name == isolatedVM {
			return "", errors.New("it takes too long to compile for a short run: npm ci in bench/npm/" + name + " does it once")
		}
		if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
			return "", err
		}
		_, err := peers.Home{Dir: dir}.CallFor(ctx, 20*time.Minute, "npm", "ci", "--loglevel=error")
		return dir, err
	})
}

// guard makes an instrument of a peer: whatever it returns as an error is why it
// is skipped, unless the whole run is over.
func guard(in measure.Instrument, err error) (measure.Instrument, error) {
	if err != nil {
		return nil, skip(err)
	}
	return guarded{in}, nil
}

type guarded struct{ measure.Instrument }

func (g guarded) Round(ctx context.Context) (float64, error) {
	figure, err := g.Instrument.Round(ctx)
	if err != nil && ctx.Err() == nil {
		err = skip(err)
	}
	return figure, err
}

// Close leaves out how a peer ended: it has ended.
func (g guarded) Close() error { _ = g.Instrument.Close(); return nil }

func (g guarded) Note() string {
	if noted, ok := g.Instrument.(measure.Noted); ok {
		return noted.Note()
	}
	return ""
}

// skip is the reason in one line that fits below a table.
func skip(err error) error {
	const most = 200
	reason := strings.Join(strings.Fields(err.Error()), " ")
	if len(reason) > most {
		reason = reason[:most] + "…"
	}
	return measure.Skip{Reason: reason}
}
