//go:build unix

package main

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// served is a daemon in the foreground.
type served struct {
	*world
	cmd  *exec.Cmd
	log  *os.File
	over chan error
}

// serve starts a daemon on a free port and waits until it answers.
func (w *world) serve(args ...string) *served {
	w.t.Helper()
	log, err := os.CreateTemp(w.t.TempDir(), "log")
	if err != nil {
		w.t.Fatal(err)
	}
	s := &served{world: w, log: log, over: make(chan error, 1)}
	if !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--listen") }) {
		args = append(args, "--listen=127.0.0.1:0")
	}
	s.cmd = exec.Command(program, append([]string{"serve"}, args...)...)
	s.cmd.Env, s.cmd.Stderr = w.env, log
	if err := s.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() { s.over <- s.cmd.Wait() }()
	w.t.Cleanup(func() {
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		s.wait()
		log.Close()
	})
	s.eventually("it serves", func() bool { return strings.Contains(s.logged(), "msg=serving") })
	return s
}

func (s *served) logged() string {
	b, err := os.ReadFile(s.log.Name())
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// eventually waits for a condition, as long as the daemon runs.
func (s *served) eventually(what string, cond func() bool) {
	s.t.Helper()
	for giveUp := time.Now().Add(patience); !cond(); time.Sleep(2 * time.Millisecond) {
		select {
		case err := <-s.over:
			s.over <- err
			s.t.Fatalf("the daemon ended (%v) before %s:\n%s", err, what, s.logged())
		default:
		}
		if time.Now().After(giveUp) {
			s.t.Fatalf("it never came to pass that %s:\n%s", what, s.logged())
		}
	}
}

func (s *served) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// wait returns the exit code; -1 after a signal.
func (s *served) wait() int {
	s.t.Helper()
	select {
	case err := <-s.over:
		s.over <- err
	case <-time.After(patience):
		_ = s.cmd.Process.Kill()
		s.t.Fatalf("the daemon does not end:\n%s", s.logged())
	}
	return s.cmd.ProcessState.ExitCode()
}

// pidIn waits for a script to have written its pid.
func (s *served) pidIn(path string) (pid int) {
	s.t.Helper()
	s.eventually("there is a pid in "+path, func() bool {
		b, _ := os.ReadFile(path)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
		return pid > 0 && strings.HasSuffix(string(b), "\n")
	})
	return pid
}
