package kernel

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// The activity that is kept: an hour, minute by minute.
const (
	activityStep  = time.Minute
	activitySteps = 60
)

// census counts processes as they change. It begins when somebody first asks:
// the store is asked to count, from a point in the journal's order, and what the
// journal commits behind that point is added.
type census struct {
	turn chan struct{} // held by who has the store count

	mu     sync.Mutex
	on     bool // it is kept up to date
	ready  bool // it is complete
	counts store.Counts
}

func newCensus() *census { return &census{turn: make(chan struct{}, 1)} }

// changed notes that a process is now as next says, and was as old says; nil is
// one that is not there. Only the journal calls it, in its order.
func (t *census) changed(old, next *process.Process) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.on {
		return
	}
	if old != nil {
		t.add(old, -1)
	}
	if next != nil {
		t.add(next, 1)
		t.happened(old, next)
	}
}

// add counts a process; t.mu is held.
func (t *census) add(p *process.Process, n int) {
	count(t.counts.States, p.State, n)
	count(t.counts.ExitStates, p.ExitState, n)
	count(t.counts.Environments, p.Environment, n)
	if p.Paused && p.State != process.Idle {
		t.counts.Paused += n
	}
}

func count[K comparable](m map[K]int, key K, n int) {
	if m[key] += n; m[key] == 0 {
		delete(m, key)
	}
}

// happened notes a creation, and the end of a run; t.mu is held.
func (t *census) happened(old, next *process.Process) {
	a := &t.counts.Activity
	if old == nil {
		forward(a, next.CreatedAt)
		if i, ok := a.Span(next.CreatedAt); ok {
			a.Created[i]++
		}
	}
	if end := next.CompletedAt; !end.IsZero() && (old == nil || old.CompletedAt.IsZero() || old.Number != next.Number) {
		forward(a, end)
		if i, ok := a.Span(end); ok {
			a.Ended(next.ExitState)[i]++
		}
	}
}

// recent is an activity that ends with the minute of a time.
func recent(now time.Time) process.Activity {
	return process.NewActivity(now.Truncate(activityStep).Add(-(activitySteps-1)*activityStep), activityStep, activitySteps)
}

// forward drops what lies too far back at a time.
func forward(a *process.Activity, now time.Time) {
	from := recent(now).From
	n := int(min(from.Sub(a.From)/activityStep, activitySteps))
	if n <= 0 {
		return
	}
	for _, spans := range [][]int{a.Created, a.Succeeded, a.Failed} {
		copy(spans, spans[n:])
		clear(spans[activitySteps-n:])
	}
	a.From = from
}

// begin starts to count with what is committed from now on. It runs in the
// journal's order.
func (t *census) begin(ctx context.Context, st store.Store, now time.Time) (func() (store.Counts, error), error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	rest, err := st.Count(ctx, recent(now))
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.on, t.ready = true, false
	t.counts = store.Counts{States: map[process.State]int{}, ExitStates: map[process.ExitState]int{}, Environments: map[string]int{}, Activity: recent(now)}
	return rest, nil
}

// complete adds what was there when the count began.
func (t *census) complete(c store.Counts, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		t.on = false
		return
	}
	sum(t.counts.States, c.States)
	sum(t.counts.ExitStates, c.ExitStates)
	sum(t.counts.Environments, c.Environments)
	t.counts.Paused += c.Paused
	forward(&c.Activity, t.counts.Activity.From.Add((activitySteps-1)*activityStep))
	for i := range c.Activity.Created {
		t.counts.Activity.Created[i] += c.Activity.Created[i]
		t.counts.Activity.Succeeded[i] += c.Activity.Succeeded[i]
		t.counts.Activity.Failed[i] += c.Activity.Failed[i]
	}
	t.ready = true
}

func sum[K comparable](into, from map[K]int) {
	for key, n := range from {
		count(into, key, n)
	}
}

// look returns a copy of the counts, and whether they are complete.
func (t *census) look(now time.Time) (store.Counts, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ready {
		return store.Counts{}, false
	}
	a := &t.counts.Activity
	if forward(a, now); a.From.After(now) { // the clock was set back by more than can be shown
		*a = recent(now)
	}
	c := t.counts
	c.States, c.ExitStates, c.Environments = maps.Clone(c.States), maps.Clone(c.ExitStates), maps.Clone(c.Environments)
	c.Activity = process.NewActivity(a.From, a.Step, activitySteps)
	copy(c.Activity.Created, a.Created)
	copy(c.Activity.Succeeded, a.Succeeded)
	copy(c.Activity.Failed, a.Failed)
	return c, true
}
