package token

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockFile waits for the lock of an open file; closing it unlocks.
func lockFile(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &windows.Overlapped{})
	return os.NewSyscallError("LockFileEx", err)
}

// syncDir does nothing: folders cannot be synced here.
func syncDir(string) error { return nil }
