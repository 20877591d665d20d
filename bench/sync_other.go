//go:build !linux

package bench

import "os"

// syncData waits until a file's bytes are on the disk.
func syncData(f *os.File) error { return f.Sync() }
