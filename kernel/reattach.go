package kernel

import (
	"context"
	"sync"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
)

// Two kinds of runs outlive their host: those of an env.Reattacher, which go on
// without one, and paused ones of an env.Resumable. A host that closes leaves
// them as they are, one that dies cannot help it, and the next one takes them up
// where they stand.

// taken is a run that an earlier host left.
type taken struct {
	rec    *process.Process
	goesOn bool // it is taken up
	held   env.Held
	intent *intent // nil: none
	exited bool    // its leader's exit was told
	proc   *proc   // once it has entered the table
}

// resumable reports whether the runs of an environment can go on under another
// host.
func (e *environment) resumable() bool {
	_, ok := e.Environment.Environment.(env.Resumable)
	return ok
}

// reattaches reports whether the runs of an environment go on without a host.
func (e *environment) reattaches() bool {
	_, ok := e.Environment.Environment.(env.Reattacher)
	return ok
}

// forget tells an environment that the end of a run is stored.
func (e *environment) forget(id process.ID, run int) {
	if r, ok := e.Environment.Environment.(env.Reattacher); ok {
		r.Forget(id, run)
	}
}

// reattachable reports whether a run of an earlier host goes on under this one
// because it is paused.
func (k *Kernel) reattachable(rec *process.Process) bool {
	e, ok := k.envs[rec.Environment]
	return ok && e.resumable() && rec.State == process.Running && rec.Paused
}

// mayGoOn reports whether a run of an earlier host may have gone on by itself.
func (k *Kernel) mayGoOn(rec *process.Process) bool {
	e, ok := k.envs[rec.Environment]
	return ok && e.reattaches() && rec.State != process.Idle
}

// find says what there is of a run that an earlier host left.
func (k *Kernel) find(ctx context.Context, rec *process.Process) (t *taken, err error) {
	t = &taken{rec: rec, goesOn: k.reattachable(rec)}
	if e, ok := k.envs[rec.Environment]; ok && rec.State != process.Idle {
		if r, ok := e.Environment.Environment.(env.Reattacher); ok {
			t.held, t.goesOn = r.Held(rec.ID, rec.Number)
			t.goesOn = t.goesOn && (rec.State != process.Queued || !t.held.Started.IsZero())
		}
	}
	return t, k.readHistory(ctx, t)
}

// outlives reports whether the run is left to the next host; running says
// whether those are that run. p.mu is held.
func (p *proc) outlives(running bool) bool {
	if p.resolved || p.dropped || p.shallEnd() || p.rec.Lifecycle >= process.LifecycleZombie {
		return false
	}
	if p.env.reattaches() {
		return running && p.cancel != nil
	}
	return p.rec.Paused && p.env.resumable() && p.executing() == nil
}

// endless reports whether it is of no use to wait for the run's end while this
// host is being replaced.
func (p *proc) endless() bool {
	if _, ok := p.env.Environment.Environment.(env.Supervisor); ok {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rec.Paused || p.outlives(true)
}

// leaveBehind ends what this host has of the run, and nothing is recorded of
// that: it is as it was. p.mu is held.
func (p *proc) leaveBehind() {
	detached := p.env.reattaches()
	if detached {
		p.cancel(env.ErrDetached) // before what it waits for is given up, so that it knows why
	}
	p.leaveSeries()
	p.drop()
	hung := time.AfterFunc(giveUpAfter, p.left)
	p.timers = append(p.timers, hung)
	if detached {
		return
	}
	p.calls.Add(1)
	go func() {
		defer p.calls.Done()
		p.env.Kill(p.id) // as it stands
		p.cancel(process.ErrCanceled)
	}()
}

// leaveSeries stores what the run has used so far, for the next host to go on
// with; p.mu is held.
func (p *proc) leaveSeries() {
	p.k.sampler.leave(p)
	if s := p.series; s != nil && s.found && len(s.samples) > 0 {
		e := &entry{lazy: true}
		e.change.Series = []process.UsageSeries{s.shown(p.rec.Number)}
		p.append(e, false)
	}
}

// detach leaves a run behind that another host has taken.
func (p *proc) detach() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.resolved {
		p.drop()
	}
}

// drop has nothing heard of the run any more; p.mu is held.
func (p *proc) drop() {
	p.dropped, p.resolved = true, true
	p.stopTimers()
	p.abandon()
	p.left = sync.OnceFunc(p.settleLeft)
}

