package kernel

import (
	"cmp"
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
	if err := await(ctx, asked); err != nil {
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
	return await(ctx, shown)
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

// stop begins to end the run because of a cause, process.ErrCanceled or
// process.ErrTimeout. It reports whether there was anything to end; done runs
// when the request is committed. A second cancel only escalates.
func (p *proc) stop(cause error, o KillOptions, done func(error)) bool {
	p.mu.Lock()
	if p.cancel == nil && !p.isOver() && !p.dropped {
		p.canceled, p.resolved = true, true // from here on it neither starts nor has children
		p.env.pool.drop(p)
		p.mu.Unlock()
		p.endQueued(done)
		return true
	}
	defer p.mu.Unlock()
	return p.end(cause, o, done)
}

// end is stop for a run that has left the queue; p.mu is held.
func (p *proc) end(cause error, o KillOptions, done func(error)) bool {
	switch {
	case p.isOver() || p.dropped:
		return false
	case cause == process.ErrTimeout && p.clock.stands():
		return false // it fired as the clock was stopped; tick sets it again
	}
	first := !p.canceled && !p.timedOut
	var events []process.Payload
	switch {
	case cause == process.ErrTimeout && first:
		p.timedOut = true
		events = append(events, process.TimedOut{TimeoutMS: p.rec.Options.Timeout.Milliseconds()})
	case cause == process.ErrCanceled && !p.canceled:
		p.canceled = true
		events = append(events, process.Cancelled{Now: o.Now, Processes: o.members})
	}
	if cause == process.ErrCanceled && !o.Alone {
		p.killTree = true
	}
	if first {
		p.cause = cause
		if p.rec.Lifecycle == process.LifecycleRunning {
			p.rec.State = process.Terminating
		}
	}
	action := p.askToEnd(first, o)
	if action != "" {
		sig := cmp.Or(o.signal, process.SIGTERM)
		events = append(events, process.SignalDelivered{Signal: sig.String(), Action: action})
	}
	if p.giveUp != nil {
		p.giveUp()
	}
	// Who is asked to end goes on first: not one to be killed as it stands, nor
	// one that is not asked yet.
	asks, paused := action == process.ActionTerminate, p.rec.Paused
	if paused && (asks || o.Now) {
		p.halted = true
		p.goOn()
	}
	p.record(done, events...)
	p.cancelAsks("the run is being ended")
	if asks || o.Now && !paused {
		p.asked = true
		p.cancel(p.cause)
	}
	switch {
	case o.Now:
		go p.force()
	case first:
		grace := p.grace(o)
		if grace == 0 && !asks { // nobody tells it to end
			grace = p.k.cfg.Grace
		}
		if grace > 0 {
			p.later(grace, p.force)
		}
	}
	return true
}

// grace is how long the run may take to end; 0: as long as it needs, which the
// graces of what is below a supervisor bound.
func (p *proc) grace(o KillOptions) time.Duration {
	if grace := cmp.Or(o.Grace, p.rec.Options.Grace); grace > 0 || p.supervises() {
		return grace
	}
	return p.k.cfg.Grace
}

func (p *proc) supervises() bool {
	_, ok := p.env.Environment.Environment.(env.Supervisor)
	return ok
}

// askToEnd decides what becomes of the signal that a stop begins with, and
// returns the action, empty if there is none: a kill at once asks nobody, and a
// second stop does not ask again. p.mu is held.
func (p *proc) askToEnd(first bool, o KillOptions) string {
	switch {
	case o.Now || p.asked:
		return ""
	case o.signal != 0: // it is what the signal's disposition led to
		return process.ActionTerminate
	case !first:
		return ""
	}
	if action, _ := p.intercept(process.SIGTERM); action != "" {
		return action
	}
	return process.ActionTerminate
}

// force ends the run without asking. The context comes last: who is paused and
// asked goes on.
func (p *proc) force() {
	p.kill()
	p.mu.Lock()
	cause := p.cause
	p.mu.Unlock()
	p.cancel(cause)
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
	v := verdict{state: process.ExitCanceled,
		exit: process.Exit{Code: process.ExitCodeCanceled, Reason: process.ReasonCanceled}}
	o := process.Outcome{Kind: process.OutcomeCancelled}
	p.settleRecord(v, o, interpret.Evidence{})
	p.record(func(err error) {
		p.over(true)
		if done != nil {
			done(err)
		}
	}, process.Cancelled{}, r.bury(), process.Finalized{Outcome: o})
}

func (p *proc) timeout() { p.stop(process.ErrTimeout, KillOptions{}, nil) }

// kill ends the run by force. An environment that does not answer to it is
// given up on.
func (p *proc) kill() {
	p.mu.Lock()
	if p.resolved || p.killed {
		p.mu.Unlock()
		return
	}
	p.killed = true
	if p.rec.Paused {
		p.halted = true
	}
	p.calls.Add(1)
	defer p.calls.Done()
	p.append(&entry{}, false, process.SignalDelivered{Signal: process.SIGKILL.String(), Action: process.ActionKill})
	p.later(giveUpAfter, func() { p.resolve(env.Result{}, errHung, false) })
	p.mu.Unlock()
	p.env.Kill(p.id)
}

// shutdown ends the run because the kernel closes. A queued one stays queued,
// and one that is paused and can go on later paused, for the next host, where
// the store keeps it.
func (p *proc) shutdown(keepQueue bool) {
	p.mu.Lock()
	if keepQueue && p.cancel == nil && p.queued() {
		p.dropped = true
		p.env.pool.drop(p)
		p.rec.Claimed, p.rec.Ahead = false, false
		p.append(&entry{done: func(error) { p.over(true) }}, true)
		p.mu.Unlock()
		return
	}
	if keepQueue && p.outlives() {
		p.leaveBehind()
		p.mu.Unlock()
		return
	}
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
