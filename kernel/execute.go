package kernel

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
)

// errVanished is the outcome of a run whose goroutine left without one.
var errVanished = errors.New(process.ReasonVanished)

// errHung is the outcome of a run that did not end when it was killed.
var errHung = errors.New("the environment did not end the run when it was killed")

// start executes a claimed run, unless it was killed in the meantime. It does
// not block.
func (k *Kernel) start(p *proc) {
	p.mu.Lock()
	if !p.queued() {
		p.mu.Unlock()
		p.freeSlot()
		return
	}
	var ctx context.Context
	ctx, p.cancel = context.WithCancelCause(context.Background())
	p.mu.Unlock()
	go k.execute(ctx, p) // k.runs counts the run until its end is committed
}

// execute is the goroutine of a run. However the environment leaves it
// (return, panic, Goexit), the run is resolved.
func (k *Kernel) execute(ctx context.Context, p *proc) {
	var res env.Result
	err := errVanished
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
			k.log.Error("environment panicked", "process", p.id, "environment", p.env.name, "panic", r)
		}
		if errors.Is(err, env.ErrDetached) {
			p.detach()
		}
		p.resolve(res, err, true)
	}()
	in := p.input()
	if p.requeued {
		in.Earlier = k.outputBefore(ctx, p)
	}
	res, err = p.env.Execute(ctx, in, p.host())
}

// resolve takes the run's answer, once, and ends the run: both logs read to
// their end, the interpreter's exit hook, the verdict, reaped, finalized.
// answered says that the environment has answered, not that it was given up on.
func (p *proc) resolve(res env.Result, err error, answered bool) {
	p.mu.Lock()
	if p.resolved {
		left := p.left
		p.mu.Unlock()
		if left != nil {
			p.calls.Wait()
			left()
		}
		return
	}
	p.resolved, p.hung = true, !answered
	p.stopTimers()
	now := time.Now()
	if !res.Ended.IsZero() {
		now = p.clock.at(res.Ended, now)
	}
	p.clock.stop(now)
	p.armWall()
	if p.giveUp != nil {
		p.giveUp()
	}
	p.abandon()
	pump := p.pump
	v := p.judge(res, err)
	p.mu.Unlock()

	p.k.chargeCPU(p, millis(res.Usage.CPUMS))
	_ = p.k.charge(p, res.Usage.Tokens, 0)
	p.cancel(nil)
	if answered {
		p.calls.Wait() // a kill or signal under way must not reach the next run
	}
	p.freeSlot()
	var session *interpret.Session
	if pump != nil {
		session = pump.finish()
	}
	p.conclude(v, session)
}

// conclude records the end of the run. A child whose living parent has not
// waited for it stays a zombie; everything else is reaped at once.
func (p *proc) conclude(v verdict, session *interpret.Session) {
	var events []process.Payload
	var ev interpret.Evidence
	if session != nil {
		events = session.Exit(v.exit)
		ev = session.Evidence()
	}
	for _, f := range v.findings {
		f.At = p.k.now()
		events, ev.Findings = append(events, process.FindingEmitted{Finding: f}), append(ev.Findings, f)
	}
	p.finish(v, events, ev)
}

// finish records the verdict with its evidence, after the last events.
func (p *proc) finish(v verdict, events []process.Payload, ev interpret.Evidence) {
	outcome := v.outcome(ev)
	seal := p.endLog(v.spawnErr)
	keep := p.heldForParent()
	var r *reaping
	if !keep && p.claimReap() {
		r = p.release()
	}
	p.mu.Lock()
	p.partials = [2]partial{}
	p.settleRecord(v, outcome, ev)
	if r != nil {
		events = append(events, r.bury())
	}
	events = append(events, process.Finalized{Outcome: outcome})
	p.recordEnd(seal, func(error) {
		seal() // a journal that was closed did not
		p.over(!keep)
	}, events...)
	p.mu.Unlock()
	if keep && p.k.table.parentOf(p) == nil { // the parent ended meanwhile
		p.k.adopt(0, []*proc{p})
	}
}

// settleRecord writes the verdict into the record and takes the run to
// zombie, from wherever it is; p.mu is held.
func (p *proc) settleRecord(v verdict, o process.Outcome, ev interpret.Evidence) {
	r := &p.rec
	r.State, r.Claimed, r.Ahead = process.Idle, false, false
	r.Paused, r.PausedAt = false, time.Time{}
	r.ExitState, r.Error, r.Exit, r.Outcome = v.state, v.err, &v.exit, &o
	r.CompletedAt = p.k.now()
	if t := p.clock.stopped; !t.IsZero() { // when it ended, not when all was told: another may have its slot
		r.CompletedAt = r.CompletedAt.Add(time.Until(t))
	}
	if r.CompletedAt.Before(r.StartedAt) { // somebody has set the clock back
		r.CompletedAt = r.StartedAt
	}
	v.usage.Tokens += r.Usage.Tokens
	r.Usage = v.usage
	p.readClock(&r.Usage)
	p.k.sampler.leave(p)
	if ev.Progress.Kind != "" {
		r.Progress = ev.Progress
	}
	r.Phase = nil
	for r.Lifecycle < process.LifecycleZombie {
		r.Lifecycle++
	}
}

// over is called when the end of the run is committed, or the run has no end
// to record: its create failed, or it is left to the next host.
func (p *proc) over(reaped bool) {
	p.ending.Do(func() {
		p.k.sampler.leave(p)
		p.feed.end()
		if v := p.view.Load(); v.Outcome != nil && v.Number == p.rec.Number { // not an earlier run's
			p.env.forget(p.id, p.rec.Number)
			p.observe(context.Background(), Finished)
		}
		p.k.active.Add(-1) // before anybody can find it over
		if reaped {
			p.leave()
		}
		close(p.done)
		p.k.runs.Done()
	})
}

func (p *proc) freeSlot() {
	p.mu.Lock()
	had := p.slot
	p.slot = false
	p.mu.Unlock()
	if had {
		p.env.pool.free()
	}
}

// endLog notes how long the run's output is and returns what ends its log, for
// the journal to call when it has indexed the last lines: a short run then costs
// no commit for them alone. Where ending the log takes time, that is not left to
// the journal.
func (p *proc) endLog(unstarted bool) (seal func()) {
	log := p.log
	if log == nil {
		return func() {}
	}
	out, errs := log.Size(rawlog.Stdout), log.Size(rawlog.Stderr)
	p.mu.Lock()
	p.rec.StdoutBytes, p.rec.StderrBytes = out, errs
	p.mu.Unlock()
	// A run that could not be started leaves no empty files.
	seal = sync.OnceFunc(func() { p.closeLog(log, unstarted && out+errs == 0) })
	if policy(p.rec.RawOutput) != rawlog.KeepFile {
		p.pump.settle()
		seal()
	}
	return seal
}

// closeLog ends the run's log: nothing writes to it any more.
func (p *proc) closeLog(log *rawlog.Log, remove bool) {
	if err := log.Finish(); err != nil {
		p.k.log.Error("finish output", "process", p.id, "error", err)
	}
	if !remove {
		return
	}
	if err := p.k.cfg.Logs.Remove(int64(p.id), p.rec.Number); err != nil {
		p.k.log.Error("remove empty output", "process", p.id, "error", err)
	}
}
