package bench

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncData waits until a file's bytes are on the disk.
func syncData(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }
