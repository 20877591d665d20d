//go:build linux

package main

import (
	"os"
	"regexp"
	"strings"
	"syscall"

	"github.com/reeverun/reeve/internal/peers"
)

// tsp is task-spooler. It has no setting for a grace: it sends SIGTERM.
type tsp struct {
	home
	path   string
	server int
	id     string
	file   string // of the job's output
}

func newTSP(path, dir string) manager {
	return &tsp{home: newHome(dir, "TS_SOCKET="+dir+"/sock", "TMPDIR="+dir), path: path}
}

// start has the server started by the first call there is.
func (t *tsp) start() error {
	if err := os.MkdirAll(t.Dir, 0o700); err != nil {
		return err
	}
	before := running(t.path, func(string) bool { return true })
	if _, err := t.call(t.path, "-l"); err != nil {
		return err
	}
	known := map[int]bool{}
	for _, pid := range before {
		known[pid] = true
	}
	for _, pid := range running(t.path, func(string) bool { return true }) {
		if !known[pid] {
			t.server = pid
		}
	}
	return nil
}

func (t *tsp) pid() int { return t.server }

func (t *tsp) submit(file string) error {
	out, err := t.call(t.path, "sh", file)
	if err != nil {
		return err
	}
	t.id = strings.TrimSpace(out)
	return peers.Soon(func() error {
		out, err := t.call(t.path, "-o", t.id)
		t.file = strings.TrimSpace(out)
		return err
	})
}

func (t *tsp) stop() error { _, err := t.call(t.path, "-k", t.id); return err }

func (t *tsp) output() (string, error) {
	out, err := os.ReadFile(t.file)
	return string(out), err
}

var tspExit = regexp.MustCompile(`exit code (\d+)`)

func (t *tsp) exit() string {
	out, err := t.call(t.path, "-i", t.id)
	if found := tspExit.FindStringSubmatch(out); err == nil && found != nil {
		return found[1]
	}
	return ""
}

// close ends the server and what waits for its jobs.
func (t *tsp) close() {
	_, _ = t.call(t.path, "-K")
	for _, pid := range running(t.path, func(string) bool { return true }) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
