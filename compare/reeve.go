//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/reeverun/reeve/internal/peers"
)

// reeve is the program of this repository.
type reeve struct {
	home
	path   string
	server *peers.Server
	id     string
}

func newReeve(path, dir string) manager { return &reeve{home: newHome(dir), path: path} }

func (r *reeve) start() (err error) {
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		return err
	}
	if r.server, err = r.Serve(r.path, "serve", "--data", r.Dir, "--listen", "none", "--grace", grace.String()); err != nil {
		return err
	}
	return peers.Soon(func() error { _, err := r.ask("ps"); return err })
}

func (r *reeve) ask(args ...string) (string, error) {
	return r.call(r.path, append([]string{"--data", r.Dir}, args...)...)
}

func (r *reeve) pid() int { return r.server.PID() }

func (r *reeve) submit(file string) error {
	out, err := r.ask("run", "--detach", "--", "sh", file)
	if r.id = strings.TrimSpace(out); err == nil && r.id == "" {
		err = errors.New("reeve run said nothing")
	}
	return err
}

func (r *reeve) stop() error { _, err := r.ask("kill", r.id); return err }

func (r *reeve) output() (string, error) { return r.ask("logs", r.id, "--stdout") }

func (r *reeve) exit() string {
	_, err := r.ask("wait", r.id)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Sprint(exit.ExitCode())
	}
	return "0"
}

// close ends the daemon, and the keeper that outlives it by design.
func (r *reeve) close() {
	r.server.End()
	_ = peers.Soon(func() error {
		left := running(r.path, func(line string) bool { return strings.HasPrefix(line, "reeve\x00keeper\x00"+r.Dir) })
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGTERM)
		}
		if len(left) > 0 {
			return errors.New("not yet")
		}
		return nil
	})
}
