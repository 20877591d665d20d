package kernel

import (
	"context"
	"sync"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
)

// A paused run of an env.Resumable environment outlives its host: a host that
// closes leaves it as it is, one that dies cannot help it, and the next one
// takes it up where it stands.

// resumable reports whether the runs of an environment can go on under another
// host.
func (e *environment) resumable() bool {
	_, ok := e.Environment.Environment.(env.Resumable)
	return ok
}

// reattachable reports whether a run of an earlier host goes on under this one.
func (k *Kernel) reattachable(rec *process.Process) bool {
	e, ok := k.envs[rec.Environment]
	return ok && e.resumable() && rec.State == process.Running && rec.Paused
}

// outlives reports whether the run is left to the next host; p.mu is held.
func (p *proc) outlives() bool {
	return p.rec.Paused && p.env.resumable() && p.executing() == nil && !p.shallEnd()
}

// leaveBehind ends what this host has of the run, and nothing is recorded of
// that: it is as paused as before. p.mu is held.
func (p *proc) leaveBehind() {
	p.dropped, p.resolved = true, true // so that nothing it still says is heard
	p.stopTimers()
	p.abandon()
	p.left = sync.OnceFunc(p.settleLeft)
	hung := time.AfterFunc(giveUpAfter, p.left)
	p.timers = append(p.timers, hung)
	p.calls.Add(1)
	go func() {
		defer p.calls.Done()
		p.env.Kill(p.id) // as it stands
		p.cancel(process.ErrCanceled)
	}()
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
		pump.finish()
		pump.settle()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.partials = [2]partial{}
	p.record(func(error) { p.over(true) })
}

// reattach takes up a run that an earlier host has left paused. It is paused
// still, and since the same time. What it returns tells when that is stored.
func (k *Kernel) reattach(p *proc, waited []process.Approval) <-chan error {
	p.strand(waited)
	slot := k.table.parentOf(p) == nil && p.env.pool.take()
	log := k.takeUp(p)
	stored := make(chan error, 1)
	var ctx context.Context
	p.mu.Lock()
	p.reattached, p.reattaching, p.slot = true, true, slot
	p.clock.restore(p.rec.Usage, p.rec.PausedAt, time.Now())
	if t := p.rec.Options.Timeout; t > 0 {
		p.deadline = p.later(t, p.timeout)
		p.deadline.Stop() // tick sets it when the clock goes on
	}
	p.startPulse()
	p.armPulse(0)
	p.armSampler()
	if log != nil {
		p.log = log
		p.pump = newPump(p)
		p.pump.takeUp()
		p.pump.start()
	}
	ctx, p.cancel = context.WithCancelCause(context.Background())
	p.record(func(err error) { stored <- err }, process.Reattached{})
	p.mu.Unlock()
	go k.execute(ctx, p) // k.runs counts the run until its end is committed
	return stored
}

// takeUp returns the log of an earlier host's run; nil: none is kept, and one is
// made when it is needed.
func (k *Kernel) takeUp(p *proc) *rawlog.Log {
	keep := policy(p.rec.RawOutput)
	if !keep.OnDisk() {
		return nil
	}
	log, err := k.cfg.Logs.Recover(int64(p.id), p.rec.Number, keep, p.rec.LastSeq)
	if err != nil {
		k.log.Error("take up output", "process", p.id, "error", err)
		return nil
	}
	return log
}
