//go:build unix && !linux

package quickjs

import (
	"context"
	"os"
	"syscall"
)

// Stop tells the child to stand still. It does so when it next enters the
// kernel or its time slice ends; this system has no way to wait for that which
// would leave its exit status alone.
func (c *child) Stop(context.Context) error { return c.cmd.Process.Signal(syscall.SIGSTOP) }

// maxRSSOf is what the child held at most.
func maxRSSOf(s *os.ProcessState) int64 {
	if usage, ok := s.SysUsage().(*syscall.Rusage); ok {
		return int64(usage.Maxrss)
	}
	return 0
}
