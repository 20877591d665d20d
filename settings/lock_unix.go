//go:build unix

package settings

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes a lock that belongs to the open file, which Go opens
// close-on-exec: no child inherits it.
func tryLock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errLocked
		}
		return os.NewSyscallError("flock", err)
	}
}
