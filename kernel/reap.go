package kernel

import (
	"context"

	"github.com/reeverun/reeve/process"
)

// The steps of a reap, in the only order they are done.
const (
	stepOrphans = "orphans" // children go to init; zombie children are reaped
	stepCancel  = "cancel"  // the run's context is over
	stepWait    = "wait"    // the run's goroutine has answered, and nothing calls its environment for it
	stepDebug   = "debug"   // its tracers' streams are closed
	stepContext = "context" // log, pump, interpreter, signals and what Go code gave it are released
	stepDead    = "dead"    // zombie → dead
	stepRemove  = "remove"  // out of the table
)

// reaping is the release of one run, once. Each step is noted when it is done,
// and the reaped event carries what was. The event is written with the last but
// one: a run leaves the table with the event's commit, because nobody shall find
// it gone before its end can be read. It tells of that step, too; leave is what
// keeps the word.
type reaping struct {
	p    *proc
	done []string
}

// did notes a step that is done.
func (r *reaping) did(step string) {
	r.done = append(r.done, step)
	if f := r.p.k.cfg.reaping; f != nil {
		f(r.p.id, step)
	}
}

// claimReap reports whether the caller is the one that reaps the run.
func (p *proc) claimReap() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := !p.reaped
	p.reaped = true
	return first
}

// release does all that comes before a run is dead. No lock is held, and
// claimReap was won.
func (p *proc) release() *reaping {
	r := &reaping{p: p, done: make([]string, 0, 7)}
	p.k.adopt(p.id, p.k.table.orphan(p))
	r.did(stepOrphans)
	p.endContext()
	r.did(stepCancel)
	if !p.hung { // one that was given up is not waited for, and nobody says it was
		p.calls.Wait()
		r.did(stepWait)
	}
	p.closeTracers(r.done)
	r.did(stepDebug)
	p.freeContext()
	r.did(stepContext)
	return r
}

// endContext cancels the run's context, if it ever had one.
func (p *proc) endContext() {
	p.mu.Lock()
	cancel := p.cancel
	p.mu.Unlock()
	if cancel != nil {
		cancel(nil)
	}
}

// freeContext lets go of what the run had. Its log is ended by the journal,
// before it commits the run's end: see endLog.
func (p *proc) freeContext() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sig = nil
	p.log, p.pump, p.interpreter, p.payload, p.earlier = nil, nil, nil, nil, nil
}

// bury takes the zombie to dead and returns the event that tells of the reap;
// p.mu is held, and the caller commits the event and then has the run leave.
func (r *reaping) bury() process.Payload {
	if err := r.p.move(process.LifecycleDead); err != nil {
		r.p.k.log.Error("reap", "process", r.p.id, "error", err)
	}
	r.did(stepDead)
	return process.Reaped{Steps: append(r.done, stepRemove)}
}

// reap releases a zombie and buries it, unless somebody does so already; then,
// if there is one, runs when that is committed.
func (p *proc) reap(then func()) {
	if !p.claimReap() {
		return
	}
	r := p.release()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.record(func(error) { then() }, r.bury())
}

// heldForParent reports whether the ended run is to be kept for its parent.
func (p *proc) heldForParent() bool {
	parent := p.k.table.parentOf(p)
	if parent == nil || parent.ended() {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waiters == 0
}

// isLeft reports whether the run was left to the next host in mid-course.
func (p *proc) isLeft() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left != nil
}

// ended reports whether the run is over or about to be.
func (p *proc) ended() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.isOver()
}

// isOver is ended; p.mu is held.
func (p *proc) isOver() bool {
	return p.resolved || p.rec.Lifecycle >= process.LifecycleZombie
}

// reapNow reaps a zombie that was waited for, and returns when that is
// committed. Of several callers one does it, and all wait.
func (k *Kernel) reapNow(ctx context.Context, p *proc) {
	p.reap(p.leave)
	select {
	case <-p.gone:
	case <-ctx.Done():
	}
}

// leave takes a reaped run out of the table. One that did not come to be, or is
// left to the next host, was not reaped: what is below it goes to init here.
func (p *proc) leave() {
	p.leaving.Do(func() {
		p.k.table.remove(p)
		p.mu.Lock()
		reaped := p.reaped
		p.mu.Unlock()
		if reaped {
			(&reaping{p: p}).did(stepRemove)
		}
		p.closeTracers(nil)
		if orphans := p.k.table.orphan(p); !p.isLeft() { // else they find it again under the next host
			p.k.adopt(p.id, orphans)
		}
		close(p.gone)
	})
}

// adopt is init's: it reaps the zombies it inherits and notes whose children
// the others were.
func (k *Kernel) adopt(from process.ID, orphans []*proc) {
	for _, c := range orphans {
		c.mu.Lock()
		zombie := c.rec.Lifecycle == process.LifecycleZombie
		if c.rec.Lifecycle < process.LifecycleZombie {
			c.record(nil, process.Reparented{From: from, To: 0})
			if ts := c.tracers.Load(); ts != nil {
				ts.tell("Reparent", "from", from, "to", 0)
			}
		}
		c.mu.Unlock()
		if zombie {
			c.reap(c.leave)
		}
	}
}

// note adds events to a run that is not over.
func (p *proc) note(events ...process.Payload) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rec.Lifecycle < process.LifecycleZombie {
		p.append(&entry{}, false, events...)
	}
}
