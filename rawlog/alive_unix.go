//go:build unix

package rawlog

import (
	"errors"
	"strconv"
	"syscall"
)

// alive tells whether a process of this id exists.
func alive(pid string) bool {
	n, err := strconv.Atoi(pid)
	return err == nil && n > 0 && !errors.Is(syscall.Kill(n, 0), syscall.ESRCH)
}
