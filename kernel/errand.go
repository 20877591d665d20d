package kernel

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/reeverun/reeve/process"
)

// errRunOver is why an errand of a run that has ended is given up.
var errRunOver = errors.New("the run has ended")

// errand is what a run has others do for it while it waits: a tool call, or the
// end of a child. A run that is out on any holds no slot: it waits, and another
// can run instead.
type errand struct {
	cancel context.CancelCauseFunc
	call   *call         // nil: it waits for a child
	stored chan struct{} // closed when its event is stored; nil: nobody waits for that
}

// callsAhead is how many calls of a run may go before their events are stored:
// one that calls without rest must not fill the journal that all share.
const callsAhead = 32

// setOut begins an errand and returns its context, which is over when the run
// is. The first one gives the run's slot back.
func (p *proc) setOut(ctx context.Context, e *errand) (context.Context, error) {
	ctx, e.cancel = context.WithCancelCause(ctx)
	p.hear()
	p.mu.Lock()
	if p.resolved || p.rec.Lifecycle >= process.LifecycleZombie {
		p.mu.Unlock()
		e.cancel(errRunOver)
		return nil, errRunOver
	}
	if p.errands == nil {
		p.errands = map[*errand]struct{}{}
	}
	p.errands[e] = struct{}{}
	if e.call != nil {
		p.k.outside.Add(1) // under the lock, before the run can be over
		p.called++
		e.call.number = p.called
		noted := &entry{lazy: true}
		if p.called%callsAhead == 0 {
			e.stored = make(chan struct{})
			noted = &entry{done: func(error) { close(e.stored) }}
		}
		p.append(noted, false, e.call.event())
	}
	lend := p.slot
	if lend {
		p.slot, p.lent = false, true
	}
	p.mu.Unlock()
	if lend {
		p.env.pool.free()
	}
	return ctx, nil
}

// comeBack ends an errand; err is how a call ended. It reports whether the run
// still cares. The last one takes a slot again, without waiting for one: who
// waits for a slot while it holds up others would wait for ever.
func (p *proc) comeBack(e *errand, err error) bool {
	defer e.cancel(nil)
	p.hear()
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, out := p.errands[e]; !out {
		return false // the run has ended, and said so of its errands
	}
	delete(p.errands, e)
	if e.call != nil {
		p.settle(e.call.ask, decision{state: process.ApprovalCanceled, reason: "the call was given up"})
		p.append(&entry{lazy: true}, false, e.call.returned(err))
	}
	if len(p.errands) == 0 && p.lent {
		p.lent, p.slot = false, true
		p.env.pool.retake()
	}
	return true
}

// abandon ends all errands, because the run is over: what they may still bring
// is ignored. p.mu is held.
func (p *proc) abandon() {
	p.cancelAsks("the run has ended")
	calls := make([]*call, 0, len(p.errands))
	for e := range p.errands {
		if e.call != nil {
			calls = append(calls, e.call)
		}
		e.cancel(errRunOver)
	}
	slices.SortFunc(calls, func(a, b *call) int { return cmp.Compare(a.number, b.number) })
	for _, c := range calls {
		p.append(&entry{lazy: true}, false, c.returned(givenUp(errRunOver)))
	}
	p.errands, p.lent = nil, false
}

// awaitOutside waits for tools and handlers that ended runs have left behind, for
// as long as a program is given to end.
func (k *Kernel) awaitOutside() {
	back := make(chan struct{})
	go func() {
		k.outside.Wait()
		close(back)
	}()
	late := time.NewTimer(k.cfg.Grace)
	defer late.Stop()
	select {
	case <-back:
	case <-late.C:
		k.log.Error("tool calls or signal handlers do not end though their runs did; they are left behind")
	}
}
