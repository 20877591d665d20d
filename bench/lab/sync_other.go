//go:build !linux

package lab

import "os"

// SyncData waits until a file's bytes are on the disk.
func SyncData(f *os.File) error { return f.Sync() }

// Settle waits until everything written before is on the disk, where the system
// has a way to ask for that.
func Settle() {}
