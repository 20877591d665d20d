//go:build unix

package quickjs

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// The descriptors of a child, after the standard ones.
const (
	channelFD = 3
	lifeFD    = 4
)

// connect gives the child one end of a socket pair and of a pipe, which it never
// writes. What it returns closes the child's ends here.
func (c *child) connect() (release func(), err error) {
	syscall.ForkLock.RLock()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fds[0])
		unix.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	theirs := os.NewFile(uintptr(fds[1]), "channel")
	if err := unix.SetNonblock(fds[0], true); err != nil {
		unix.Close(fds[0])
		theirs.Close()
		return nil, os.NewSyscallError("fcntl", err)
	}
	ours := os.NewFile(uintptr(fds[0]), "channel")
	life, held, err := os.Pipe()
	if err != nil {
		ours.Close()
		theirs.Close()
		return nil, err
	}
	c.channel, c.life = ours, life
	c.cmd.ExtraFiles = []*os.File{theirs, held}
	c.cmd.Dir = "/"
	return func() {
		theirs.Close()
		held.Close()
	}, nil
}

// openChannel is the child's end.
func openChannel() (*os.File, *os.File) {
	f := os.NewFile(channelFD, "channel")
	return f, f
}

func signalOf(s *os.ProcessState) string {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return unix.SignalName(status.Signal())
	}
	return ""
}

// maxRSSOf is what the child held at most.
func maxRSSOf(s *os.ProcessState) int64 {
	if usage, ok := s.SysUsage().(*syscall.Rusage); ok {
		return int64(usage.Maxrss) * rssUnit
	}
	return 0
}

func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// Continue lets a stopped child go on.
func (c *child) Continue() error { return c.cmd.Process.Signal(syscall.SIGCONT) }
