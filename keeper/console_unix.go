//go:build unix

package keeper

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// console is what an interactive job needs of this process: the writing end of
// its input and, for a terminal, a pump of its output. A nil console is that
// of a job that needs neither.
type console struct {
	input *input
	pump  *pump      // nil without a terminal
	child []*os.File // the job's ends, closed once it has them
}

// openConsole makes what s asks for and puts the job's ends into s.
func openConsole(s *Spec) (*console, error) {
	var con *console
	var err error
	switch {
	case s.PTY != nil:
		con, err = openTerminal(s)
	case s.StdinPipe:
		con, err = openPipe(s)
	}
	if err != nil {
		return nil, &SpawnError{Op: OpHold, Path: s.Path, Err: err, Hint: "its input could not be made"}
	}
	return con, nil
}

func openPipe(s *Spec) (*console, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.Stdin = r
	return &console{input: &input{file: w}, child: []*os.File{r}}, nil
}

// openTerminal makes a terminal. Unless it is for people it neither echoes nor
// translates: its output is kept in a log, and what is typed may be secret.
func openTerminal(s *Spec) (_ *console, err error) {
	master, slave, err := pty.Open()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			master.Close()
			slave.Close()
		}
	}()
	if err := setModes(int(slave.Fd()), s.Cooked); err != nil {
		return nil, err
	}
	if err := resize(master, *s.PTY); err != nil {
		return nil, err
	}
	if master, err = pollable(master); err != nil {
		return nil, err
	}
	p, err := newPump(master, s.Stdout)
	if err != nil {
		return nil, err
	}
	s.Stdin, s.Stdout, s.Stderr = slave, slave, slave
	return &console{input: &input{file: master, terminal: true}, pump: p, child: []*os.File{slave}}, nil
}

// setModes changes a new terminal, which the system makes for people, but for
// the characters of more than one byte that they erase.
func setModes(fd int, cooked bool) error {
	t, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return err
	}
	t.Iflag |= unix.IUTF8
	if !cooked {
		t.Oflag &^= unix.OPOST
		t.Lflag &^= unix.ECHO
	}
	return unix.IoctlSetTermios(fd, setTermios, t)
}

// pollable moves a file that has been made blocking into Go's poller.
func pollable(f *os.File) (*os.File, error) {
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// resize stays off Fd, which would make the file blocking.
func resize(f *os.File, w Window) error {
	rc, err := f.SyscallConn()
	if err != nil {
		return inputError(err)
	}
	var bad error
	err = rc.Control(func(fd uintptr) {
		bad = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: w.Rows, Col: w.Cols})
	})
	return inputError(errors.Join(err, bad))
}

// start is called when the program runs: its ends are the program's now.
func (c *console) start(t tree) tree {
	if c == nil {
		return t
	}
	for _, f := range c.child {
		f.Close()
	}
	if c.pump == nil {
		return t
	}
	c.pump.start()
	return &terminalTree{tree: t, pump: c.pump}
}

// close gives up a console whose program did not start.
func (c *console) close() {
	if c == nil {
		return
	}
	for _, f := range c.child {
		f.Close()
	}
	c.input.close()
	if c.pump != nil {
		c.pump.close()
	}
}

// inputError names the ways in which an input ends.
func inputError(err error) error {
	if errors.Is(err, os.ErrClosed) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.EIO) {
		return fmt.Errorf("%w any more: %w", ErrNoInput, err)
	}
	return err
}
