package peers

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

// Patience bounds each call of a peer's program.
const Patience = 60 * time.Second

// Home is the folder of a peer, and how its programs are called there.
type Home struct {
	Dir string
	Env []string
}

// Call runs a program to its end and returns what it prints.
func (h Home) Call(ctx context.Context, name string, args ...string) (string, error) {
	return h.CallFor(ctx, Patience, name, args...)
}

// CallFor is Call with a patience of its own.
func (h Home) CallFor(ctx context.Context, patience time.Duration, name string, args ...string) (string, error) {
	return h.callAs(ctx, nil, patience, name, args...)
}

// CallAs is Call with attributes of the operating system.
func (h Home) CallAs(ctx context.Context, as *syscall.SysProcAttr, name string, args ...string) error {
	_, err := h.callAs(ctx, as, Patience, name, args...)
	return err
}

func (h Home) callAs(ctx context.Context, as *syscall.SysProcAttr, patience time.Duration, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = h.Dir, append(os.Environ(), h.Env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = &stdout, &stderr, as
	cmd.WaitDelay = time.Second // what it starts may keep the pipes
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), err
}

// Server is a peer's own process, as a child of this one.
type Server struct {
	cmd  *exec.Cmd
	over chan struct{}
}

// Serve starts a server. What it prints goes to server.log in its folder. The
// caller ends it.
func (h Home) Serve(name string, args ...string) (*Server, error) {
	return h.ServeAs(nil, name, args...)
}

// ServeAs is Serve with attributes of the operating system.
func (h Home) ServeAs(as *syscall.SysProcAttr, name string, args ...string) (*Server, error) {
	log, err := os.OpenFile(h.Dir+"/server.log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = h.Dir, append(os.Environ(), h.Env...)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = log, log, as
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &Server{cmd, make(chan struct{})}
	go func() { _ = cmd.Wait(); close(s.over) }()
	return s, nil
}

// PID is the server's process.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// End asks the server to end, by SIGTERM, and makes it after a while.
func (s *Server) End() { s.EndBy(syscall.SIGTERM) }

// EndBy is End with another signal to ask by.
func (s *Server) EndBy(ask syscall.Signal) {
	if s == nil {
		return
	}
	_ = s.cmd.Process.Signal(ask)
	select {
	case <-s.over:
	case <-time.After(10 * time.Second):
		_ = s.cmd.Process.Kill()
		<-s.over
	}
}

// Soon tries until there is no error, for a while.
func Soon(try func() error) error { return SoonEvery(20*time.Millisecond, try) }

// SoonEvery is Soon with a pause of its own between two tries.
func SoonEvery(pause time.Duration, try func() error) error {
	for end := time.Now().Add(Patience); ; time.Sleep(pause) {
		err := try()
		if err == nil || time.Now().After(end) {
			return err
		}
	}
}