// settleLeft stores the rest of what the run wrote, when it is gone from its
// environment or was given up on.
func (p *proc) settleLeft() {
	p.mu.Lock()
	p.stopTimers()
	pump := p.pump
	p.mu.Unlock()
	p.freeSlot()
	if pump != nil {
		pump.leave()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.partials = [2]partial{}
	p.record(func(error) { p.over(true) })
}

// reattach takes up a run that an earlier host has left, with its log, if one is
// kept. If it is paused, it is
// so since the same time. stored tells when that is stored. begin, which has to
// be called, has its environment execute it; a supervisor may then turn to any
// other run.
func (k *Kernel) reattach(t *taken, log *rawlog.Log, waited []process.Approval) (stored chan error, begin func()) {
	p := t.proc
	p.strand(waited)
	slot := k.table.parentOf(p) == nil && p.env.pool.take()
	stored = make(chan error, 1)
	var ctx context.Context
	p.mu.Lock()
	p.reattached, p.foundPaused, p.held, p.slot = true, p.rec.Paused, t.held, slot
	p.intend(t.intent)
	if t.exited {
		p.exited = &process.Exit{} // so that it is not told again
	}
	if log != nil {
		p.log = log
		p.seen = p.rec.LastSeq
		p.pump = newPump(p)
		p.pump.takeUp()
	}
	ctx, p.cancel = context.WithCancelCause(context.Background())
	if p.rec.Lifecycle == process.LifecycleCreated {
		stored <- nil // Started takes it from here
	} else {
		p.goOnFrom(stored)
	}
	p.mu.Unlock()
	return stored, func() {
		p.readOn()
		go k.execute(ctx, p) // k.runs counts the run until its end is committed
	}
}

// readOn has the output of a run read whose start was stored, and listens for
// it: not before, or it would seem silent.
func (p *proc) readOn() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reattaching {
		return
	}
	if p.pump != nil {
		p.pump.start()
	}
	if !p.resolved {
		p.startPulse()
		p.armPulse(0)
	}
}

// goOnFrom sets the clocks of a run whose start was stored; p.mu is held.
func (p *proc) goOnFrom(stored chan<- error) {
	now := time.Now()
	p.reattaching = true
	if p.rec.Paused {
		p.clock.restore(p.rec.Usage, p.rec.PausedAt, now)
	} else {
		p.clock.takeUp(p.rec.Usage, p.rec.StartedAt, now)
	}
	p.armDeadline()
	p.armWall()
	p.armSampler()
	p.record(func(err error) { stored <- err }, p.takenUpEvents()...)
}

// takenUpEvents tell that the run is this host's now, and what of it is lost.
func (p *proc) takenUpEvents() []process.Payload {
	events := []process.Payload{process.Reattached{}}
	if p.env.reattaches() && !policy(p.rec.RawOutput).OnDisk() {
		events = append(events, process.WarningDetected{Code: "reeve.output_lost",
			Message: "its output was kept in the memory of the daemon that started it: what it wrote, and what it writes from now on, is lost"})
	}
	return events
}

// armDeadline sets the timer of the timeout to what is left of it; p.mu is held.
func (p *proc) armDeadline() {
	t := p.rec.Options.Timeout
	if t <= 0 || !p.held.Ended.IsZero() { // it has ended in time, or was not
		return
	}
	p.deadline = p.later(max(0, t-p.clock.elapsed(time.Now())), p.timeout)
	if p.clock.stands() {
		p.deadline.Stop() // tick sets it when the clock goes on
	}
}

// takeUp returns the log of an earlier host's run; nil: none is kept, and one is
// made when it is needed.
func (k *Kernel) takeUp(p *proc) *rawlog.Log {
	keep := policy(p.rec.RawOutput)
	if !keep.OnDisk() || p.supervises() { // which writes nothing
		return nil
	}
	log, err := k.cfg.Logs.Recover(int64(p.id), p.rec.Number, keep, p.rec.LastSeq)
	if err != nil {
		k.log.Error("take up output", "process", p.id, "error", err)
		return nil
	}
	return log
}

// sweepFor bounds how long it may take to end what no record tells of.
const sweepFor = 15 * time.Second

// sweep has environments end what they hold and no record tells of.
func (k *Kernel) sweep(ctx context.Context, r recovery) {
	ctx, cancel := context.WithTimeout(ctx, sweepFor)
	defer cancel()
	type run struct {
		id     process.ID
		number int
	}
	known := make(map[run]bool, len(r.left))
	for _, t := range r.left {
		known[run{t.rec.ID, t.rec.Number}] = true
	}
	for name, e := range k.envs {
		held, ok := e.Environment.Environment.(env.Reattacher)
		if !ok {
			continue
		}
		n := held.Sweep(ctx, func(id process.ID, number int) bool { return known[run{id, number}] })
		if n > 0 {
			k.log.Warn("ended what ran and no record tells of", "environment", name, "runs", n)
		}
	}
}
