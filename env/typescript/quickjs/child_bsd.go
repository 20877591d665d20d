//go:build unix && !linux

package quickjs

import (
	"context"
	"syscall"
)

// Stop tells the child to stand still. It does so when it next enters the
// kernel or its time slice ends; this system has no way to wait for that which
// would leave its exit status alone.
func (c *child) Stop(context.Context) error { return c.cmd.Process.Signal(syscall.SIGSTOP) }
