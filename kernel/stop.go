package kernel

import (
	"context"
	"errors"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/process"
)

// KillOptions says how a process is ended.
type KillOptions struct {
	Now   bool          // SIGKILL at once
	Grace time.Duration // 0: the process's own
	Alone bool          // leave its child processes running

	signal  process.Signal // what it began with; 0: SIGTERM
	why     string         // a budget was used up
	members int            // of the tree, when it was asked for
}

// Kill ends a process: a queued one at once, never executed; a running one by
// SIGTERM and, after the grace, SIGKILL to its whole tree. It returns when the
// request is durable; Wait tells the end. An idle one is
// process.ErrAlreadyIdle.
//
// A program that blocks or handles SIGTERM is not asked by its context; the
// grace runs, and SIGKILL ends it.
func (k *Kernel) Kill(ctx context.Context, id process.ID, o KillOptions) error {
	return answered(ctx, "Kill", id, k.kill(ctx, id, o))
}

func (k *Kernel) kill(ctx context.Context, id process.ID, o KillOptions) (err error) {
	p := k.table.get(id)
	if p == nil {
		if _, err := k.cfg.Store.Process(ctx, id); err != nil {
			return err
		}
		return process.ErrAlreadyIdle
	}
	if ts := p.tracers.Load(); ts != nil {
		defer ts.begin("Kill", "now", o.Now, "tree", !o.Alone).end(&err)
	}
	asked := make(chan error, 1)
	o.members = p.members()
	if !p.stop(process.ErrCanceled, o, func(err error) { asked <- err }) {
		// Nobody is told that it is idle before that can be read.
		select {
		case <-p.done:
			return process.ErrAlreadyIdle
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if !o.Alone {
		// Children born while this walks have a parent that is being killed
		// and are found by the next round.
		for killed := map[*proc]bool{}; ; {
			fresh := 0
			for _, c := range k.table.doomedWith(p, o.Now) {
				if !killed[c] {
					killed[c] = true
					fresh++
					o.members = c.members()
					c.stop(process.ErrCanceled, o, nil)
				}
			}
			if fresh == 0 {
				break
			}
		}
	}
	if err := p.k.acknowledged(ctx, asked); err != nil {
		return err
	}
	return p.leftQueue(ctx)
}

// leftQueue waits for a run that is being started, so that nobody who killed it
// is shown a queued process: it is terminating, or has ended. One that takes
// long to start is not waited for.
func (p *proc) leftQueue(ctx context.Context) error {
	if p.view.Load().State != process.Queued {
		return nil
	}
	if p.awaitStart(ctx) != nil {
		return context.Cause(ctx) // nil: it has ended, or takes long
	}
	shown := make(chan error, 1)
	p.mu.Lock()
	if p.executing() != nil {
		p.mu.Unlock()
		return nil // ended, which is shown before its end is told
	}
	p.record(func(err error) { shown <- err })
	p.mu.Unlock()
	return p.k.acknowledged(ctx, shown)
}

// members counts the operating system's processes of the run, where the
// environment can.
func (p *proc) members() int {
	c, ok := p.env.Environment.Environment.(env.Counter)
	if !ok || p.view.Load().State == process.Idle {
		return 0
	}
	return c.Members(p.id)
}

// Cancel is Kill for callers to whom a finished process is as good.
func (k *Kernel) Cancel(ctx context.Context, id process.ID) error {
	err := k.Kill(ctx, id, KillOptions{})
	if errors.Is(err, process.ErrAlreadyIdle) {
		return nil
	}
	return err
}

// stop begins to end the run because of a cause, process.ErrCanceled,
// process.ErrTimeout or process.ErrBudget. It reports whether there was anything
// to end; done runs when the request is committed. A second cancel only
// escalates.
func (p *proc) stop(cause error, o KillOptions, done func(error)) bool {
	p.mu.Lock()
	if p.cancel == nil && !p.isOver() && !p.dropped {
		if p.resolved = true; cause == process.ErrBudget { // from here on it neither starts nor has children
			p.overspent = o.why
		} else {
			p.canceled = true
		}
		p.env.pool.drop(p)
		p.cancelAsks("the run is being ended")
		p.mu.Unlock()
		p.endQueued(done)
		return true
	}
	defer p.mu.Unlock()
	return p.end(cause, o, done)
}

// queued reports whether the run may still be started; p.mu is held.
func (p *proc) queued() bool {
	return p.rec.Lifecycle == process.LifecycleCreated && !p.resolved && !p.dropped
}

// endQueued ends a run that was never executed, and never will be: it goes
// through all four lifecycle states in one lock hold.
func (p *proc) endQueued(done func(error)) {
	p.claimReap()
	r := p.release()
	p.mu.Lock()
	defer p.mu.Unlock()
	var first process.Payload = process.Cancelled{}
	if p.overspent != "" {
		first = overspent(p.overspent)
	}
	v := p.judge(env.Result{}, nil)
	o := v.outcome(interpret.Evidence{})
	p.settleRecord(v, o, interpret.Evidence{})
	p.recordEnd(nil, func(err error) {
		p.over(true)
		if done != nil {
			done(err)
		}
	}, first, r.bury(), process.Finalized{Outcome: o})
}

func (p *proc) timeout() { p.stop(process.ErrTimeout, KillOptions{}, nil) }

// shutdownAll ends all runs because the kernel closes. Supervisors come before
// what is below them: one that is left to the next host has to do with none of
// that any more, so that it is neither ended by it nor run again.
func (k *Kernel) shutdownAll() {
	seen := map[*proc]bool{}
	for supervised := false; ; supervised = true {
		fresh := 0
		for _, p := range k.table.unsupervised() {
			if !seen[p] {
				seen[p] = true
				fresh++
				p.shutdown(k.cfg.KeepQueue, supervised)
			}
		}
		if fresh == 0 {
			return
		}
	}
}

// shutdown ends the run because the kernel closes. A queued one stays queued,
// and one that is paused and can go on later paused, for the next host, where
// the store keeps it. One that was supervised tells its supervisor why it ended.
func (p *proc) shutdown(keepQueue, supervised bool) {
	p.mu.Lock()
	if keepQueue && p.cancel == nil && p.queued() {
		p.dropped = true
		p.env.pool.drop(p)
		p.cancelAsks("the host is being stopped")
		p.rec.Claimed, p.rec.Ahead = false, false
		p.append(&entry{done: func(error) { p.over(true) }}, true)
		p.mu.Unlock()
		return
	}
	if keepQueue && p.outlives(!p.k.cfg.EndRunning || p.k.followed.Load()) {
		p.leaveBehind()
		p.mu.Unlock()
		return
	}
	p.stopped = supervised && !p.shallEnd()
	p.mu.Unlock()
	p.stop(process.ErrCanceled, KillOptions{}, nil)
}

// waiting reports whether the run stands in a queue, or will.
func (p *proc) waiting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cancel == nil && (!p.rec.Claimed || p.rec.Ahead) && !p.resolved
}

// dropIfStopped takes a run out of the queue that was killed before it got
// there.
func (p *proc) dropIfStopped() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.queued() {
		p.env.pool.drop(p)
	}
}
