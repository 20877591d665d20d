package reeve

import "context"

// Approvals returns tool calls that a person decides or decided, newest first.
func (rt *Runtime) Approvals(ctx context.Context, q ApprovalQuery) ([]Approval, error) {
	return rt.kernel.Approvals(ctx, q)
}

// Approval returns one of them. An unknown one is ErrNotFound.
func (rt *Runtime) Approval(ctx context.Context, id ApprovalID) (*Approval, error) {
	return rt.kernel.Approval(ctx, id)
}

// Decide approves or denies a pending approval in the name of by, and returns
// it when that is durable. Of concurrent decisions exactly one is taken; the
// others are ErrDecided, as are those on one that has expired or whose run has
// ended.
func (rt *Runtime) Decide(ctx context.Context, id ApprovalID, approve bool, by, reason string) (*Approval, error) {
	return rt.kernel.Decide(ctx, id, approve, by, reason)
}

// Tails returns the ends of both streams of a process's newest run, at most 64
// KiB of each. What was not kept is empty.
func (rt *Runtime) Tails(p *Process) (stdout, stderr []byte, err error) {
	return rt.kernel.Tails(p)
}
