package kernel

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/reeverun/reeve/process"
)

// askForMore pauses what an account bounds and asks a person whether it may use
// the same again. It reports whether there is somebody to ask for: the owner must
// not have ended, nor be about to.
func (k *Kernel) askForMore(a *account, used measure) bool {
	p := a.owner
	params, _ := json.Marshal(map[string]any{"process": p.id, "budget": used.name, "used": used.used, "of": used.bound,
		"grants": used.amount(p.rec.Options.Budget)}) // a Spec does not change
	p.mu.Lock()
	if p.resolved || p.rec.Lifecycle >= process.LifecycleZombie || p.dropped || p.shallEnd() || k.closing.Load() {
		p.mu.Unlock()
		return false
	}
	q := p.open(nil, process.ToolCall{Service: process.BudgetService, Tool: process.BudgetTool, Params: params})
	k.services.Add(1) // under the lock, before the run can be over
	p.armWall()
	p.mu.Unlock()
	go func() {
		defer k.services.Done()
		var pauses sync.WaitGroup
		defer pauses.Wait()
		for _, m := range k.ledger.members(a) {
			pauses.Go(func() { k.hold(m) })
		}
		<-q.settled
		k.answer(a, q, used)
	}()
	return true
}

// amount is what a budget had of it at first.
func (m measure) amount(b process.Budget) int64 {
	switch m.name {
	case "tokens":
		return b.Tokens
	case "wallMs":
		return b.WallMS
	}
	return b.CPUMS
}

// hold pauses a run for as long as an account above it asks. What cannot be
// paused goes on, and one that has not started is held when it does.
func (k *Kernel) hold(p *proc) {
	if paused, _ := p.pause(context.Background(), false); paused {
		k.letGo([]*proc{p})
	}
}

// letGo resumes runs that were held, or leaves them to the account that asks
// still.
func (k *Kernel) letGo(held []*proc) {
	var pending sync.WaitGroup
	defer pending.Wait()
	k.ledger.mu.Lock()
	defer k.ledger.mu.Unlock()
	for _, p := range held {
		if a := p.seat.account.asking(); a != nil {
			a.held = append(a.held, p)
			continue
		}
		pending.Go(func() {
			if _, err := p.resume(context.Background()); err != nil && p.isPaused() {
				k.log.Error("resume when a budget was granted", "process", p.id, "error", err)
			}
		})
	}
}

// holdStarted holds a run that starts while an account above it asks; p.mu is
// held.
func (p *proc) holdStarted() {
	if p.asksAbove() != nil {
		p.k.services.Add(1)
		go func() {
			defer p.k.services.Done()
			p.k.hold(p)
		}()
	}
}

// asksAbove returns the nearest account that asks for more, and bounds the run.
func (p *proc) asksAbove() *account {
	if p.seat.account == nil {
		return nil
	}
	p.k.ledger.mu.Lock()
	defer p.k.ledger.mu.Unlock()
	return p.seat.account.asking()
}

// asking returns the nearest account, from this one up, that asks; ledger.mu is
// held.
func (a *account) asking() *account {
	for ; a != nil; a = a.above {
		if a.state == accountAsking {
			return a
		}
	}
	return nil
}

// answer does what was decided: more is granted, or all is ended. Where a person
// kills the owner with all below it, that does it.
func (k *Kernel) answer(a *account, q *ask, used measure) {
	if q.err == nil && q.rec.State == process.ApprovalApproved {
		k.grant(a, used)
		return
	}
	p := a.owner
	p.mu.Lock()
	killed := p.canceled && p.killTree
	p.mu.Unlock()
	k.ledger.mu.Lock()
	a.why += "; approval " + q.rec.ID.String() + " was " + string(q.rec.State)
	a.state = accountClosed
	k.ledger.mu.Unlock()
	if !killed && !k.closing.Load() { // who closes ends what runs, and leaves to the next host what is paused
		k.endAll(a)
	}
}

// askAgain asks for a run that an earlier host has left paused, if that was
// because its budget is used up.
func (k *Kernel) askAgain(p *proc) {
	if p.seat.account == nil {
		return
	}
	k.enforce(p.seat.account)
	if p.asksAbove() == nil {
		return // it goes on when somebody resumes it
	}
	held := slices.DeleteFunc(k.ledger.members(p.seat.account), func(m *proc) bool { return !m.isPaused() })
	k.letGo(held)
}

// grant adds the same again to what was used up, and lets go on what was held,
// unless another account asks for it.
func (k *Kernel) grant(a *account, used measure) {
	first := a.owner.rec.Options.Budget // a Spec does not change
	k.ledger.mu.Lock()
	switch more := used.amount(first); used.name {
	case "tokens":
		a.bound.Tokens = plus(a.bound.Tokens, more)
	case "wallMs":
		a.bound.WallMS = plus(a.bound.WallMS, more)
	default:
		a.bound.CPUMS = plus(a.bound.CPUMS, more)
	}
	a.state = accountOpen
	held := a.held
	a.held = nil
	k.ledger.mu.Unlock()
	k.letGo(held)
	a.owner.mu.Lock()
	a.owner.armWall()
	a.owner.mu.Unlock()
	k.armSampler(a)
	k.enforceAll(a)
}

// enforceAll looks at an account again, and at those within, which wait for it.
func (k *Kernel) enforceAll(a *account) {
	k.enforce(a)
	k.ledger.mu.Lock()
	inner := make([]*account, 0, len(a.inner))
	for i := range a.inner {
		inner = append(inner, i)
	}
	k.ledger.mu.Unlock()
	for _, i := range inner {
		k.enforceAll(i)
	}
}
