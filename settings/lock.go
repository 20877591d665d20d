package settings

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Lock is a lock on a file, held by one process of the machine at a time. It
// ends with its process.
type Lock struct{ file *os.File }

// errLocked is what tryLock answers when another holds the lock.
var errLocked = errors.New("lock is held")

// lockInterval is how often a waiting TakeLock looks again: the kernel's own
// wait cannot be called off.
const lockInterval = 5 * time.Millisecond

// TakeLock waits for a lock, making its file (0600) if there is none. The file
// stays: removing it would let two hold two files of one name.
func TakeLock(ctx context.Context, path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := tryLock(f)
		if err == nil {
			return &Lock{f}, nil
		}
		if errors.Is(err, errLocked) {
			select {
			case <-time.After(lockInterval):
				continue
			case <-ctx.Done():
				err = context.Cause(ctx)
			}
		}
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
}

// HeldLock is a lock that another process holds, or held, and has handed over by
// its descriptor: it is held until the last of them is closed.
func HeldLock(f *os.File) *Lock { return &Lock{f} }

// SyscallConn gives access to the descriptor, to hand it over.
func (l *Lock) SyscallConn() (syscall.RawConn, error) { return l.file.SyscallConn() }

// Release gives the lock up.
func (l *Lock) Release() error { return l.file.Close() }
