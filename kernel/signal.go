package kernel

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// SignalOptions says how far a signal goes.
type SignalOptions struct {
	Tree bool // to all running processes below it, too
	Now  bool // SIGPAUSE: in the middle of things, where an environment else pauses between them
}

// startWait bounds the wait for a run that is being started: it is neither
// queued nor can it take a signal yet.
const startWait = 5 * time.Second

// Signal sends a signal to a running process and returns when what it changed
// is durable, with the number of processes it affected.
//
//   - SIGTERM and SIGINT go to the program and leave the verdict to it, also
//     while it is being ended; one that is paused handles them when it goes
//     on. In an environment that takes no signals they cancel the run, as
//     Kill does.
//   - SIGPAUSE holds the run where it stands, and its clock and timeout with
//     it; SIGRESUME lets it go on. A process that is paused (or not) already
//     is not affected, and no error. One that is being ended is not paused:
//     the kill wins.
//   - SIGKILL is Kill with Now.
//
// A process that is idle or queued is process.ErrNotRunning. With Tree, idle
// and queued descendants are passed over, those born meanwhile are reached,
// and the error names each descendant that could not be signalled; the others
// were.
func (k *Kernel) Signal(ctx context.Context, id process.ID, s process.Signal, o SignalOptions) (affected int, err error) {
	if !s.Valid() {
		return 0, process.Invalid("signal", "%d is not a signal: want TERM, KILL, INT, PAUSE or RESUME", int(s))
	}
	p := k.table.get(id)
	if p == nil {
		if _, err := k.cfg.Store.Process(ctx, id); err != nil {
			return 0, err
		}
		return 0, notRunning(id, "is idle")
	}
	changed, err := p.signal(ctx, s, o)
	if err != nil {
		return 0, err
	}
	if changed {
		affected++
	}
	if o.Tree {
		below, err := k.signalBelow(ctx, p, s, o)
		return affected + below, err
	}
	return affected, nil
}

// signalBelow signals what runs below p, round after round: what is born
// while a round is under way is found by the next one.
func (k *Kernel) signalBelow(ctx context.Context, p *proc, s process.Signal, o SignalOptions) (affected int, err error) {
	var mu sync.Mutex // guards affected and err
	signal := func(c *proc) {
		changed, cerr := c.signal(ctx, s, o)
		mu.Lock()
		defer mu.Unlock()
		if changed {
			affected++
		}
		if cerr != nil && !errors.Is(cerr, process.ErrNotRunning) {
			err = errors.Join(err, fmt.Errorf("process %d: %w", c.id, cerr))
		}
	}
	for seen := map[*proc]bool{}; ; {
		var round sync.WaitGroup
		fresh := false
		for _, c := range k.table.descendants(p) {
			if !seen[c] {
				seen[c], fresh = true, true
				round.Go(func() { signal(c) })
			}
		}
		round.Wait()
		if !fresh || ctx.Err() != nil {
			return affected, err
		}
	}
}

// signal sends one signal to one run and reports whether that changed
// anything.
func (p *proc) signal(ctx context.Context, s process.Signal, o SignalOptions) (changed bool, err error) {
	if err := p.awaitStart(ctx); err != nil {
		return false, err
	}
	switch s {
	case process.SIGPAUSE:
		return p.pause(ctx, o.Now)
	case process.SIGRESUME:
		return p.resume(ctx)
	case process.SIGKILL:
		return p.cancelBy(ctx, KillOptions{Now: true, Alone: !o.Tree})
	}
	if e, ok := p.env.Environment.Environment.(env.Signaler); ok {
		return p.deliver(ctx, e, s)
	}
	return p.cancelBy(ctx, KillOptions{Alone: !o.Tree, signal: s})
}

// deliver has the environment pass a signal on. The event comes first: the
// program may be gone a moment later.
func (p *proc) deliver(ctx context.Context, e env.Signaler, s process.Signal) (bool, error) {
	recorded := make(chan error, 1)
	p.mu.Lock()
	if err := p.executing(); err != nil {
		p.mu.Unlock()
		return false, err
	}
	p.calls.Add(1)
	p.append(&entry{done: func(err error) { recorded <- err }}, false,
		process.SignalDelivered{Signal: s.String(), Action: "deliver"})
	p.mu.Unlock()
	err := e.Signal(p.id, s)
	p.calls.Done()
	if err != nil {
		return false, p.refused("signalled", err)
	}
	return true, await(ctx, recorded)
}

// cancelBy ends the run, as a signal's default action.
func (p *proc) cancelBy(ctx context.Context, o KillOptions) (bool, error) {
	asked := make(chan error, 1)
	if !p.stop(process.ErrCanceled, o, func(err error) { asked <- err }) {
		return false, notRunning(p.id, "has ended")
	}
	return true, await(ctx, asked)
}

// executing returns nil if the run executes, else why it takes no signal; p.mu is
// held.
func (p *proc) executing() error {
	switch {
	case p.resolved || p.rec.Lifecycle >= process.LifecycleZombie:
		return notRunning(p.id, "has ended")
	case p.rec.Lifecycle == process.LifecycleCreated:
		return notRunning(p.id, "is queued")
	}
	return nil
}

func notRunning(id process.ID, why string) error {
	return process.Errorf(process.CodeNotRunning, "process %d %s: only a running process takes signals", id, why)
}

// refused is the error of an environment that did not do as it was told.
func (p *proc) refused(what string, err error) error {
	if own := (*process.Error)(nil); errors.As(err, &own) {
		return own
	}
	return &process.Error{Code: process.CodeNoEnvironment, Err: err, Hint: "try again",
		Message: fmt.Sprintf("process %d could not be %s", p.id, what)}
}

// awaitStart waits for a run that has left the queue and not begun yet, and
// returns nil if it executes.
func (p *proc) awaitStart(ctx context.Context) error {
	p.mu.Lock()
	if !p.starting() {
		defer p.mu.Unlock()
		return p.executing()
	}
	if p.begun == nil {
		p.begun = make(chan struct{})
	}
	begun := p.begun
	p.mu.Unlock()
	timer := time.NewTimer(startWait)
	defer timer.Stop()
	select {
	case <-begun:
		return nil
	case <-p.done:
		return notRunning(p.id, "has ended")
	case <-timer.C:
		return notRunning(p.id, "is still being started")
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// starting reports whether the run has left the queue, or comes from an earlier
// host, and does not execute yet; p.mu is held. One that is claimed ahead still
// waits for a slot.
func (p *proc) starting() bool {
	out := p.cancel != nil || p.slot || p.rec.Claimed && !p.rec.Ahead
	return (out && p.rec.Lifecycle == process.LifecycleCreated || p.reattaching) && !p.resolved && !p.dropped
}

// begin tells those who await the start; p.mu is held.
func (p *proc) begin() {
	if p.begun != nil {
		close(p.begun)
		p.begun = nil
	}
}
