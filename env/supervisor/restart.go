package supervisor

import (
	"errors"
	"fmt"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// errMaxRestarts ends a supervisor whose children fail too often.
var errMaxRestarts = errors.New(ReasonMaxRestarts)

// ended decides what follows from the end of a child that nobody asked for.
func (r *run) ended(e *end) error {
	c := e.child
	if c.first && unstartable(e) {
		return fmt.Errorf("child %q could not be started: %s", c.Name, e.reason())
	}
	if !e.again() {
		return nil
	}
	return r.restart(c, e.reason())
}

// restart plans to run a child again, with those that the strategy says, and ends
// these meanwhile.
func (r *run) restart(c *child, reason string) error {
	now := time.Now()
	if !c.since.IsZero() && now.Sub(c.since) > r.tree.window {
		c.failures = 0
	}
	if !r.limit.allow(now) {
		times := fmt.Sprintf("%d restarts", r.tree.max)
		if r.tree.max == 1 {
			times = "1 restart"
		}
		return fmt.Errorf("%w: child %q ended once more (%s) after %s within %v", errMaxRestarts, c.Name, reason, times, r.tree.window)
	}
	c.failures++
	delay := r.tree.backoff.delay(c.failures, r.env.cfg.Random())
	r.host.Emit(process.LabelUpdated{Label: fmt.Sprintf("%s ended (%s): restart in %v", c.Name, reason, delay.Round(time.Millisecond))})
	group := r.group(c)
	r.end(group)
	due := time.Now().Add(delay)
	for _, g := range group {
		if g.Restart != api.Temporary || g == c {
			g.due, g.because = due, c.id
		}
	}
	return nil
}

// group is who is run again with a child, in order.
func (r *run) group(c *child) []*child {
	switch r.tree.strategy {
	case api.OneForAll:
		return r.children
	case api.RestForOne:
		return r.children[c.index:]
	}
	return r.children[c.index : c.index+1]
}

// again reports whether a child is to be run again after an end.
func (e *end) again() bool {
	switch e.child.Restart {
	case api.Permanent:
		return true
	case api.Temporary:
		return false
	}
	return e.rec == nil || e.rec.ExitState == process.ExitFailed || e.rec.ExitState == process.ExitTimeout
}

// reason says how a child ended.
func (e *end) reason() string {
	switch {
	case e.rec == nil:
		return e.err.Error()
	case e.rec.ExitState == process.ExitFailed && e.rec.Error != "":
		return e.rec.Error
	case e.rec.Exit != nil:
		return e.rec.Exit.Reason
	}
	return string(e.rec.ExitState)
}

// unstartable reports whether nothing of a child ran.
func unstartable(e *end) bool {
	o := e.rec
	return o != nil && o.Outcome != nil && o.Outcome.Reason != nil && o.Outcome.Reason.Kind == process.FailSpawn
}
