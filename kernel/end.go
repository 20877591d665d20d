package kernel

import (
	"cmp"
	"context"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// end is stop for a run that has left the queue; p.mu is held.
func (p *proc) end(cause error, o KillOptions, done func(error)) bool {
	switch {
	case p.isOver() || p.dropped:
		return false
	case cause == process.ErrTimeout && p.clock.stands():
		return false // it fired as the clock was stopped; tick sets it again
	}
	first := !p.shallEnd()
	var events []process.Payload
	switch {
	case cause == process.ErrTimeout && first:
		p.timedOut = true
		events = append(events, process.TimedOut{TimeoutMS: p.rec.Options.Timeout.Milliseconds()})
	case cause == process.ErrBudget && first:
		p.overspent = o.why
		events = append(events, overspent(o.why))
	case cause == process.ErrCanceled && !p.canceled:
		p.canceled = true
		events = append(events, process.Cancelled{Now: o.Now, Tree: !o.Alone, Processes: o.members})
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

func (p *proc) supervises() bool { return p.env.supervises() }

func (e *environment) supervises() bool {
	_, ok := e.Environment.Environment.(env.Supervisor)
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

// killAgain has the environment end a run by force that it did not know when it
// was told to.
func (p *proc) killAgain() {
	p.mu.Lock()
	if p.resolved {
		p.mu.Unlock()
		return
	}
	p.calls.Add(1)
	p.mu.Unlock()
	defer p.calls.Done()
	p.env.Kill(p.id)
}

// askLate asks a run to end that is being ended, and could not be asked when
// that began. p.mu is held, and released.
func (p *proc) askLate(ctx context.Context) (bool, error) {
	recorded := make(chan error, 1)
	p.asked = true
	if p.rec.Paused {
		p.halted = true
		p.goOn()
	}
	p.record(func(err error) { recorded <- err },
		process.SignalDelivered{Signal: process.SIGTERM.String(), Action: process.ActionTerminate})
	p.cancel(p.cause)
	p.mu.Unlock()
	return true, p.k.acknowledged(ctx, recorded)
}
