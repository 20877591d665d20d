//go:build linux

// Package docs_test runs the documentation. Every fenced block of every document
// is of a kind that is run or checked; README.md of this folder tells readers by
// which rules. What no test can run says so in the text of the document, is
// checked as far as it can be, and is reported as skipped.
package docs_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// program is the built reeve that the documents' commands are run with.
var program string

func TestMain(m *testing.M) {
	if !beServer() {
		os.Exit(run(m))
	}
}

// run builds the program once, unless REEVE_BIN names one; without V8: what the
// documents show does not depend on the engine, and this is what a machine with
// only Go has.
func run(m *testing.M) int {
	if program = os.Getenv("REEVE_BIN"); program != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "reeve-docs-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "reeve")
	build := exec.Command("go", "build", "-o", program, "../cmd/reeve")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build reeve: %v\n%s", err, out)
		return 2
	}
	return m.Run()
}

// Each document is a session of its own, with a home and a daemon of its own, in
// which its blocks are run from the first to the last.
func TestBlocksAreRun(t *testing.T) {
	types := newTypes(t)
	for _, d := range documents(t) {
		t.Run(strings.ReplaceAll(d.name, "/", "-"), func(t *testing.T) {
			t.Parallel()
			s := &session{t: t, doc: d}
			for _, b := range d.blocks {
				runBlock(t, s, types, b)
				if t.Failed() {
					return // what follows would fail of it
				}
			}
		})
	}
}

func runBlock(t *testing.T, s *session, types *types, b block) {
	t.Helper()
	if b.skip != "" {
		t.Run(fmt.Sprintf("line %d", b.line), func(t *testing.T) {
			checkCommands(t, b.where(s.doc), b.commands())
			t.Skip(b.skip)
		})
		return
	}
	if b.file != "" {
		s.write(b.file, b.text)
	}
	switch b.kind {
	case "sh":
		s.script(b)
	case "console":
		s.converse(b)
	case "ts":
		s.program(b)
	case "python":
		s.python(b)
	case "go":
		types.check(t, b.where(s.doc), b.text)
	case "yaml":
		checkYAML(t, b.where(s.doc), b.text)
	case "json":
		checkJSON(t, b.where(s.doc), b.text)
	case "ini":
		checkUnit(t, b.where(s.doc), b.text)
	case "promql":
		checkQueries(t, b.where(s.doc), s.doc.text, b.text)
	case "text":
		if len(b.commands()) > 0 {
			t.Errorf("%s: a block of commands is sh or console, so that it is run", b.where(s.doc))
		}
	default:
		t.Errorf("%s: nothing runs blocks of the kind %q", b.where(s.doc), b.kind)
	}
}
