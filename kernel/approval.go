package kernel

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// maxReason bounds what a person says about a decision.
const maxReason = 1 << 10

// Approvals returns approvals, newest first.
func (k *Kernel) Approvals(ctx context.Context, q process.ApprovalQuery) ([]process.Approval, error) {
	q, err := q.Normalize()
	if err != nil {
		return nil, err
	}
	return k.cfg.Store.Approvals(ctx, q)
}

// Approval returns one approval.
func (k *Kernel) Approval(ctx context.Context, id process.ApprovalID) (*process.Approval, error) {
	return k.cfg.Store.Approval(ctx, id)
}

// Decide approves or denies a pending approval in the name of by, and returns
// it when that is durable. Of concurrent decisions exactly one is taken; the
// others, and those on one that has expired or whose run has ended, are
// process.ErrDecided.
func (k *Kernel) Decide(ctx context.Context, id process.ApprovalID, approve bool, by, reason string) (*process.Approval, error) {
	for field, text := range map[string]string{"by": by, "reason": reason} {
		if len(text) > maxReason {
			return nil, process.Invalid(field, "is %d bytes long: want at most %d", len(text), maxReason)
		}
	}
	rec, err := k.cfg.Store.Approval(ctx, id)
	if err != nil {
		return nil, err
	}
	d := decision{process.ApprovalDenied, by, reason}
	if approve {
		d.state = process.ApprovalApproved
	}
	if rec.State == process.ApprovalPending {
		if p := k.table.get(rec.Process); p != nil {
			if a, mine := p.decide(id, d); a != nil {
				return a.outcome(ctx, mine)
			}
		}
		// Decided since the store was asked.
		if rec, err = k.cfg.Store.Approval(ctx, id); err != nil {
			return nil, err
		}
	}
	return nil, decided(rec)
}

// decide takes a decision on an approval the run waits for, and reports
// whether it was in time; nil if the run waits for no such.
func (p *proc) decide(id process.ApprovalID, d decision) (a *ask, mine bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a = p.asks[id]
	if a == nil {
		return nil, false
	}
	if !p.k.now().Before(a.rec.ExpiresAt) { // its timer is late: the machine slept
		p.settle(a, decision{state: process.ApprovalExpired, reason: "nobody decided in time"})
	}
	return a, p.settle(a, d)
}

// outcome waits until the decision is stored: nobody is told before what a
// reader would not find.
func (a *ask) outcome(ctx context.Context, mine bool) (*process.Approval, error) {
	select {
	case <-a.settled:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	rec := a.rec.Clone()
	switch {
	case a.err != nil:
		return nil, fmt.Errorf("store the decision: %w", a.err)
	case !mine:
		return nil, decided(&rec)
	}
	return &rec, nil
}

// decided is the error of a decision that came too late.
func decided(a *process.Approval) error {
	what := "was " + string(a.State)
	switch a.State {
	case process.ApprovalExpired:
		what = "has expired"
	case process.ApprovalPending:
		what = "waits in vain, its run is over"
	}
	if a.DecidedBy != nil {
		what += " by " + *a.DecidedBy
	}
	return process.Errorf(process.CodeDecided, "approval %d %s: it cannot be decided again", a.ID, what)
}

func sortedAsks(asks map[process.ApprovalID]*ask) []*ask {
	return slices.SortedFunc(maps.Values(asks), func(a, b *ask) int { return cmp.Compare(a.rec.ID, b.rec.ID) })
}

// stranded returns what programs of an earlier host waited for, by process.
func (k *Kernel) stranded(ctx context.Context) (map[process.ID][]process.Approval, error) {
	found := map[process.ID][]process.Approval{}
	q := process.ApprovalQuery{State: process.ApprovalPending, Limit: process.MaxLimit}
	for {
		page, err := k.cfg.Store.Approvals(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, a := range page {
			found[a.Process] = append(found[a.Process], a)
		}
		if len(page) < q.Limit {
			return found, nil
		}
		q.Before = page[len(page)-1].ID
	}
}

// strand cancels what a program of an earlier host waited for: it died with it.
func (p *proc) strand(waited []process.Approval) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range slices.Backward(waited) {
		k := p.k
		p.append(&entry{change: approvals(k.stranding(a))}, false, process.ApprovalDecided{Approval: a.ID, Call: a.Call,
			State: process.ApprovalCanceled, Reason: process.ErrHostExited})
	}
}

func (k *Kernel) stranding(a process.Approval) process.Approval {
	at, reason := k.now(), process.ErrHostExited
	a.State, a.DecidedAt, a.Reason = process.ApprovalCanceled, &at, &reason
	return a
}

// strandIdle does the same where no run is left to say it in an event: the
// store has lost the write that should have.
func (k *Kernel) strandIdle(ctx context.Context, found map[process.ID][]process.Approval) error {
	var changes []store.Change
	for id, waited := range found {
		c := store.Change{ID: id}
		for _, a := range waited {
			c.Approvals = append(c.Approvals, k.stranding(a))
		}
		changes = append(changes, c)
	}
	if len(changes) == 0 {
		return nil
	}
	return k.cfg.Store.Apply(ctx, changes)
}
