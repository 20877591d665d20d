//go:build !linux

package lab

import (
	"errors"
	"time"
)

// CPU is the processor time that a process has used.
func CPU(int) (time.Duration, error) {
	return 0, errors.New("the processor time of another process is read on Linux only")
}
