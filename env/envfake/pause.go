package envfake

import (
	"context"
	"fmt"
	"math"
	"syscall"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// forever is how long a wait lasts that ends by something else.
const forever = time.Duration(math.MaxInt64)

// Signal delivers SIGTERM or SIGINT to a script.
func (e *Env) Signal(eid process.ID, s process.Signal) error {
	p := e.player(eid)
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ignore {
		return nil
	}
	select {
	case p.fatal <- s:
	default: // it has one already
	}
	return nil
}

// Pause holds a script; now makes no difference, its steps are short.
func (e *Env) Pause(ctx context.Context, eid process.ID, _ bool) error {
	p := e.player(eid)
	if p == nil {
		return process.ErrNotRunning
	}
	p.acting.Lock() // when the step is done, or waits
	defer p.acting.Unlock()
	p.setPaused(true)
	if ctx.Err() != nil || p.ctx.Err() != nil {
		p.setPaused(false)
		return process.ErrNotRunning
	}
	return nil
}

// Resume lets a script go on.
func (e *Env) Resume(eid process.ID) error {
	if p := e.player(eid); p != nil {
		p.setPaused(false)
	}
	return nil
}

func (e *Env) player(eid process.ID) *player {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.players[eid]
}

func (p *player) setPaused(to bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paused != to {
		p.paused = to
		close(p.change)
		p.change = make(chan struct{})
	}
}

func (p *player) state() (paused bool, change <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.paused, p.change
}

func (p *player) onSignal(trap *int, ignore bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trap, p.ignore = trap, ignore
}

// standStill returns when the script may act: it is not paused, or shall end.
func (p *player) standStill() {
	for {
		paused, change := p.state()
		if !paused || p.ctx.Err() != nil {
			return
		}
		p.acting.Unlock()
		select {
		case <-change:
		case <-p.ctx.Done():
		case <-p.killed:
			p.acting.Lock()
			return
		}
		p.acting.Lock()
	}
}

// waitOnly waits for one thing, paused or not.
func (p *player) waitOnly(c <-chan struct{}) {
	p.acting.Unlock()
	<-c
	p.acting.Lock()
}

// wait waits for d, in which pauses do not count, or for a gate. over says that
// the script was stopped before that.
func (p *player) wait(d time.Duration, gate <-chan struct{}) (res env.Result, err error, over bool) {
	p.acting.Unlock()
	defer p.acting.Lock()
	for {
		paused, change := p.state()
		since, timer, open, fatal := time.Now(), time.NewTimer(d), gate, p.fatal
		if paused {
			timer.Stop()
			open, fatal = nil, nil
		}
		select {
		case <-change:
			if timer.Stop(); !paused {
				d -= time.Since(since)
			}
			continue
		case <-timer.C:
			return res, nil, false
		case <-open:
			timer.Stop()
			return res, nil, false
		case s := <-fatal:
			timer.Stop()
			return p.endBy(s)
		case <-p.ctx.Done():
		case <-p.killed:
		}
		timer.Stop()
		return env.Result{State: process.ExitCanceled}, nil, true
	}
}

// endBy ends the script as a signal ends a program.
func (p *player) endBy(s process.Signal) (env.Result, error, bool) {
	p.mu.Lock()
	trap := p.trap
	p.mu.Unlock()
	if trap != nil {
		return p.exit(*trap)
	}
	sig := syscall.SIGTERM
	if s == process.SIGINT {
		sig = syscall.SIGINT
	}
	exit := process.Exit{Code: 128 + int(sig), Reason: "signal: " + sig.String(), Signal: s.String()}
	p.h.Exited(exit)
	return env.Result{Exit: &exit}, nil, true
}

func (p *player) exit(code int) (env.Result, error, bool) {
	exit := process.Exit{Code: code, Reason: fmt.Sprintf("exit status %d", code)}
	res := env.Result{Exit: &exit}
	if code == 0 {
		exit.Reason, res.State = process.ReasonCompleted, process.ExitSuccess
	}
	p.h.Exited(exit)
	return res, nil, true
}
