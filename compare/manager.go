//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// manager is something that starts, stops and watches jobs. It lives in one
// folder.
type manager interface {
	// start brings the manager up; also again, after a crash, as its users do.
	start() error
	// pid is the process to kill for a crash; 0: it is not known.
	pid() int
	// submit starts a job: the system's shell with the script in a file.
	submit(file string) error
	// stop ends the job and returns when the manager says that it has.
	stop() error
	// output is what the job has written, as the manager keeps it.
	output() (string, error)
	// exit is what the manager says of the job's exit code, or "".
	exit() string
	// close ends the manager.
	close()
}

// home is the folder of a manager, and how its programs are called there.
type home struct {
	dir string
	env []string
}

// patience bounds each call of a manager's program.
const patience = 60 * time.Second

// call runs a program to its end and returns what it prints.
func (h home) call(name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = h.dir, append(os.Environ(), h.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second // what it starts may keep the pipes
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), err
}

// server is a manager's own process, as a child of this one.
type server struct {
	cmd  *exec.Cmd
	over chan struct{}
}

func (h home) serve(name string, args ...string) (*server, error) {
	log, err := os.OpenFile(h.dir+"/server.log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = h.dir, append(os.Environ(), h.env...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{cmd, make(chan struct{})}
	go func() { _ = cmd.Wait(); close(s.over) }()
	return s, nil
}

func (s *server) pid() int { return s.cmd.Process.Pid }

// end asks the process to end and, after a while, makes it.
func (s *server) end() {
	if s == nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.over:
	case <-time.After(10 * time.Second):
		_ = s.cmd.Process.Kill()
		<-s.over
	}
}

// soon tries until there is no error, for a while.
func soon(try func() error) error {
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := try()
		if err == nil || time.Now().After(end) {
			return err
		}
	}
}
