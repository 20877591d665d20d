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
	ends     chan end // of children; one that runs has room in it
	backlog  []end    // ends that came while another was waited for
	limit    limit
	bg       context.Context // of calls that are made although the run shall end

	asked  chan struct{}      // a signal to end
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
	alive    bool       // it runs, as far as is known
	first    bool       // this is its first start
	since    time.Time  // of its newest start
	restarts int
	failures int        // in a row, for the backoff
	due      time.Time  // when it is to be run again; zero: it is not
	because  process.ID // whose end led to that
}

// end is the end of a child's run.
type end struct {
	child *child
	rec   *process.Process
	err   error // there is no record
}

func newRun(e *Env, t *tree, in env.Input, h env.Host) *run {
	r := &run{env: e, host: h, tree: t, limit: limit{max: t.max, window: t.window}, ends: make(chan end, len(t.members)),
		asked: make(chan struct{}, 1), killed: make(chan struct{}), pauses: make(chan chan struct{}),
		ending: make(chan struct{}), left: make(chan struct{})}
	r.kill = sync.OnceFunc(func() { close(r.killed) })
	payload, _ := in.Payload.(Payload)
	for i, m := range t.members {
		c := &child{Member: m, index: i, payload: payload[m.Name], id: earlier(in.Earlier, m.Name)}
		r.children = append(r.children, c)
	}
	return r
}

// supervise is the life of the run.
func (r *run) supervise(ctx context.Context) (env.Result, error) {
	r.bg = context.WithoutCancel(ctx)
	if err := r.startAll(ctx); err != nil {
		return r.finish(env.Result{Exit: &process.Exit{Code: 1, Reason: err.Error()}}, err)
	}
	for {
		if r.over() {
			return r.finish(env.Result{State: process.ExitSuccess, Exit: &process.Exit{Reason: ReasonCompleted}}, nil)
		}
		e, err := r.next(ctx)
		switch {
		case err != nil:
			return r.finish(env.Result{State: process.ExitCanceled,
				Exit: &process.Exit{Code: process.ExitCodeCanceled, Reason: ReasonCancelled}}, nil)
		case e != nil:
			err = r.ended(e)
		default:
			err = r.startDue(ctx)
		}
		if err != nil {
			return r.finish(failure(err), err)
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

// finish ends what still runs, and the run with it.
func (r *run) finish(res env.Result, err error) (env.Result, error) {
	close(r.ending)
	r.end(r.children)
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
		case <-r.asked:
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
