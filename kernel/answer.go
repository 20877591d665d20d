package kernel

import (
	"context"
	"errors"

	"github.com/reeverun/reeve/process"
)

// answered makes of an error that a kernel call on a process met what the call
// answers: a *process.SyscallError around it. A caller that gave up is told so
// as it is.
func answered(ctx context.Context, call string, id process.ID, err error) error {
	if err == nil || ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return err
	}
	code := process.CodeInternal
	switch e := (*process.Error)(nil); {
	case !errors.As(err, &e):
	case e.Code == process.CodeNotFound || e.Code == process.CodeNotRunning || e.Code == process.CodeAlreadyIdle:
		code = process.CodeSyscallNotFound
	case e.Code == process.CodeInvalid || e.Code == process.CodeNotIdle || e.Code == process.CodeHasOutputs || e.Code == process.CodeNoInput:
		code = process.CodeSyscallInvalid
	}
	return &process.SyscallError{Syscall: call, PID: id, Code: code, Err: err}
}
