package kernel

import (
	"context"
	"errors"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// pause holds the run where it stands and reports whether it did not before.
// The clock stops when the environment says that nothing executes any more.
func (p *proc) pause(ctx context.Context, now bool) (changed bool, err error) {
	if ts := p.tracers.Load(); ts != nil {
		defer ts.begin("Pause", "now", now).end(&err)
	}
	e, ok := p.env.Environment.Environment.(env.Pauser)
	if !ok {
		return false, process.Errorf(process.CodeInvalid,
			"process %d cannot be paused: the environment %q has no way to", p.id, p.env.name)
	}
	p.pausing.Lock()
	defer p.pausing.Unlock()
	hold, held, err := p.beginPause(ctx)
	if hold == nil {
		return false, err
	}
	var recorded <-chan error
	if err = e.Pause(hold, p.id, now); err == nil {
		recorded, err = p.endPause(e)
	} else {
		err = p.unpaused(err)
	}
	held()
	if err != nil {
		return false, err
	}
	return true, p.k.acknowledged(ctx, recorded)
}

// beginPause returns the context of a pause, which is over when the run shall
// end, and what releases it; nil if there is nothing to pause.
func (p *proc) beginPause(ctx context.Context) (context.Context, func(), error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.pausable(); err != nil || p.rec.Paused {
		return nil, nil, err
	}
	// Not the caller's: one that goes away does not leave a tree half paused.
	hold, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	p.giveUp = giveUp
	p.calls.Add(1)
	return hold, func() {
		p.mu.Lock()
		p.giveUp = nil
		p.mu.Unlock()
		giveUp()
		p.calls.Done()
	}, nil
}

// endPause records that the environment has paused the run, unless that has
// been overtaken, and returns what tells when it is committed.
func (p *proc) endPause(e env.Pauser) (<-chan error, error) {
	recorded := make(chan error, 1)
	p.mu.Lock()
	err := p.pausable()
	if err == nil {
		p.notePause(func(err error) { recorded <- err })
	}
	p.mu.Unlock()
	if err != nil {
		return nil, errors.Join(err, e.Resume(p.id))
	}
	return recorded, nil
}

// unpaused is the error of a pause that did not come to be. One that was given
// up because the run ends says that.
func (p *proc) unpaused(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ending := p.pausable(); ending != nil {
		return ending
	}
	return p.refused("paused", err)
}

// pausable returns nil if the run executes and shall go on to; p.mu is held.
func (p *proc) pausable() error {
	if err := p.executing(); err != nil {
		return err
	}
	if p.shallEnd() {
		return notRunning(p.id, "is being ended")
	}
	if p.k.closing.Load() {
		return process.ErrClosed
	}
	return nil
}

// notePause stops the clock and records the pause; p.mu is held.
func (p *proc) notePause(done func(error)) {
	p.rec.Paused, p.rec.PausedAt = true, p.k.now()
	p.tick()
	p.readClock(&p.rec.Usage) // for a host that takes it up
	p.record(done, process.Paused{})
}

// resume lets a paused run go on and reports whether it was paused. It is
// recorded first, so that nothing the run does comes before it.
func (p *proc) resume(ctx context.Context) (changed bool, err error) {
	if ts := p.tracers.Load(); ts != nil {
		defer ts.begin("Resume").end(&err)
	}
	p.pausing.Lock()
	defer p.pausing.Unlock()
	if a := p.asksAbove(); a != nil {
		return false, overBudget("process %d goes on when more of the budget of process %d is approved: see the approvals", p.id, a.owner.id)
	}
	recorded := make(chan error, 1)
	p.mu.Lock()
	if err := p.executing(); err != nil || !p.rec.Paused {
		p.mu.Unlock()
		return false, err
	}
	p.goOn()
	p.record(func(err error) { recorded <- err }, process.Resumed{})
	p.calls.Add(1)
	p.mu.Unlock()
	err = p.env.Environment.Environment.(env.Pauser).Resume(p.id)
	if err != nil {
		p.stillPaused()
	}
	p.calls.Done()
	if err != nil {
		return false, p.refused("resumed", err)
	}
	return true, p.k.acknowledged(ctx, recorded)
}

// stillPaused takes a resume back that did not come to be.
func (p *proc) stillPaused() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.executing() == nil && !p.shallEnd() {
		p.notePause(nil)
	}
}

// goOn ends a pause; p.mu is held.
func (p *proc) goOn() {
	p.rec.Paused, p.rec.PausedAt = false, time.Time{}
	p.tick()
	p.readClock(&p.rec.Usage) // for a host that takes it up
}

// tick has the clock stand while the run is paused or a person has to decide,
// and go on when neither is so; the timeout then has what it had left. p.mu is
// held.
func (p *proc) tick() {
	now := time.Now()
	switch stand := p.rec.Paused || p.asking > 0; {
	case stand == p.clock.stands():
	case stand:
		p.clock.pause(now)
		if p.deadline != nil {
			p.deadline.Stop()
		}
		p.armWall()
		p.armPulse(0)
	default:
		stood := now.Sub(p.clock.pausedAt)
		p.clock.resume(now)
		if p.deadline != nil {
			p.deadline.Reset(max(0, p.rec.Options.Timeout-p.clock.elapsed(now)))
		}
		p.armWall()
		p.armPulse(stood)
	}
}

// isPaused reports whether the run is paused: it will not end by itself.
func (p *proc) isPaused() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rec.Paused
}
