package supervisor

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// How a supervisor ends.
const (
	ReasonCompleted   = "all children completed"
	ReasonMaxRestarts = "max_restarts_exceeded"
	ReasonCancelled   = "supervisor cancelled"
)

// run is one run of a supervisor. What is not said to be shared belongs to the
// goroutine of Execute.
type run struct {
	env  *Env
	host env.Host
	tree *tree

	children []*child
	ends     chan end        // of children; one that runs has room in it
	backlog  []end           // ends that came while another was waited for
	bg       context.Context // of calls that are made although the run shall end
	letGo    func()          // ends bg

	killed chan struct{}      // closed by kill
	pauses chan chan struct{} // closed when it is paused
	ending chan struct{}      // closed when no pause is taken any more
	left   chan struct{}      // closed when Execute has returned
	gate   chan struct{}      // closed by Resume; nil: it is not paused; guarded by env.mu
	kill   func()
}

// child is a process that the run supervises.
type child struct {
	api.Member
	payload any

	index    int
	id       process.ID // 0: it has never been started
	run      int        // its newest one, as far as is known
	fresh    bool       // it is still to be started, for the first time in this run
	taken    bool       // an earlier host has started it
	alive    bool       // it runs, as far as is known
	since    time.Time  // of its newest start
	restarts int
	failures int         // in a row, for the backoff
	recent   []time.Time // ends of it that count for the limit
	due      time.Time   // when it is to be run again; zero: it is not
	because  process.ID  // whose end ends it, or has; 0: none
}

// end is the end of a child's run.
type end struct {
	child *child
	rec   *process.Process
	err   error // there is no record
}

func newRun(e *Env, t *tree, in env.Input, h env.Host) *run {
	r := &run{env: e, host: h, tree: t, ends: make(chan end, len(t.members)), killed: make(chan struct{}),
		pauses: make(chan chan struct{}), ending: make(chan struct{}), left: make(chan struct{})}
	r.kill = sync.OnceFunc(func() { close(r.killed) })
	payload, _ := in.Payload.(Payload)
	for i, m := range t.members {
		r.children = append(r.children, &child{Member: m, index: i, payload: payload[m.Name], fresh: true})
	}
	return r
}

// supervise is the life of the run.
func (r *run) supervise(ctx context.Context, in env.Input) (env.Result, error) {
	r.bg, r.letGo = context.WithCancel(context.WithoutCancel(ctx))
	defer r.letGo()
	err := r.begin(ctx, in)
	if err == nil {
		err = r.startAll(ctx)
	}
	if err != nil {
		return r.finish(ctx, failure(err), err)
	}
	for {
		if r.over() {
			return r.finish(ctx, env.Result{State: process.ExitSuccess, Exit: &process.Exit{Reason: ReasonCompleted}}, nil)
		}
		e, err := r.next(ctx)
		switch {
		case err != nil:
			return r.finish(ctx, env.Result{State: process.ExitCanceled,
				Exit: &process.Exit{Code: process.ExitCodeCanceled, Reason: ReasonCancelled}}, nil)
		case e != nil:
			err = r.ended(ctx, e)
		default:
			err = r.startDue(ctx)
		}
		if err != nil {
			return r.finish(ctx, failure(err), err)
		}
	}
}

// failure is the result of a run that gives up.
func failure(err error) env.Result {
	exit := &process.Exit{Code: 1, Reason: err.Error()}
	if errors.Is(err, errMaxRestarts) {
		exit.Reason = ReasonMaxRestarts
	}
	return env.Result{Exit: exit}
}

// finish ends what still runs, and the run with it, unless that goes on elsewhere.
func (r *run) finish(ctx context.Context, res env.Result, err error) (env.Result, error) {
	close(r.ending)
	r.end(ctx, r.children)
	if detached(ctx) {
		return r.detach()
	}
	return res, err
}

// over reports whether no child runs or will.
func (r *run) over() bool {
	for _, c := range r.children {
		if c.alive || !c.due.IsZero() {
			return false
		}
	}
	return len(r.backlog) == 0
}

// errAsked says that the run shall end.
var errAsked = errors.New("asked to end")

// next waits for the end of a child, or until one is to be run again: then it
// returns none.
func (r *run) next(ctx context.Context) (*end, error) {
	var due <-chan time.Time
	if t := r.soonest(); !t.IsZero() {
		timer := time.NewTimer(time.Until(t))
		defer timer.Stop()
		due = timer.C
	}
	for {
		if r.shallEnd(ctx) { // first of all, whatever else there is
			return nil, errAsked
		}
		if len(r.backlog) > 0 {
			e := r.backlog[0]
			r.backlog = r.backlog[1:]
			return &e, nil
		}
		select {
		case <-ctx.Done():
			return nil, errAsked
		case <-r.killed:
			return nil, errAsked
		case paused := <-r.pauses:
			r.hold(ctx, paused)
		case e := <-r.ends:
			e.child.alive = false
			return &e, nil
		case <-due:
			return nil, nil
		}
	}
}

// shallEnd reports whether the run was canceled or killed.
func (r *run) shallEnd(ctx context.Context) bool {
	select {
	case <-r.killed:
		return true
	default:
		return ctx.Err() != nil
	}
}

// soonest is when the next child is to be run again; zero: none is.
func (r *run) soonest() (t time.Time) {
	for _, c := range r.children {
		if !c.due.IsZero() && (t.IsZero() || c.due.Before(t)) {
			t = c.due
		}
	}
	return t
}
