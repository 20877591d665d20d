// Package function is the environment that runs Go functions of the program
// Reeve is embedded in, as processes like any other: recorded, observed,
// canceled, waited for.
//
// A function cannot be stopped by force. One that ignores its context is left
// behind when it is killed: its process ends, its goroutine does when the
// function returns. Nor can one be paused. SIGTERM and SIGINT cancel its
// context, unless it blocks or handles them.
package function

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// Func is a Go function run as a process. Its context is cancelled when the
// process shall end. A nil error is success.
type Func func(ctx context.Context, c *Call) error

// Call is a function's way to speak as its process.
type Call struct {
	ID  process.ID
	Run int

	Stdout, Stderr writer
	host           env.Host
}

// Output merges structured output into the process's, key by key.
func (c *Call) Output(data map[string]any) { c.host.Output(data) }

// Tool calls a tool as the process: by its permissions, after a person's approval
// where the policy asks for one. Params become JSON. What the tool or the
// policy has against it is a *process.ToolError.
func (c *Call) Tool(ctx context.Context, service, tool string, params any) (json.RawMessage, error) {
	b, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("parameters of %s/%s: %w", service, tool, err)
	}
	return c.host.Call(ctx, service, tool, b)
}

// Block has a signal to the process wait until Unblock delivers it: once, however
// often it came. SIGKILL cannot be blocked: that is process.ErrInvalid. A kill
// begins with SIGTERM; where that is blocked or handled the context is not
// cancelled, and the grace is what the function has left.
func (c *Call) Block(s process.Signal) error { return c.host.Block(s) }

// Unblock lets a signal through again, and delivers one that is pending.
func (c *Call) Unblock(s process.Signal) error { return c.host.Unblock(s) }

// Handle has f called with a signal instead of the context being cancelled; nil
// is the default again. It is called while the function goes on, never twice at
// a time, and not after it has ended.
func (c *Call) Handle(s process.Signal, f func(process.Signal)) error { return c.host.Handle(s, f) }

type writer struct {
	host   env.Host
	stream process.Stream
}

// Write appends to the stream.
func (w writer) Write(b []byte) (int, error) {
	if err := w.host.Write(w.stream, b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Env runs functions: the one that came with the spec, else the one that is
// registered under the name in its code.
type Env struct {
	mu    sync.Mutex
	named map[string]Func
	runs  map[process.ID]chan struct{} // closed by Kill
}

var (
	_ env.Environment = (*Env)(nil)
	_ env.Checker     = (*Env)(nil)
)

// New makes the environment with functions that later hosts have too, by name.
func New(named map[string]Func) *Env {
	return &Env{named: named, runs: map[process.ID]chan struct{}{}}
}

// Setup does nothing.
func (e *Env) Setup(context.Context) error { return nil }

// Docs tells how to run a function.
func (e *Env) Docs() string {
	return "# function\n\nRuns a Go function of the embedding program; code is its name.\n"
}

// Check refuses a spec without a name.
func (e *Env) Check(s *process.Spec) error {
	switch {
	case s.Command != nil:
		return process.Invalid("command", "is for the command environment")
	case s.Code == "":
		return process.Invalid("code", "is empty: want the name of a function")
	}
	return nil
}

// Execute runs one function.
func (e *Env) Execute(ctx context.Context, in env.Input, h env.Host) (env.Result, error) {
	fn, _ := in.Payload.(Func)
	if fn == nil {
		fn = e.named[in.Spec.Code]
	}
	if fn == nil {
		return env.Result{}, &env.SpawnError{Err: fmt.Errorf("there is no function %q in this program", in.Spec.Code)}
	}
	killed, err := e.enter(in.EID)
	if err != nil {
		return env.Result{}, err
	}
	defer e.leave(in.EID)
	if ctx.Err() != nil { // looked at after enter: a kill that came before found nothing to kill
		return env.Result{State: process.ExitCanceled}, nil
	}
	h.Started(0, process.Enforced{TreeKill: "none", Missing: []string{}})
	call := &Call{ID: in.EID, Run: in.Run, host: h,
		Stdout: writer{h, process.Stdout}, Stderr: writer{h, process.Stderr}}
	done := make(chan error, 1)
	go call.perform(ctx, fn, done)
	select {
	case err := <-done:
		if err != nil {
			return env.Result{}, err
		}
		return env.Result{State: process.ExitSuccess}, nil
	case <-killed:
		return env.Result{State: process.ExitCanceled}, nil
	}
}

// perform calls fn and answers however it leaves: by return, panic or Goexit.
func (c *Call) perform(ctx context.Context, fn Func, done chan<- error) {
	err := errors.New(process.ReasonVanished)
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
		done <- err
	}()
	err = fn(ctx, c)
}

// Kill leaves the function behind.
func (e *Env) Kill(eid process.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if killed, ok := e.runs[eid]; ok {
		close(killed)
		delete(e.runs, eid)
	}
}

// Teardown leaves what still runs behind.
func (e *Env) Teardown(context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for eid, killed := range e.runs {
		close(killed)
		delete(e.runs, eid)
	}
	return nil
}

func (e *Env) enter(eid process.ID) (<-chan struct{}, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.runs[eid] != nil {
		return nil, fmt.Errorf("process %d is already running", eid)
	}
	killed := make(chan struct{})
	e.runs[eid] = killed
	return killed, nil
}

func (e *Env) leave(eid process.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.runs, eid)
}
