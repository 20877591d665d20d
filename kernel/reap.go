package kernel

import (
	"context"

	"github.com/reeverun/reeve/process"
)

// reapSteps is the order in which a run is released.
var reapSteps = []string{
	"orphans", // children go to init; zombie children are reaped
	"cancel",  // the run's context
	"wait",    // the run's goroutine has answered
	"debug",   // its stream is closed
	"context", // logs and interpreter are released
	"dead",    // zombie → dead
	"remove",  // out of the table, with the commit of this event
}

// reap takes a zombie to dead and returns the event that says so; p.mu is
// held, and its children have been taken.
func (p *proc) reap() process.Payload {
	if err := p.move(process.LifecycleDead); err != nil {
		p.k.log.Error("reap", "process", p.id, "error", err)
	}
	return process.Reaped{Steps: reapSteps}
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
	return p.resolved || p.rec.Lifecycle >= process.LifecycleZombie
}

// reapNow reaps a zombie that was waited for, and returns when that is
// committed. Of several callers one does it, and all wait.
func (k *Kernel) reapNow(ctx context.Context, p *proc) {
	orphans := k.table.orphan(p)
	p.mu.Lock()
	if p.rec.Lifecycle == process.LifecycleZombie {
		p.record(func(error) { p.leave() }, p.reap())
	}
	p.mu.Unlock()
	k.adopt(p.id, orphans)
	select {
	case <-p.gone:
	case <-ctx.Done():
	}
}

// leave takes a reaped run out of the table, and gives what is still below it
// to init.
func (p *proc) leave() {
	p.leaving.Do(func() {
		p.k.table.remove(p)
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
		switch c.rec.Lifecycle {
		case process.LifecycleZombie:
			c.record(func(error) { c.leave() }, c.reap())
		case process.LifecycleCreated, process.LifecycleRunning:
			c.record(nil, process.Reparented{From: from, To: 0})
		}
		c.mu.Unlock()
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

// Wait returns the outcome of a process's newest run, when it has one; any
// number of callers may wait, before or after the end. A process that never
// ran and is not queued is process.ErrNotRunning.
func (k *Kernel) Wait(ctx context.Context, id process.ID) (*process.Process, error) {
	p := k.table.get(id)
	if p == nil {
		rec, err := k.cfg.Store.Process(ctx, id)
		switch {
		case err != nil:
			return nil, err
		case rec.Outcome != nil:
			return rec, nil
		case rec.State != process.Idle && k.isClosed():
			return nil, process.ErrClosed // left to the next host
		case rec.State != process.Idle:
			return k.Wait(ctx, id) // run since the table was looked at
		}
		return nil, process.Errorf(process.CodeNotRunning, "process %d has not been run", id)
	}
	p.mu.Lock()
	p.waiters++
	p.mu.Unlock()
	select {
	case <-p.done:
	case <-ctx.Done():
		select {
		case <-p.done: // both at once: tell what is known
		default:
			p.mu.Lock()
			p.waiters--
			p.mu.Unlock()
			return nil, context.Cause(ctx)
		}
	}
	rec := p.view.Load()
	if rec.Outcome == nil { // still queued: the kernel closed, the next host runs it
		return nil, process.ErrClosed
	}
	if rec.Lifecycle == process.LifecycleZombie {
		k.reapNow(ctx, p)
	}
	return p.view.Load(), nil
}
