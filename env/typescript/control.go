package typescript

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/reeverun/reeve/env/typescript/engine"
	"github.com/reeverun/reeve/process"
)

// ask ends the program as gently as it can be: one that has looked at
// reeve.signal is told, and has the host's grace; any other could not notice,
// and is killed.
func (r *run) ask() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked = true; !r.aware {
		r.killHeld()
		return
	}
	r.out.post(engine.TypeSignal, []byte("SIGTERM"))
	_ = r.continueHeld() // a paused one goes on, to heed it
}

func (r *run) kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.killHeld()
}

// fail ends the child for a reason that is the run's error.
func (r *run) fail(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.killed {
		r.fault = why
		r.killHeld()
	}
}

// killHeld ends the child, and what comes of compiling; r.mu is held.
func (r *run) killHeld() {
	r.killed = true
	if child := r.child.Load(); child != nil {
		(*child).Kill()
		return
	}
	r.cancel()
}

// Signal tells the program, by aborting reeve.signal. One that never looked at
// it ends, as any process does that has no handler.
func (e *Env) Signal(eid process.ID, s process.Signal) error {
	r := e.find(eid)
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.aware {
		r.out.post(engine.TypeSignal, []byte(s.String()))
		return nil
	}
	if !r.killed {
		r.signaled = s
		r.killHeld()
	}
	return nil
}

// Pause stops the program's process where it stands. It has but one way to do
// so, at once.
func (e *Env) Pause(ctx context.Context, eid process.ID, _ bool) error {
	r := e.find(eid)
	if r == nil {
		return process.ErrNotRunning
	}
	child := r.child.Load()
	r.mu.Lock()
	ending := child == nil || r.killed || r.asked
	r.mu.Unlock()
	if ending {
		return process.ErrNotRunning
	}
	if err := (*child).Stop(ctx); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = time.Now()
	if r.asked {
		return errors.Join(process.ErrNotRunning, r.continueHeld())
	}
	return nil
}

// Resume lets it go on: its timers are moved by the time it stood.
func (e *Env) Resume(eid process.ID) error {
	r := e.find(eid)
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.continueHeld()
}

// continueHeld ends a pause; r.mu is held.
func (r *run) continueHeld() error {
	if r.stopped.IsZero() {
		return nil
	}
	stood := time.Since(r.stopped)
	r.stopped = time.Time{}
	r.out.post(engine.TypeContinue, []byte(strconv.FormatInt(stood.Milliseconds(), 10)))
	r.out.flush(20 * time.Millisecond) // so that it knows before its timers fire; one whose channel is full has else to do first
	return (*r.child.Load()).Continue()
}
