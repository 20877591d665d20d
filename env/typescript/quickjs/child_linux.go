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

// rssUnit is what the kernel counts memory in, in bytes.
const rssUnit = 1024
