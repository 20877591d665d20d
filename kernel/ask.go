package kernel

import (
	"context"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// maxAsking bounds how many approvals one run can wait for at a time.
const maxAsking = 100

// ask is an approval that a run waits for. Its record is changed once, when it
// is settled; the decision counts, and is told to anyone, when it is stored.
//
//	pending ──▶ approved, denied (a person)
//	        ──▶ expired          (nobody, in time)
//	        ──▶ canceled         (the call was given up, or its run is ended)
type ask struct {
	call    *call // nil: a budget was used up
	since   time.Time
	timer   *time.Timer      // until it expires
	settled chan struct{}    // closed when the decision is stored
	rec     process.Approval // guarded by proc.mu until settled is closed
	err     error            // the decision could not be stored; the same
}

// decision is how an approval ends.
type decision struct {
	state      process.ApprovalState
	by, reason string
}

// haveApproved asks a person whether a call may be made and returns nil if so.
// The run's clock stands still meanwhile.
func (p *proc) haveApproved(ctx context.Context, e *errand, tc process.ToolCall) error {
	if len(tc.Params) > maxAsked {
		return toolError(process.ToolInvalid, "%s needs an approval and its parameters are %d bytes long: a person is asked about at most %d",
			e.call.name(), len(tc.Params), maxAsked)
	}
	a, err := p.request(e, tc)
	if err != nil {
		return err
	}
	select {
	case <-a.settled:
	case <-ctx.Done(): // who ended the call settles it
		return context.Cause(ctx)
	}
	switch {
	case a.err != nil:
		return toolError(process.ToolUnavailable, "the decision on %s could not be stored: %v", e.call.name(), a.err)
	case a.rec.State == process.ApprovalApproved:
		return nil
	case a.rec.State == process.ApprovalExpired:
		return toolError(process.ToolExpired, "nobody decided on %s in time (approval %d)", e.call.name(), a.rec.ID)
	case a.rec.State == process.ApprovalCanceled:
		return toolError(process.ToolCanceled, "the approval of %s was canceled: %s", e.call.name(), deref(a.rec.Reason))
	case deref(a.rec.Reason) != "":
		return toolError(process.ToolDenied, "%s was denied: %s", e.call.name(), deref(a.rec.Reason))
	}
	return toolError(process.ToolDenied, "%s was denied (approval %d)", e.call.name(), a.rec.ID)
}

// request makes an approval. It can be seen, and decided, when it is stored.
func (p *proc) request(e *errand, tc process.ToolCall) (*ask, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, out := p.errands[e]; !out || p.shallEnd() {
		return nil, toolError(process.ToolCanceled, "nobody is asked about %s: the run is being ended", e.call.name())
	}
	if p.asking >= maxAsking {
		return nil, toolError(process.ToolUnavailable, "the run waits for %d approvals already: wait for some of them first", p.asking)
	}
	return p.open(e.call, tc), nil
}

// open makes an approval of a call, or of what the kernel asks itself; p.mu is
// held.
func (p *proc) open(c *call, tc process.ToolCall) *ask {
	now := p.k.now().Truncate(time.Millisecond)
	a := &ask{call: c, since: time.Now(), settled: make(chan struct{}), rec: process.Approval{
		ID: process.ApprovalID(p.k.nextApproval.Add(1)), Process: p.id, Run: p.rec.Number,
		Service: tc.Service, Tool: tc.Tool, Params: tc.Params, State: process.ApprovalPending,
		RequestedAt: now, ExpiresAt: now.Add(p.k.cfg.ApprovalLife)}}
	if c != nil {
		c.ask, a.rec.Call = a, c.number
	}
	if p.asks == nil {
		p.asks = map[process.ApprovalID]*ask{}
	}
	p.asks[a.rec.ID] = a
	p.asking++
	p.tick()
	a.timer = time.AfterFunc(p.k.cfg.ApprovalLife, func() { p.expire(a) })
	p.append(&entry{change: approvals(a.rec), done: func(err error) {
		if err != nil {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.settle(a, decision{state: process.ApprovalCanceled, reason: "it could not be stored"})
		}
	}}, false, process.ApprovalRequested{Approval: a.rec.ID, Call: a.rec.Call, Service: a.rec.Service,
		Tool: a.rec.Tool, ExpiresAt: a.rec.ExpiresAt})
	return a
}

func approvals(a process.Approval) store.Change {
	return store.Change{Approvals: []process.Approval{a}}
}

// settle decides an approval, if it is pending, and reports whether it was;
// p.mu is held. The clock goes on with it.
func (p *proc) settle(a *ask, d decision) bool {
	if a == nil || a.rec.State != process.ApprovalPending {
		return false
	}
	a.timer.Stop()
	at := p.k.now().Truncate(time.Millisecond)
	a.rec.State, a.rec.DecidedAt = d.state, &at
	a.rec.DecidedBy, a.rec.Reason = textOrNil(d.by), textOrNil(d.reason)
	if a.call != nil {
		a.call.asking += time.Since(a.since)
	}
	p.asking--
	p.tick()
	p.append(&entry{change: approvals(a.rec), done: func(err error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.asks, a.rec.ID)
		a.err = err
		close(a.settled)
	}}, false, process.ApprovalDecided{Approval: a.rec.ID, Call: a.rec.Call, State: d.state, By: d.by, Reason: d.reason})
	return true
}

// cancelAsks cancels what the run waits for; p.mu is held.
func (p *proc) cancelAsks(reason string) {
	for _, a := range sortedAsks(p.asks) {
		p.settle(a, decision{state: process.ApprovalCanceled, reason: reason})
	}
}

func (p *proc) expire(a *ask) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settle(a, decision{state: process.ApprovalExpired, reason: "nobody decided in time"})
}

func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
