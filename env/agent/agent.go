// Package agent is the environment that runs agents: an intent in, steps out. A
// step is one question to a language model and the tool calls its answer asks
// for; an answer without calls is the result.
//
//	gate ─▶ question ─▶ answer ─▶ calls, side by side ─▶ results ─┐
//	  ▲        └─ again, with growing pauses, when it fails       │
//	  └───────────────────────────────────────────────────────────┘
//
// The gate is where a run is paused and where it ends when it is asked to; what
// a step has begun is finished first, unless it is killed. Between two attempts
// at a question a run stands at the gate, too.
//
// What was said is remembered message by message by the host, so that a run can
// go on under another one from its last finished step. Where the model's window
// fills, what is oldest is summarised.
//
// A run has no goroutine but Execute's own, except while tools are called.
package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// Env runs agents.
type Env struct {
	cfg Config

	mu    sync.Mutex
	setUp bool
	runs  map[process.ID]*run
	left  sync.WaitGroup // runs
}

var (
	_ env.Environment = (*Env)(nil)
	_ env.Signaler    = (*Env)(nil)
	_ env.Pauser      = (*Env)(nil)
	_ env.Checker     = (*Env)(nil)
	_ env.Resumable   = (*Env)(nil)
)

// New makes the environment.
func New(c Config) *Env { return &Env{cfg: c.withDefaults(), runs: map[process.ID]*run{}} }

// Setup makes it ready, also after a Teardown.
func (e *Env) Setup(context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.setUp = true
	return nil
}

// Resumable says that a run can go on from its transcript.
func (e *Env) Resumable() {}

// Execute runs one agent.
func (e *Env) Execute(ctx context.Context, in env.Input, h env.Host) (env.Result, error) {
	if ctx.Err() != nil {
		return env.Result{State: process.ExitCanceled}, nil
	}
	r, work, err := e.enter(ctx, in, h)
	if err != nil {
		return env.Result{}, err
	}
	defer e.leave(r)
	h.Started(0, process.Enforced{TreeKill: "none", Missing: []string{}})
	text, err := r.live(work)
	return r.judge(text, err)
}

var errNotSetUp = errors.New("the environment is not set up")

func (e *Env) enter(ctx context.Context, in env.Input, h env.Host) (*run, context.Context, error) {
	endpoint, name, err := e.choose(&in.Spec.Options)
	if err != nil {
		return nil, nil, &env.SpawnError{Err: err}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.setUp {
		return nil, nil, &env.SpawnError{Err: errNotSetUp}
	}
	if e.runs[in.EID] != nil {
		return nil, nil, fmt.Errorf("process %d is already running", in.EID)
	}
	work, kill := context.WithCancelCause(context.WithoutCancel(ctx))
	r := &run{cfg: &e.cfg, in: in, host: h, model: endpoint, name: name, soft: ctx, kill: kill}
	if in.Paused {
		r.gate = newGate()
	}
	e.runs[in.EID] = r
	e.left.Add(1)
	return r, work, nil
}

func (e *Env) leave(r *run) {
	r.end()
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.runs, r.in.EID)
	e.left.Done()
}

// find returns a run that has not ended, or nil.
func (e *Env) find(eid process.ID) *run {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.runs[eid]
}

// Kill ends a run at once: what it asked of its model and its tools is given up.
func (e *Env) Kill(eid process.ID) {
	if r := e.find(eid); r != nil {
		r.kill(errKilled)
	}
}

// Signal lets a run finish its step, and then ends it.
func (e *Env) Signal(eid process.ID, s process.Signal) error {
	if r := e.find(eid); r != nil {
		r.signal(s)
	}
	return nil
}

// Pause holds a run before its next step; the step under way may finish. With
// now, a question under way is given up and asked again on Resume.
func (e *Env) Pause(ctx context.Context, eid process.ID, now bool) error {
	r := e.find(eid)
	if r == nil {
		return process.ErrNotRunning
	}
	return r.pause(ctx, now)
}

// Resume lets it go on.
func (e *Env) Resume(eid process.ID) error {
	if r := e.find(eid); r != nil {
		r.resume()
	}
	return nil
}

// Teardown kills what runs.
func (e *Env) Teardown(context.Context) error {
	e.mu.Lock()
	e.setUp = false
	for _, r := range e.runs {
		r.kill(errKilled)
	}
	e.mu.Unlock()
	e.left.Wait()
	for _, m := range e.cfg.Models {
		m.Close()
	}
	return nil
}
