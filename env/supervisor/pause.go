package supervisor

import (
	"context"

	"github.com/reeverun/reeve/process"
)

// Pause holds the run: nobody is started until it is resumed. One that is ending
// or starting children is done with it first. Children are paused by themselves.
func (e *Env) Pause(ctx context.Context, eid process.ID, _ bool) error {
	r := e.run(eid)
	if r == nil {
		return process.ErrNotRunning
	}
	paused := make(chan struct{})
	select {
	case r.pauses <- paused:
		<-paused
		return nil
	case <-r.ending:
		return process.ErrNotRunning
	case <-r.left: // it had not begun
		return process.ErrNotRunning
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Resume lets the run go on.
func (e *Env) Resume(eid process.ID) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r := e.runs[eid]; r != nil && r.gate != nil {
		close(r.gate)
		r.gate = nil
	}
	return nil
}

// hold is a pause, from its beginning.
func (r *run) hold(ctx context.Context, paused chan struct{}) {
	r.shut()
	close(paused)
	r.stand(ctx)
}

// shut has the run stand still from here on.
func (r *run) shut() {
	r.env.mu.Lock()
	defer r.env.mu.Unlock()
	r.gate = make(chan struct{})
}

// stand stands still until the run is resumed or shall end.
func (r *run) stand(ctx context.Context) {
	r.env.mu.Lock()
	gate := r.gate
	r.env.mu.Unlock()
	if gate == nil {
		return // resumed before it stood
	}
	defer func() {
		r.env.mu.Lock()
		r.gate = nil
		r.env.mu.Unlock()
	}()
	for {
		select {
		case <-gate:
			return
		case again := <-r.pauses:
			close(again)
		case <-ctx.Done():
			return
		case <-r.killed:
			return
		}
	}
}
