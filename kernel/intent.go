package kernel

import (
	"context"
	"strings"
	"time"

	"github.com/reeverun/reeve/process"
)

// intent is what an earlier host had begun to do to a run, as the run's events
// tell: whoever asked for it was told that it will be done.
type intent struct {
	cause  error // process.ErrCanceled, process.ErrTimeout or process.ErrBudget
	why    string
	now    bool      // by force
	tree   bool      // and to all below it
	halted bool      // it was paused
	at     time.Time // when that began
}

// readHistory reads, from the events of a run that may be ending, what was meant
// to be done to it, and whether its exit was told.
func (k *Kernel) readHistory(ctx context.Context, t *taken) error {
	if s := t.rec.State; s == process.Idle || s == process.Running && t.held.Ended.IsZero() || s == process.Queued && !t.rec.Claimed {
		return nil
	}
	var i intent
	paused := false
	for e, err := range k.eventsOf(ctx, t.rec) {
		if err != nil {
			return err
		}
		if begins, cause := i.add(e.Data); begins {
			i.cause, i.at, i.halted = cause, e.At, paused
		}
		switch e.Data.(type) {
		case process.Paused:
			paused = true
		case process.Resumed:
			paused = false
		case process.Exited:
			t.exited = true
		}
	}
	if i.cause != nil {
		t.intent = &i
	}
	return nil
}

// add takes in an event, and reports whether it is what began it.
func (i *intent) add(d process.Payload) (begins bool, cause error) {
	switch d := d.(type) {
	case process.Cancelled:
		i.now, i.tree = i.now || d.Now, i.tree || d.Tree
		return i.cause == nil || i.cause == process.ErrTimeout, process.ErrCanceled
	case process.TimedOut:
		return i.cause == nil, process.ErrTimeout
	case process.SignalDelivered:
		i.now = i.now || d.Action == process.ActionKill
	case process.WarningDetected:
		if strings.TrimPrefix(d.Code, "reeve.") == process.ReasonBudget {
			i.why = d.Message
			return i.cause == nil, process.ErrBudget
		}
	}
	return false, nil
}

// intend makes an earlier host's intent this one's. Nobody else has the run yet.
func (p *proc) intend(i *intent) {
	if p.intent = i; i == nil {
		return
	}
	p.cause, p.halted = i.cause, i.halted
	switch i.cause {
	case process.ErrTimeout:
		p.timedOut = true
	case process.ErrBudget:
		p.overspent = i.why
	default:
		p.canceled, p.killTree = true, i.tree
	}
}

// carryOn does what the intent was to a run that its environment has just taken
// up: it is asked again, since nobody knows whether it was, and has what is left
// of its grace. p.mu is held.
func (p *proc) carryOn() {
	if p.killed { // before its environment had it
		p.later(0, p.killAgain)
	}
	i := p.intent
	if i == nil {
		return
	}
	p.asked = true
	p.cancel(i.cause) // at once: it must not go on with anything
	if i.now {
		p.later(0, p.force)
		return
	}
	if grace := p.grace(KillOptions{}); grace > 0 {
		p.later(max(0, grace-time.Since(i.at)), p.force)
	}
}

// carryOutBelow ends what was to be ended with what is above it, and may have
// been born, or not been told, when the earlier host died.
func (k *Kernel) carryOutBelow(r recovery) {
	for _, t := range r.all {
		if t.intent == nil || !t.intent.tree {
			continue
		}
		o := KillOptions{Now: t.intent.now}
		for _, c := range k.table.doomedWith(t.proc, o.Now) {
			o.members = c.members()
			c.stop(process.ErrCanceled, o, nil)
		}
	}
}
