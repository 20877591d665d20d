//go:build linux

package e2e

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// console is a command of Reeve on a terminal of its own, with somebody at it.
type console struct {
	testing.TB
	cmd    *exec.Cmd
	screen *os.File // what a person sees and types at
	tty    *os.File // the other side, held open to look at its modes
	modes  unix.Termios
	seen   sync.WaitGroup

	mu    sync.Mutex
	shown bytes.Buffer
}

// console starts a command on a terminal of 30 rows and 100 columns.
func (d *daemon) console(t testing.TB, args ...string) *console {
	t.Helper()
	screen, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo terminals: %v", err)
	}
	c := &console{TB: t, cmd: d.client(args...), screen: screen, tty: tty}
	c.size(30, 100)
	c.modes = c.now()
	c.cmd.Env = append(c.cmd.Env, "TERM=xterm", "PS1=$ ")
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = tty, tty, tty
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.seen.Go(c.look)
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
		_ = tty.Close()
		c.seen.Wait()
		_ = screen.Close()
	})
	return c
}

func (c *console) look() {
	b := make([]byte, 32<<10)
	for {
		n, err := c.screen.Read(b)
		c.mu.Lock()
		c.shown.Write(b[:n])
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (c *console) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shown.String()
}

// sees waits until something is shown after what was seen before.
func (c *console) sees(want string) {
	c.Helper()
	for from := time.Now(); !strings.Contains(c.text(), want); time.Sleep(time.Millisecond) {
		if time.Since(from) > patience {
			c.Fatalf("%q is not shown, but %q", want, tail(c.text(), 2000))
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.shown.String()
	c.shown.Reset()
	c.shown.WriteString(s[strings.Index(s, want)+len(want):])
}

func (c *console) types(keys string) {
	c.Helper()
	if _, err := c.screen.WriteString(keys); err != nil {
		c.Fatal(err)
	}
}

func (c *console) size(rows, cols uint16) {
	c.Helper()
	if err := pty.Setsize(c.screen, &pty.Winsize{Rows: rows, Cols: cols}); err != nil {
		c.Fatal(err)
	}
}

func (c *console) now() unix.Termios {
	c.Helper()
	modes, err := unix.IoctlGetTermios(int(c.tty.Fd()), unix.TCGETS)
	if err != nil {
		c.Fatal(err)
	}
	return *modes
}

// ends waits for the command's exit code, and looks at how it left the terminal.
func (c *console) ends(code int) {
	c.Helper()
	waited := make(chan error, 1)
	go func() { waited <- c.cmd.Wait() }()
	select {
	case err := <-waited:
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			c.Fatal(err)
		}
	case <-time.After(patience):
		c.Fatalf("it does not end: %q", tail(c.text(), 2000))
	}
	if got := c.cmd.ProcessState.ExitCode(); got != code {
		c.Errorf("exit code %d, want %d: %q", got, code, tail(c.text(), 2000))
	}
	if c.now() != c.modes {
		c.Error("the terminal is left in other modes")
	}
}
