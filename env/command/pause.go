package command

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/process"
)

// Pause freezes a command with all its descendants. It has but one way to do
// so, at once.
func (e *Env) Pause(ctx context.Context, eid process.ID, _ bool) error {
	r := e.find(eid)
	if r == nil {
		return process.ErrNotRunning
	}
	return r.pause(ctx)
}

// Resume thaws a command.
func (e *Env) Resume(eid process.ID) error {
	r := e.find(eid)
	if r == nil {
		return nil
	}
	return r.resume()
}

func (r *run) pause(ctx context.Context) error {
	r.pausing.Lock()
	defer r.pausing.Unlock()
	job := r.attached()
	if job == nil || r.ending {
		return process.ErrNotRunning
	}
	err := job.Freeze(ctx)
	switch {
	case err == nil:
		r.wait.pause()
		return nil
	case errors.Is(err, keeper.ErrNoFreeze):
		return process.Errorf(process.CodeInvalid, "commands cannot be paused here: %v", err)
	}
	return err
}

func (r *run) resume() error {
	r.pausing.Lock()
	defer r.pausing.Unlock()
	job := r.attached()
	if job == nil {
		return nil
	}
	if err := job.Thaw(); err != nil {
		return err
	}
	r.wait.resume()
	return nil
}

// ask is the gentle end: SIGTERM, and then whatever is frozen goes on, so that
// it can heed it. What has been killed is not asked any more.
func (r *run) ask(ctx context.Context) {
	if context.Cause(ctx) == env.ErrDetached {
		r.leave(env.ErrDetached)
		return
	}
	select {
	case <-r.killed:
		return
	default:
	}
	_, _ = r.attached().Signal(process.SIGTERM)
	r.pausing.Lock()
	r.ending = true
	r.pausing.Unlock()
	_ = r.resume() // if it cannot, the kill after the grace can
}

// allowance is a time that is used up only while the run is not paused. The
// zero value is none.
type allowance struct {
	mu     sync.Mutex
	paused bool
	left   time.Duration
	since  time.Time   // when the timer was last set
	timer  *time.Timer // nil: none
}

// begin calls over when d is used up, unless end is called before. There is
// one at a time.
func (a *allowance) begin(d time.Duration, over func()) (end func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left, a.since, a.timer = d, time.Now(), time.AfterFunc(d, over)
	if a.paused {
		a.timer.Stop()
	}
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.timer.Stop()
		a.timer = nil
	}
}

func (a *allowance) pause() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timer != nil && a.timer.Stop() {
		a.left -= time.Since(a.since)
	}
	a.paused = true
}

func (a *allowance) resume() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timer != nil && a.paused {
		a.since = time.Now()
		a.timer.Reset(max(0, a.left))
	}
	a.paused = false
}
