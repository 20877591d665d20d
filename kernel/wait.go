package kernel

import (
	"context"

	"github.com/reeverun/reeve/process"
)

// Wait returns the outcome of a process's newest run, when it has one; any
// number of callers may wait, before or after the end. A process that never
// ran and is not queued is process.ErrNotRunning.
func (k *Kernel) Wait(ctx context.Context, id process.ID) (*process.Process, error) {
	rec, err := k.wait(ctx, id)
	return rec, answered(ctx, "Wait", id, err)
}

func (k *Kernel) wait(ctx context.Context, id process.ID) (*process.Process, error) {
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
			return k.wait(ctx, id) // run since the table was looked at
		}
		return nil, process.Errorf(process.CodeNotRunning, "process %d has not been run", id)
	}
	if err := p.awaitEnd(ctx); err != nil {
		return nil, err
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

// awaitEnd waits for the end of the run, as one of those who make that it need
// not be kept for its parent.
func (p *proc) awaitEnd(ctx context.Context) (err error) {
	p.mu.Lock()
	p.waiters++
	p.mu.Unlock()
	if ts := p.tracers.Load(); ts != nil {
		span := ts.wait()
		defer func() {
			if err != nil {
				span.end(&err, "action", "given up")
				return
			}
			span.end(nil)
		}()
	}
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
	}
	select {
	case <-p.done: // both at once: tell what is known
		return nil
	default:
	}
	p.mu.Lock()
	p.waiters--
	p.mu.Unlock()
	return context.Cause(ctx)
}
