package kernel

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/reeverun/reeve/process"
)

// pulse is the heartbeat of a run: when it was heard last, and a timer that
// finds out whether that is too long ago. It only tells: nothing is ended or
// changed on a guess.
//
//	heard ◀──────── hear: recovered ───────┐
//	  └──silence──▶ stalled (said once) ───┘
//
// A run that waits for a child, a tool or a person is not silent, and the time
// in which its clock stands does not count.
type pulse struct {
	every   time.Duration
	heard   atomic.Int64  // since Kernel.epoch
	stalled atomic.Bool   // changed under proc.mu
	since   time.Duration // when it was heard before it stalled; guarded by proc.mu
	timer   *time.Timer   // nil: the run has not started; guarded by proc.mu
}

func newPulse(every time.Duration) *pulse {
	if every <= 0 {
		return nil
	}
	return &pulse{every: every}
}

// hear notes a sign of life; p.mu is not held.
func (p *proc) hear() {
	u := p.pulse
	if u == nil {
		return
	}
	now := time.Since(p.k.epoch)
	u.heard.Store(int64(now))
	if !u.stalled.Load() { // looked at after the store: listen looks in the other order
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.resolved || !u.stalled.CompareAndSwap(true, false) {
		return
	}
	p.append(&entry{lazy: p.unwatched()}, false, process.Recovered{SilentMS: max(0, now-u.since).Milliseconds()})
	if !p.clock.stands() {
		u.timer.Reset(u.every)
	}
}

// silence is how long nothing was heard; p.mu is held.
func (p *proc) silence() time.Duration {
	return max(0, time.Since(p.k.epoch)-time.Duration(p.pulse.heard.Load()))
}

// startPulse begins to listen; p.mu is held.
func (p *proc) startPulse() {
	if u := p.pulse; u != nil {
		u.heard.Store(int64(time.Since(p.k.epoch)))
		u.timer = p.later(u.every, p.listen)
	}
}

// armPulse stops listening while the clock stands, and goes on where it was when
// it does; stood is how long that was. p.mu is held.
func (p *proc) armPulse(stood time.Duration) {
	u := p.pulse
	if u == nil || u.timer == nil {
		return
	}
	if p.clock.stands() {
		u.timer.Stop()
		return
	}
	now := time.Since(p.k.epoch)
	u.heard.Store(int64(min(now, time.Duration(u.heard.Load())+stood)))
	u.since += stood
	if !u.stalled.Load() {
		u.timer.Reset(max(0, u.every-p.silence()))
	}
}

// listen is when the run should have been heard of.
func (p *proc) listen() {
	p.mu.Lock()
	defer p.mu.Unlock()
	u := p.pulse
	if p.resolved || p.shallEnd() || p.clock.stands() || u.stalled.Load() {
		return
	}
	silent := p.silence()
	if len(p.errands) > 0 {
		silent = 0
	}
	if silent < u.every {
		u.timer.Reset(u.every - silent)
		return
	}
	u.since = time.Duration(u.heard.Load())
	u.stalled.Store(true)
	if time.Duration(u.heard.Load()) != u.since { // heard after all
		u.stalled.Store(false)
		u.timer.Reset(u.every)
		return
	}
	p.append(&entry{done: func(err error) {
		if err == nil {
			p.observe(context.Background(), Stalled)
		}
	}}, false, process.Stalled{SilentMS: silent.Milliseconds()})
}
