// Package supervisor is the environment whose runs start other processes and run
// them again when they end, by a strategy: supervision trees. A supervisor is a
// process like any other. Its code describes its children, as JSON (api.Supervisor);
// they are its children in the one tree, of any environment, supervisors included,
// and a restart is a new run of the same process.
//
//	            start, in order            a child ends
//	Execute ──▶ children run ────────────▶ run it again? ──no──▶ none left: all children completed
//	                 ▲                          │ yes
//	                 │                          ▼
//	                 └── backoff ◀── within maxRestarts in the window? ──no──▶ max_restarts_exceeded
//
// One goroutine of a run decides; one for each child that runs waits for its end.
// A child that the supervisor ended itself is no failure: its end is taken note of
// where it was asked for. Whatever ends the supervisor, its children are ended
// first, in the reverse of their order, each by its own grace; a kill ends them at
// once.
//
// A run can outlive its host (Kept): what it knows of its children is kept in its
// structured output, each decision before it is carried out. See takeup.go.
package supervisor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// Config says how supervisors work.
type Config struct {
	// Specs makes children of what the code asks for.
	Specs api.Specs
	// Random is for the jitter, from 0 to 1. Default: at random.
	Random func() float64
}

// Payload is what a supervisor described in Go has for its children: Go values
// for their environments, by the child's name. It comes with the spec.
type Payload map[string]any

// Env runs supervisors.
type Env struct {
	cfg Config

	mu   sync.Mutex // guards runs, and each run's gate
	runs map[process.ID]*run
}

var (
	_ env.Environment = (*Env)(nil)
	_ env.Supervisor  = (*Env)(nil)
	_ env.Pauser      = (*Env)(nil)
	_ env.Checker     = (*Env)(nil)
)

// New makes the environment.
func New(cfg Config) *Env {
	if cfg.Random == nil {
		cfg.Random = rand.Float64
	}
	return &Env{cfg: cfg, runs: map[process.ID]*run{}}
}

// Setup does nothing.
func (e *Env) Setup(context.Context) error { return nil }

// Supervises says that its runs end their children themselves.
func (e *Env) Supervises() {}

// Execute supervises until all children have ended for good, or it shall end.
func (e *Env) Execute(ctx context.Context, in env.Input, h env.Host) (env.Result, error) {
	tree, err := e.read(in.Spec)
	if err != nil {
		return env.Result{}, &env.SpawnError{Err: err}
	}
	r := newRun(e, tree, in, h)
	if err := e.enter(in.EID, r); err != nil {
		return env.Result{}, err
	}
	defer e.leave(in.EID, r)
	switch { // looked at after enter: a kill that came before found nothing to kill
	case detached(ctx):
		return env.Result{}, env.ErrDetached
	case ctx.Err() != nil && !in.Reattach:
		return env.Result{State: process.ExitCanceled}, nil
	}
	if in.Paused {
		r.shut()
	}
	h.Started(0, process.Enforced{TreeKill: "none", Missing: []string{}})
	return r.supervise(ctx, in)
}

func (e *Env) enter(eid process.ID, r *run) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.runs[eid] != nil {
		return fmt.Errorf("process %d is already running", eid)
	}
	e.runs[eid] = r
	return nil
}

func (e *Env) leave(eid process.ID, r *run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.runs, eid)
	close(r.left)
}

func (e *Env) run(eid process.ID) *run {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.runs[eid]
}

// Kill has all children ended at once, and with them the run.
func (e *Env) Kill(eid process.ID) {
	if r := e.run(eid); r != nil {
		r.kill()
	}
}

// Teardown ends what still runs, and waits for it.
func (e *Env) Teardown(ctx context.Context) error {
	e.mu.Lock()
	all := make([]*run, 0, len(e.runs))
	for _, r := range e.runs {
		all = append(all, r)
	}
	e.mu.Unlock()
	for _, r := range all {
		r.kill()
	}
	for _, r := range all {
		select {
		case <-r.left:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
