//go:build unix

package ownerlock

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes an exclusive flock, which belongs to the open file: a second
// open in the same process conflicts too, and the kernel drops it with the
// last descriptor. Go opens files close-on-exec, so no child keeps it.
func tryLock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errHeld
		default:
			return os.NewSyscallError("flock", err)
		}
	}
}

func unlock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// alive reports whether a process exists.
func alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
