package daemon

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/process"
)

var (
	errSignal = errors.New("signal")
	errHangs  = errors.New("processes could not be ended in time: see the log; the next daemon settles what is left")
)

// killInterval is how often those are looked for that have come to run since
// the last look. Nothing new is started any more, so it takes few.
const killInterval = 50 * time.Millisecond

// stop ends everything. When hurry is closed, or stop-timeout is over, it kills
// what still runs.
func (d *daemon) stop(hurry <-chan struct{}) error {
	began := time.Now()
	stopped := make(chan struct{})
	go func() { defer close(stopped); d.runtime.Stop() }()
	err := d.awaitRuntime(stopped, hurry)
	d.lastQuestions()
	d.server.Stop()
	err = errors.Join(err, d.shutdown(hurry))
	if !errors.Is(err, errHangs) { // else closing would wait for it
		err = errors.Join(err, d.runtime.Close())
	}
	err = errors.Join(err, d.closeTools())
	err = errors.Join(err, d.leave())
	d.log.Info("stopped", "took", time.Since(began).Round(time.Millisecond).String())
	return err
}

// lastQuestions lets clients whose process has just ended ask how: they do so
// at once, or not at all. Also in a hurry: nothing runs any more, and it takes
// no time.
func (d *daemon) lastQuestions() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*d.limits.quiet)
	defer cancel()
	d.server.Quiet(ctx, d.limits.quiet)
}

// awaitRuntime waits for the runtime to have ended what runs.
func (d *daemon) awaitRuntime(stopped, hurry <-chan struct{}) error {
	deadline := time.NewTimer(d.settings.StopTimeout)
	defer deadline.Stop()
	select {
	case <-stopped:
		return nil
	case <-deadline.C:
		d.log.Warn("the time to stop is over: killing what still runs", "stop-timeout", d.settings.StopTimeout.String())
	case <-hurry:
		d.log.Warn("asked again: killing what still runs")
	}
	enough := time.NewTimer(d.limits.giveUp)
	defer enough.Stop()
	again := time.NewTicker(killInterval)
	defer again.Stop()
	for {
		d.killAll()
		select {
		case <-stopped:
			return nil
		case <-enough.C:
			return errHangs
		case <-again.C:
		}
	}
}

// killAll kills every process that runs; queued ones stay queued.
func (d *daemon) killAll() {
	ctx, cancel := context.WithTimeout(context.Background(), d.limits.giveUp)
	defer cancel()
	d.killEach(ctx, func(yield func(reeve.ID) bool) {
		for _, state := range []process.State{process.Running, process.Terminating} {
			for p := range d.each(ctx, state) {
				if !yield(p.ID) {
					return
				}
			}
		}
	}, reeve.KillOptions{Now: true, Alone: true})
}

// killEach asks for many ends at a time.
func (d *daemon) killEach(ctx context.Context, ids iter.Seq[reeve.ID], o reeve.KillOptions) {
	var kills sync.WaitGroup
	atATime := make(chan struct{}, 64)
	for id := range ids {
		atATime <- struct{}{}
		kills.Go(func() {
			defer func() { <-atATime }()
			err := d.runtime.Kill(ctx, id, o)
			if err != nil && !errors.Is(err, process.ErrAlreadyIdle) {
				d.log.Debug("kill", "process", id, "error", err)
			}
		})
	}
	kills.Wait()
}

// each yields the processes of a state. What goes wrong ends it: the runtime
// may be closed at any time.
func (d *daemon) each(ctx context.Context, state process.State) func(yield func(reeve.Process) bool) {
	return func(yield func(reeve.Process) bool) {
		q := reeve.Query{State: state, Limit: process.MaxLimit}
		for {
			page, err := d.runtime.Processes(ctx, q)
			if err != nil {
				return
			}
			for _, p := range page.Processes {
				if !yield(p) {
					return
				}
			}
			if q.Cursor = page.Next; q.Cursor == "" {
				return
			}
		}
	}
}
