package supervisor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// errMaxRestarts ends a supervisor whose children fail too often.
var errMaxRestarts = errors.New(ReasonMaxRestarts)

// ended decides what follows from the end of a child that nobody asked for.
func (r *run) ended(ctx context.Context, e *end) error {
	c := e.child
	if e.rec != nil {
		c.run = e.rec.Number
	}
	if c.restarts == 0 && unstartable(e) {
		return fmt.Errorf("child %q could not be started: %s", c.Name, e.reason())
	}
	if !e.again() {
		return nil
	}
	return r.restart(ctx, c, cause{at: e.at(), why: e.reason(), host: e.withHost()})
}

// cause is why a child is run again.
type cause struct {
	at   time.Time // of its end
	why  string
	host bool // it ended with its host: that is no failure of its own
}

// restart plans to run a child again, with those that the strategy says, and ends
// these meanwhile. The plan is kept first: a later host goes on with it.
func (r *run) restart(ctx context.Context, c *child, why cause) error {
	if !c.since.IsZero() && why.at.Sub(c.since) > r.tree.window {
		c.failures = 0
	}
	if !why.host && !r.allow(c, why.at) {
		times := fmt.Sprintf("%d restarts", r.tree.max)
		if r.tree.max == 1 {
			times = "1 restart"
		}
		return fmt.Errorf("%w: child %q ended once more (%s) after %s within %v", errMaxRestarts, c.Name, why.why, times, r.tree.window)
	}
	c.failures++
	delay := r.tree.backoff.delay(c.failures, r.env.cfg.Random())
	delay = max(0, delay-time.Since(why.at))
	r.host.Emit(process.LabelUpdated{Label: fmt.Sprintf("%s ended (%s): restart in %v", c.Name, why.why, delay.Round(time.Millisecond))})
	group := r.group(c)
	plan(group, c, delay)
	r.tell(group...)
	r.end(ctx, group)
	plan(group, c, delay) // from now on
	return nil
}

// plan says who of a group is to be run again when.
func plan(group []*child, c *child, delay time.Duration) {
	due := time.Now().Add(delay)
	for _, g := range group {
		if g.because = c.id; g.Restart != api.Temporary || g == c {
			g.due = due
		}
	}
}

// allow takes note of an end that a child is to be run again after, and reports
// whether it may be. Ends of which nobody knew come in any order.
func (r *run) allow(c *child, at time.Time) bool {
	n := 0
	for _, o := range r.children {
		o.recent = slices.DeleteFunc(o.recent, func(t time.Time) bool { return at.Sub(t) > r.tree.window })
		for _, t := range o.recent {
			if t.Sub(at) <= r.tree.window {
				n++
			}
		}
	}
	if n >= r.tree.max {
		return false
	}
	c.recent = append(c.recent, at)
	return true
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
	return e.rec == nil || e.rec.ExitState == process.ExitFailed || e.rec.ExitState == process.ExitTimeout || e.withHost()
}

// withHost reports whether a child ended because its host did.
func (e *end) withHost() bool {
	rec := e.rec
	return rec != nil && (rec.Error == process.ErrHostExited ||
		rec.ExitState == process.ExitCanceled && rec.Exit != nil && rec.Exit.Reason == process.ReasonHostStopped)
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
	return o != nil && o.Outcome != nil && o.Outcome.Reason != nil && o.Outcome.Reason.Kind == process.FailSpawn && !e.withHost()
}
