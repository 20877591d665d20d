package command

import (
	"os"

	"golang.org/x/sys/unix"
)

// bytesFile is a memory file that holds b: it needs no writer and cannot
// deadlock.
func bytesFile(b []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("reeve-stdin", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	f := os.NewFile(uintptr(fd), "stdin")
	if _, err = f.Write(b); err == nil {
		_, err = f.Seek(0, 0)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
