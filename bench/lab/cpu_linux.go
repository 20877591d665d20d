package lab

import (
	"time"

	"golang.org/x/sys/unix"
)

// CPU is the processor time that a process has used, to the nanosecond, with
// all its threads and without its children.
func CPU(pid int) (time.Duration, error) {
	const schedulerClock = 2 // of the three clocks that every process has
	var t unix.Timespec
	err := unix.ClockGettime(int32(^pid<<3|schedulerClock), &t)
	return time.Duration(t.Nano()), err
}
