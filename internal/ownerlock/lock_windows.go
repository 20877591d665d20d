package ownerlock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock locks one byte far behind the content: locks are mandatory on
// Windows, and others must be able to read who holds this one.
func tryLock(f *os.File) error {
	ol := &windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, ol)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return errHeld
	}
	return os.NewSyscallError("LockFileEx", err)
}

// unlock does nothing: no child has a copy of the handle.
func unlock(*os.File) {}

// alive is true: a lock never outlives its owner here.
func alive(int) bool { return true }
