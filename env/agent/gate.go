package agent

import (
	"context"
	"errors"
	"time"

	"github.com/reeverun/reeve/process"
)

// Why a run ends at the gate, or an attempt is given up.
var (
	errKilled      = errors.New("killed")
	errCanceled    = errors.New("canceled")
	errSignaled    = errors.New("signaled")
	errInterrupted = errors.New("interrupted")
)

// gate holds a run that is, or shall be, paused.
type gate struct {
	now    bool
	stands chan struct{} // closed when the run stands at it, or has ended
	opened chan struct{} // closed when it may go on
}

func newGate() *gate { return &gate{stands: make(chan struct{}), opened: make(chan struct{})} }

// doing is what a run does that can be broken off.
type doing struct {
	abort context.CancelCauseFunc
	idle  bool // it only waits
}

// pause has the run stop at the gate. It waits for that only where a question
// was broken off: whatever else is under way may take long, and nobody shall
// wait for it who may want to resume or kill the run.
func (r *run) pause(ctx context.Context, now bool) error {
	r.mu.Lock()
	g := r.gate
	if g == nil && (r.over || r.leaving() != nil) {
		r.mu.Unlock()
		return process.ErrNotRunning
	}
	if g == nil {
		g = newGate()
		r.gate = g
	}
	g.now = g.now || now
	broken := r.breakOff(g.now)
	r.mu.Unlock()
	if !broken {
		return nil
	}
	select {
	case <-g.stands:
	case <-ctx.Done():
	}
	return r.paused(ctx, g)
}

// paused says whether the run stands at the gate; one that does not goes on.
func (r *run) paused(ctx context.Context, g *gate) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.over || r.gate != g:
		return process.ErrNotRunning
	case !r.standing:
		r.open()
		return context.Cause(ctx)
	}
	return nil
}

// breakOff ends what the run does, if it may be, and reports whether it did;
// r.mu is held.
func (r *run) breakOff(now bool) bool {
	if r.doing == nil || !now && !r.doing.idle {
		return false
	}
	r.doing.abort(errInterrupted)
	return true
}

// begin notes what can be broken off, and breaks it off where somebody wants to
// pause already. The returned function ends that.
func (r *run) begin(abort context.CancelCauseFunc, idle bool) func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.doing = &doing{abort, idle}
	if r.gate != nil {
		r.breakOff(r.gate.now)
	}
	if idle && r.signaled != 0 {
		abort(errInterrupted)
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.doing = nil
	}
}

func (r *run) resume() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open()
}

// open opens the gate, and lets those go who wait for the run to stand at it;
// r.mu is held.
func (r *run) open() {
	g := r.gate
	if g == nil {
		return
	}
	if !r.standing {
		close(g.stands)
	}
	r.gate, r.standing = nil, false
	close(g.opened)
}

// signal ends the run at the gate, or where it stands once the grace is over.
// What it waits for is not worth waiting any more. One that is paused goes on
// first.
func (r *run) signal(s process.Signal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.signaled != 0 || r.over {
		return
	}
	r.signaled = s
	r.breakOff(false)
	if !r.standing {
		r.late = time.AfterFunc(r.host.Timing().Grace, r.giveUp)
	}
}

// giveUp ends a signaled run whose step takes too long.
func (r *run) giveUp() {
	r.mu.Lock()
	r.gaveUp = true
	r.mu.Unlock()
	r.kill(errKilled)
}

// pass is the gate: it holds a run that is paused, and is an error for one that
// shall end.
func (r *run) pass(ctx context.Context) error {
	for {
		g, err := r.arrive(ctx)
		if g == nil {
			return err
		}
		select {
		case <-g.opened:
		case <-r.soft.Done():
		case <-ctx.Done():
		}
	}
}

// arrive returns the gate at which the run has to stand; if there is none, why
// it shall end, if it shall. Who stands there already is not woken by a signal.
func (r *run) arrive(ctx context.Context) (*gate, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.ending(ctx)
	if r.gate == nil || err != nil {
		r.open()
		return nil, err
	}
	if !r.standing {
		r.standing = true
		close(r.gate.stands)
	}
	return r.gate, nil
}

// ending is why the run shall not go on; r.mu is held.
func (r *run) ending(ctx context.Context) error {
	if ctx.Err() != nil {
		return errKilled
	}
	return r.leaving()
}

// leaving is why the run shall end at the gate; r.mu is held.
func (r *run) leaving() error {
	if r.soft.Err() != nil {
		return errCanceled
	}
	if r.signaled != 0 {
		return errSignaled
	}
	return nil
}

// end lets those go who wait for the run.
func (r *run) end() {
	r.kill(nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	if r.late != nil {
		r.late.Stop()
	}
	r.open()
}
