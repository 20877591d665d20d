package quickjs

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"

	"github.com/reeverun/reeve/env/typescript/engine"
)

// child is the parent's side of one child.
type child struct {
	cmd     *exec.Cmd
	channel channel  // to it and from it
	life    *os.File // ends when it does; nil where waiting tells

	done chan struct{} // closed when exit is set
	exit engine.Exit

	close sync.Once
}

// channel is what the frames go over.
type channel interface {
	io.ReadWriteCloser
}

// start starts a child.
func start(c Config, s starter) (*child, error) {
	cmd := exec.Command(c.Executable, c.Args...)
	cmd.Env = append([]string{childVariable + "=1"}, childEnvironment...)
	made := &child{cmd: cmd, done: make(chan struct{})}
	release, err := made.connect()
	if err != nil {
		return nil, err
	}
	defer release()
	s.apply(cmd)
	if err := cmd.Start(); err != nil {
		made.channel.Close()
		if made.life != nil {
			made.life.Close()
		}
		return nil, err
	}
	return made, nil
}

// childEnvironment is all the environment of a child: two threads run Go, and
// its memory goes back to the machine early.
var childEnvironment = []string{"GOMAXPROCS=2", "GOGC=50"}

// watch waits for the end of the child; one goroutine calls it once. It holds no
// thread while the child lives: it reads a pipe that the child never writes.
func (c *child) watch() {
	if c.life != nil {
		_, _ = io.Copy(io.Discard, c.life)
		c.life.Close()
	}
	_ = c.cmd.Wait() // what it returns stands in ProcessState
	c.exit = exitOf(c.cmd.ProcessState)
	close(c.done)
}

func exitOf(s *os.ProcessState) engine.Exit {
	if s == nil {
		return engine.Exit{Code: -1}
	}
	return engine.Exit{
		Code: s.ExitCode(), Signal: signalOf(s),
		CPU: s.UserTime() + s.SystemTime(), MaxRSS: maxRSSOf(s),
	}
}

func (c *child) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// Read reads from the child; io.EOF means that it has ended.
func (c *child) Read(p []byte) (int, error) {
	n, err := c.channel.Read(p)
	if err != nil && isEnd(err) {
		err = io.EOF
	}
	return n, err
}

// Write writes to the child.
func (c *child) Write(p []byte) (int, error) { return c.channel.Write(p) }

// PID is the operating system's.
func (c *child) PID() int { return c.cmd.Process.Pid }

// Kill ends the child at once.
func (c *child) Kill() {
	if !c.ended() {
		c.cmd.Process.Kill() // by a handle where there is one; it may have ended
	}
}

// Wait returns when the child has ended, and how.
func (c *child) Wait(ctx context.Context) (engine.Exit, error) {
	select {
	case <-c.done:
		return c.exit, nil
	default:
	}
	select {
	case <-c.done:
		return c.exit, nil
	case <-ctx.Done():
		return engine.Exit{}, context.Cause(ctx)
	}
}

// Close kills the child if it lives and closes the channel.
func (c *child) Close() error {
	c.Kill()
	c.close.Do(func() { c.channel.Close() })
	return nil
}

// isEnd says whether reading failed because the other side is gone.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) || isReset(err)
}
