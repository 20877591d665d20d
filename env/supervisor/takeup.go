package supervisor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// A run that an earlier host has left is taken up as it stands: what was told of
// its children (memo) and their records say what was done and what was not.
//
//	the child's record       what was told         it is
//	─────────────────        ─────────────         ──────────────────────────────
//	none                     –                     started: it never was
//	idle                     due, no cause         started: it was about to be
//	idle                     due                   started when that is due
//	idle                     –                     treated as having ended when it did
//	not idle                 ended by a cause      ended, as was begun; then as above
//	not idle, or of a        –                     awaited
//	later run than told

// begin finds out what there is of the children, and does what an earlier host had
// begun with them; before that, a run that it left paused waits to be resumed.
func (r *run) begin(ctx context.Context, in env.Input) error {
	if !in.Reattach {
		return r.lookUp(in.Earlier)
	}
	if err := r.takeUp(in.Earlier, in.Run); err != nil {
		return err
	}
	if in.Paused {
		r.stand(ctx)
	}
	r.endDoomed(ctx)
	return nil
}

// lookUp finds out which processes a new run of the supervisor has, by what an
// earlier one told, and tells that it is about to start them: a later host then
// knows of each whether that was done.
func (r *run) lookUp(output map[string]any) error {
	if output == nil {
		return nil
	}
	records, err := r.records()
	if err != nil {
		return err
	}
	for _, c := range r.children {
		if rec := records[recall(output, c.Name).Process]; rec != nil {
			c.id, c.run, c.due = rec.ID, rec.Number, time.Now()
		}
	}
	r.tell(r.children...)
	for _, c := range r.children {
		c.due = time.Time{}
	}
	return nil
}

// takeUp learns what an earlier host has left of a run of the supervisor. Nothing
// is started or ended yet.
func (r *run) takeUp(output map[string]any, number int) error {
	records, err := r.records()
	if err != nil {
		return err
	}
	told := make([]*process.Process, len(r.children))
	for i, c := range r.children {
		told[i] = records[recall(output, c.Name).Process]
	}
	for _, rec := range told {
		if rec != nil {
			delete(records, rec.ID)
		}
	}
	for i, c := range r.children {
		m, rec := recall(output, c.Name), told[i]
		if rec == nil {
			if rec = untold(records, c); rec == nil {
				continue
			}
			delete(records, rec.ID)
			if m = (memo{Run: rec.Number}); number > 1 && output == nil {
				m.Due = time.Now() // it is from an earlier run: lookUp comes before the first start
			}
		}
		if latest := time.Now().Add(r.tree.backoff.max); m.Due.After(latest) {
			m.Due = latest // the clock was set back
		}
		c.takeUp(m, rec)
		if !c.fresh {
			r.follow(c, rec)
		}
	}
	slices.SortStableFunc(r.backlog, func(a, b end) int { return a.at().Compare(b.at()) })
	return nil
}

// records are those of the children, by id.
func (r *run) records() (map[process.ID]*process.Process, error) {
	all, err := r.host.Children(r.bg)
	if err != nil {
		return nil, fmt.Errorf("look for the children: %w", err)
	}
	records := make(map[process.ID]*process.Process, len(all))
	for i := range all {
		records[all[i].ID] = &all[i]
	}
	return records, nil
}

// untold finds the process of a child of which nothing was told: its host died
// when it had just been made. Those were made in the order of the children.
func untold(records map[process.ID]*process.Process, c *child) (found *process.Process) {
	for _, rec := range records {
		if rec.Label == c.Spec.Label && rec.Environment == c.Spec.Environment && (found == nil || rec.ID < found.ID) {
			found = rec
		}
	}
	return found
}

// takeUp makes what an earlier host knew of a child what this one knows.
func (c *child) takeUp(m memo, rec *process.Process) {
	c.taken, c.fresh = true, false
	c.id, c.run, c.since = rec.ID, rec.Number, rec.StartedAt
	c.restarts, c.failures, c.recent, c.due, c.because = m.Restarts, m.Failures, m.Recent, m.Due, m.Because
	switch {
	case rec.Number > m.Run: // it was started as planned, and that was not told
		if c.due, c.because = (time.Time{}), 0; m.Because != 0 {
			c.restarts++
		}
	case c.because == 0 && !c.due.IsZero():
		c.fresh, c.due = rec.State == process.Idle, time.Time{}
	}
}

// follow has the end of a child told that runs, or has ended with nobody there to
// decide what follows.
func (r *run) follow(c *child, rec *process.Process) {
	if rec.State != process.Idle {
		r.watch(c)
		return
	}
	ended, err := r.host.Await(r.bg, c.id) // which does not wait; the process is then seen to
	if c.because == 0 {
		r.backlog = append(r.backlog, end{child: c, rec: cmp.Or(ended.Process, rec), err: err})
	}
}

// endDoomed ends the children whose end an earlier host had begun, or was about to.
func (r *run) endDoomed(ctx context.Context) {
	var doomed []*child
	for _, c := range r.children {
		if c.alive && c.because != 0 {
			doomed = append(doomed, c)
		}
	}
	r.end(ctx, doomed)
}

// at is when the child ended: what ended while nobody was there did so then.
func (e *end) at() time.Time {
	now := time.Now()
	if e.child.taken && e.rec != nil && !e.rec.CompletedAt.IsZero() && e.rec.CompletedAt.Before(now) {
		return e.rec.CompletedAt
	}
	return now
}

// detached reports whether the run goes on under another host.
func detached(ctx context.Context) bool { return context.Cause(ctx) == env.ErrDetached }

// detach lets go of the children, which go on as they are.
func (r *run) detach() (env.Result, error) {
	r.letGo()
	for _, c := range r.children {
		if c.alive {
			<-r.ends // of the wait
		}
	}
	return env.Result{}, env.ErrDetached
}
