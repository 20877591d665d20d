//go:build unix

package keepertest

import (
	"os"
	"syscall"
)

// drain throws away what a pipe holds, and does not wait for more. A read with
// a short deadline may give up before it has looked.
func drain(f *os.File) error {
	rc, err := f.SyscallConn()
	if err != nil {
		return err
	}
	return rc.Read(func(fd uintptr) bool {
		for buf := make([]byte, 4096); ; {
			if n, err := syscall.Read(int(fd), buf); err != syscall.EINTR && n <= 0 {
				return true
			}
		}
	})
}
