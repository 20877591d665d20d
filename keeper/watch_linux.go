package keeper

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper/internal/procs"
)

// watch is at most one file in Go's poller that another goroutine may close,
// before or after it has been opened.
type watch struct {
	mu     sync.Mutex // guards the rest
	file   *os.File
	closed bool
}

// open opens a file for polling; the caller closes it.
func (w *watch) open(path string) (*os.File, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return w.adopt(fd, path)
}

// adopt takes over a non-blocking descriptor.
func (w *watch) adopt(fd int, name string) (*os.File, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		unix.Close(fd)
		return nil, os.ErrClosed
	}
	w.file = os.NewFile(uintptr(fd), name)
	return w.file, nil
}

func (w *watch) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.file != nil {
		w.file.Close()
	}
}

// until waits in the poller for a condition on a file.
func until(f *os.File, ok func(fd int) bool) error {
	rc, err := f.SyscallConn()
	if err != nil {
		return err
	}
	return rc.Read(func(fd uintptr) bool { return ok(int(fd)) })
}

// waitGone waits for the end of a process that need not be a child, if same
// confirms that it is the one meant. It reports whether there was anything to
// wait for.
func (w *watch) waitGone(pid int, same func(int) bool) (bool, error) {
	fd, err := procs.OpenPidfd(pid)
	if err != nil {
		return false, nil
	}
	if !same(pid) || unix.SetNonblock(fd, true) != nil {
		unix.Close(fd)
		return false, nil
	}
	f, err := w.adopt(fd, "pidfd")
	if err != nil {
		return false, err
	}
	defer f.Close()
	return true, until(f, func(fd int) bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return err == nil && n > 0
	})
}
