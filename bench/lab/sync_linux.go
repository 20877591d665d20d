package lab

import (
	"os"

	"golang.org/x/sys/unix"
)

// SyncData waits until a file's bytes are on the disk.
func SyncData(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }

// Settle waits until everything written before is on the disk.
func Settle() { unix.Sync() }
