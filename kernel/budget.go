package kernel

import (
	"fmt"
	"math"
	"time"

	"github.com/reeverun/reeve/process"
)

// charge counts what a run has used, for it and all above it, and sees to it
// that what is used up has its consequences. It is process.ErrBudget if the run
// is being ended for that.
func (k *Kernel) charge(p *proc, tokens int64, cpu time.Duration) error {
	if p.seat.account == nil {
		return nil
	}
	k.ledger.mu.Lock()
	p.spend(tokens, cpu)
	k.ledger.mu.Unlock()
	k.enforce(p.seat.account)
	why := p.overdrawn()
	if why == "" {
		return nil
	}
	p.stop(process.ErrBudget, KillOptions{why: why}, nil) // before it ends by itself: who ends all may not have come to it
	return process.ErrBudget
}

// chargeCPU counts what processor time a run has used so far, by whatever way
// that was learnt: nothing is counted twice.
func (k *Kernel) chargeCPU(p *proc, used time.Duration) {
	if p.seat.account == nil {
		return
	}
	k.ledger.mu.Lock()
	if more := used - p.metered; more > 0 {
		p.metered = used
		p.spend(0, more)
	}
	k.ledger.mu.Unlock()
	k.enforce(p.seat.account)
}

// spend charges a run and all above it; ledger.mu is held.
func (p *proc) spend(tokens int64, cpu time.Duration) {
	for a := p.seat.account; a != nil; a = a.above {
		a.tokens = plus(a.tokens, tokens)
		a.cpu += cpu
	}
}

// plus adds what is not negative; what is too much to be counted stays the most.
func plus(a, b int64) int64 {
	if b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}

// overdrawn says why the run is being ended, if a budget is.
func (p *proc) overdrawn() string {
	p.k.ledger.mu.Lock()
	defer p.k.ledger.mu.Unlock()
	for a := p.seat.account; a != nil; a = a.above {
		if a.state == accountClosed {
			return a.why
		}
	}
	return ""
}

// measure is a budget that was used up.
type measure struct {
	name        string // of its field
	used, bound int64  // tokens or milliseconds
}

// String says it in words.
func (m measure) String() string {
	words := func(n int64) string { return millis(n).String() }
	switch m.name {
	case "tokens":
		return fmt.Sprintf("%d of %d tokens", m.used, m.bound)
	case "wallMs":
		return fmt.Sprintf("%s of %s of wall time", words(m.used), words(m.bound))
	}
	return fmt.Sprintf("%s of %s of CPU time", words(m.used), words(m.bound))
}

// exhausted returns what an account has used up, given its wall time; ledger.mu
// is held.
func (a *account) exhausted(wall time.Duration) (measure, bool) {
	for _, m := range []measure{
		{"tokens", a.tokens, a.bound.Tokens},
		{"wallMs", wall.Milliseconds(), a.bound.WallMS},
		{"cpuMs", a.cpu.Milliseconds(), a.bound.CPUMS},
	} {
		if m.bound > 0 && m.used >= m.bound {
			return m, true
		}
	}
	return measure{}, false
}

// enforce looks at an account and all above it, the outermost first: it decides
// about the inner ones, too.
func (k *Kernel) enforce(a *account) {
	for _, a := range a.outermostFirst() {
		if stop := k.settleUp(a); stop {
			return
		}
	}
}

func (a *account) outermostFirst() (chain []*account) {
	if a.above != nil {
		chain = a.above.outermostFirst()
	}
	return append(chain, a)
}

// settleUp does what follows if an account is used up. It reports whether those
// within need not be looked at: they end with it, or are looked at when it is
// open again.
func (k *Kernel) settleUp(a *account) bool {
	k.ledger.mu.Lock()
	owner, wall := a.owner, time.Duration(0)
	if a.bound.WallMS > 0 && owner != nil {
		k.ledger.mu.Unlock()
		wall = owner.wallUsed()
		k.ledger.mu.Lock()
	}
	used, yes := a.exhausted(wall)
	if a.state != accountOpen || !yes || owner == nil {
		defer k.ledger.mu.Unlock()
		return a.state != accountOpen
	}
	a.why = fmt.Sprintf("%s: process %d used %s", process.ReasonBudget, owner.id, used)
	ask := a.bound.OnExceeded == process.BudgetAsk
	a.state = accountClosed
	if ask {
		a.state = accountAsking
	}
	k.ledger.mu.Unlock()
	if !ask || !k.askForMore(a, used) {
		k.endAll(a)
	}
	return true
}

// endAll ends what an account bounds, children before their parents: who is
// told to end may end its children, and they shall say why.
func (k *Kernel) endAll(a *account) {
	k.ledger.mu.Lock()
	a.state, a.held = accountClosed, nil
	why := a.why
	k.ledger.mu.Unlock()
	for _, p := range k.ledger.members(a) {
		p.stop(process.ErrBudget, KillOptions{why: why}, nil)
	}
}

// overspent says in a run's events why it is ended.
func overspent(why string) process.Payload {
	return process.WarningDetected{Code: "reeve." + process.ReasonBudget, Message: why}
}

// shallEnd reports whether the run is being ended; p.mu is held.
func (p *proc) shallEnd() bool { return p.canceled || p.timedOut || p.overspent != "" }

// armWall sets the timer of the run's own wall budget to what is left of it, or
// stops it while the clock stands; p.mu is held.
func (p *proc) armWall() {
	a := p.seat.account
	if a == nil || p.seat.generation != 0 {
		return
	}
	l := p.k.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	stands := p.clock.started.IsZero() || p.clock.stands()
	if a.wall != nil && (stands || a.state != accountOpen) {
		a.wall.Stop()
	}
	if a.bound.WallMS <= 0 || stands || a.state != accountOpen || !a.alive() {
		return
	}
	left := max(0, millis(a.bound.WallMS)-p.clock.since(time.Now()))
	if a.wall == nil {
		a.wall = time.AfterFunc(left, func() { p.k.enforce(a) })
		return
	}
	a.wall.Reset(left)
}
