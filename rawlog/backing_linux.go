package rawlog

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// memfdBacking is an anonymous memory file: nothing reaches the disk.
//
// The descriptor for the child is a second open of the file, by way of
// /proc/self/fd. The one memfd_create returns never notifies anybody (since
// Linux 6.14 pseudo files are opened with notifications off); one that was opened by
// path does.
type memfdBacking struct {
	f *os.File // read and written by us
	w *os.File // for a child; nil until asked for

	handed bool
}

// newMemory makes the backing for logs that are kept in memory.
func newMemory() (backing, error) {
	fd, err := unix.MemfdCreate("reeve-log", unix.MFD_CLOEXEC)
	if errors.Is(err, unix.ENOSYS) {
		return newHeap(), nil
	}
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFL, unix.O_RDWR|unix.O_APPEND); err != nil {
		_ = unix.Close(fd)
		return nil, os.NewSyscallError("fcntl", err)
	}
	return &memfdBacking{f: os.NewFile(uintptr(fd), "memfd:reeve-log")}, nil
}

func procPath(f *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) }

func (b *memfdBacking) write(p []byte) error {
	_, err := b.f.Write(p)
	return err
}

func (b *memfdBacking) readv(x, y []byte, off int64) (int, error) { return readv(b.f, x, y, off) }
func (b *memfdBacking) size() (int64, error)                      { return fileSize(b.f) }
func (b *memfdBacking) punch(from, to int64) error                { return punch(b.f, "", from, to) }

func (b *memfdBacking) handOut() (*os.File, error) {
	b.handed = true
	if b.w == nil {
		w, err := openPath(procPath(b.f), appendMode, 0)
		if err != nil {
			// Without /proc the memfd itself will do; it is polled.
			return b.f, nil
		}
		b.w = w
	}
	return b.w, nil
}

func (b *memfdBacking) watchPath() (string, bool) {
	if b.w == nil {
		return "", b.handed
	}
	return procPath(b.f), true
}

func (b *memfdBacking) close() error {
	err := b.f.Close()
	if b.w != nil {
		err = errors.Join(err, b.w.Close())
	}
	return err
}

// readv is one preadv: no copy, and no second call to learn that the end is
// reached.
func readv(f *os.File, a, b []byte, off int64) (int, error) {
	for {
		n, err := unix.Preadv(int(f.Fd()), [][]byte{a, b}, off)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return 0, &os.PathError{Op: "read", Path: f.Name(), Err: err}
		}
		return n, nil
	}
}

func fileSize(f *os.File) (int64, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return 0, &os.PathError{Op: "stat", Path: f.Name(), Err: err}
	}
	return st.Size, nil
}

// punch frees the bytes [from, to) of f and keeps its size.
func punch(f *os.File, _ string, from, to int64) error {
	const mode = unix.FALLOC_FL_PUNCH_HOLE | unix.FALLOC_FL_KEEP_SIZE
	if err := unix.Fallocate(int(f.Fd()), mode, from, to-from); err != nil {
		return fmt.Errorf("punch hole in %s: %w", f.Name(), err)
	}
	return nil
}

// openPath is os.OpenFile for files that are none of Go's poller's business: to be
// offered to it and refused takes five more calls than to open one.
func openPath(path string, flag int, perm uint32) (*os.File, error) {
	for {
		fd, err := unix.Open(path, flag|unix.O_CLOEXEC, perm)
		switch err {
		case nil:
			return os.NewFile(uintptr(fd), path), nil
		case unix.EINTR:
		default:
			return nil, &os.PathError{Op: "open", Path: path, Err: err}
		}
	}
}

// reopen opens the file of w for reading, also when its name is gone.
func reopen(w *os.File, path string) (*os.File, error) {
	r, err := openPath(path, os.O_RDONLY, 0)
	if err != nil {
		if p, perr := openPath(procPath(w), os.O_RDONLY, 0); perr == nil {
			return p, nil
		}
	}
	return r, err
}

// nextData returns where data follows in f at or after off; off if unknown.
func nextData(f *os.File, off int64) int64 {
	at, err := unix.Seek(int(f.Fd()), off, unix.SEEK_DATA)
	if err != nil {
		return off
	}
	return at
}
