package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/internal/ownerlock"
)

// socketName is that of the socket in a keeper's directory.
const socketName = "socket"

// maxGuests is how many connections may be there at a time that are not, or
// not yet, or no longer, the client's.
const maxGuests = 16

// Serve is the keeper of a directory. It returns when a client has shut it
// down, when it has been idle for long enough, or when ctx is over; by then
// what it held is dead. A directory that has a keeper is process.ErrOwned.
func Serve(ctx context.Context, c Config) error { return serve(ctx, c, host{up: func() {}}) }

// host is what a process that is a keeper and nothing else has besides.
type host struct {
	score   oomScore
	signals <-chan os.Signal
	up      func() // called when it serves
}

func serve(ctx context.Context, c Config, h host) (err error) {
	lock, err := ownerlock.Acquire(c.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	s, err := newServer(c)
	if err != nil {
		return err
	}
	s.oom = h.score
	l, err := listen(c.Dir)
	if err != nil {
		return errors.Join(err, s.close())
	}
	var accepting sync.WaitGroup
	accepting.Go(func() { s.accept(l) })
	h.up()
	s.rest() // until somebody comes
	s.wait(ctx, h.signals)
	// No path to this keeper first: who finds none starts the next, which
	// waits for the lock.
	err = errors.Join(os.Remove(filepath.Join(c.Dir, socketName)), l.Close())
	accepting.Wait()
	return errors.Join(err, s.close())
}

// wait returns when the keeper shall end. A request to terminate is granted if
// nothing runs; every other signal is dropped.
func (s *server) wait(ctx context.Context, signals <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.over:
			return
		case sig := <-signals:
			if sig == syscall.SIGTERM && s.idleNow() {
				return
			}
		}
	}
}

func (s *server) idleNow() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == 0 {
		s.stopping = true
	}
	return s.stopping
}

// listen binds the socket, which belongs to whoever holds the lock. The path
// through a descriptor is short, wherever the directory is.
func listen(dir string) (*net.UnixListener, error) {
	d, err := openDir(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	path := filepath.Join(dir, socketName)
	if err := unix.Unlink(path); err != nil && err != unix.ENOENT {
		return nil, &os.PathError{Op: "remove", Path: path, Err: err}
	}
	l, err := net.ListenUnix("unix", socketAddr(d))
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	l.SetUnlinkOnClose(false)
	// The directory is this user's alone, so nobody was quicker.
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func openDir(dir string) (*os.File, error) {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	return os.NewFile(uintptr(fd), dir), nil
}

func socketAddr(dir *os.File) *net.UnixAddr {
	return &net.UnixAddr{Net: "unix", Name: fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), socketName)}
}
