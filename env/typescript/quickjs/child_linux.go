package quickjs

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// stopPoll is how often a child that was told to stop is asked whether it has.
const stopPoll = 200 * time.Microsecond

// Stop returns when all threads of the child stand still.
func (c *child) Stop(ctx context.Context) error {
	if err := c.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	tick := time.NewTicker(stopPoll)
	defer tick.Stop()
	for {
		var info unix.Siginfo
		// The status is left where it is, for the wait for its end.
		err := unix.Waitid(unix.P_PID, c.PID(), &info, unix.WSTOPPED|unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return os.ErrProcessDone
		}
		if err == nil && info.Code != 0 { // stopped or ended
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-c.done:
			return nil
		case <-tick.C:
		}
	}
}

// CPU is the processor time the child has used so far, in all its threads.
func (c *child) CPU() time.Duration {
	used := cpuOf(c.PID())
	if c.cmd.Process.Signal(syscall.Signal(0)) != nil { // by a handle where there is one: the number may be another's by now
		return 0
	}
	return used
}

// cpuOf reads a process's own clock, whose number is made of the process's; 0 if
// there is none.
func cpuOf(pid int) time.Duration {
	const scheduled = 2 // of the three clocks that a process has, the exact one
	var used unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|scheduled), &used) != nil {
		return 0
	}
	return time.Duration(used.Nano())
}

// rssUnit is what the kernel counts memory in, in bytes.
const rssUnit = 1024
