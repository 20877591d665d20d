package command

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/process"
)

// Kept is an Env whose commands outlive their host: their keeper is another
// process, and what it knows of a run is forgotten when the host says that the
// run's end is stored.
type Kept struct{ *Env }

var (
	_ env.Reattacher = (*Kept)(nil)
	_ env.Enforcer   = (*Kept)(nil)
)

// NewKept makes the environment, as New does.
func NewKept(s keeper.Lasting, private ...string) *Kept {
	e := New(s, private...)
	e.kept = s
	return &Kept{e}
}

// name is a run's to the keeper.
func name(eid process.ID, run int) string { return fmt.Sprintf("%d-%d", eid, run) }

// Held returns what the keeper has of a run.
func (k *Kept) Held(eid process.ID, run int) (env.Held, bool) {
	job, err := k.kept.Adopt(name(eid, run))
	if err != nil {
		return env.Held{}, false
	}
	i := infoOf(job)
	h := env.Held{Started: i.Started}
	if i.Exit != nil || i.Lost {
		h.Ended = i.Exited
		if h.Ended.IsZero() { // with its keeper, or the machine: nobody saw it
			h.Ended = time.Now()
		}
		if h.Started.IsZero() { // its keeper died with the start under way: it may have run
			h.Started = h.Ended
		}
	}
	return h, true
}

// Forget releases what the keeper has of a run.
func (k *Kept) Forget(eid process.ID, run int) {
	if job, err := k.kept.Adopt(name(eid, run)); err == nil {
		job.Release()
	}
}

// Sweep ends commands that no record tells of.
func (k *Kept) Sweep(ctx context.Context, known func(process.ID, int) bool) int {
	var ending sync.WaitGroup
	n := 0
	for _, i := range k.kept.Jobs() {
		var eid process.ID
		var run int
		if _, err := fmt.Sscanf(i.Name, "%d-%d", &eid, &run); err == nil && known(eid, run) {
			continue
		}
		job, err := k.kept.Adopt(i.Name)
		if err != nil {
			continue
		}
		if !i.Empty {
			n++
		}
		ending.Go(func() {
			defer job.Release()
			if !i.Empty {
				job.Kill()
				_ = job.WaitEmpty(ctx) // what even survives this is the next one's to end
			}
		})
	}
	ending.Wait()
	return n
}

// adopt takes up a command that an earlier host began, paused or not as its
// record says.
func (e *Env) adopt(ctx context.Context, r *run, in env.Input, h env.Host) (keeper.Job, error) {
	if e.kept == nil {
		return nil, env.ErrLost
	}
	job, err := e.kept.Adopt(name(in.EID, in.Run))
	if err != nil {
		return nil, env.ErrLost
	}
	if job.PID() == 0 {
		return nil, env.ErrLost // its keeper died with the start under way
	}
	r.attach(job)
	switch {
	case !in.Paused:
		err = r.resume()
	case ctx.Err() == nil:
		if err = r.pause(ctx); ctx.Err() != nil {
			err = nil // it is to be ended, which needs no pause
		}
	}
	h.Started(job.PID(), e.enforced(job))
	return job, err
}

// startWait is how long a run that is being ended waits to hear whether its
// program was started: if it was, it is to be seen to its end.
const startWait = 5 * time.Second

// undetached is ctx, but not over because the host ends: what is being begun is
// begun, so that the next host finds either all of it or nothing. It is over
// later than ctx, because what is being begun may have begun already.
func undetached(ctx context.Context) (context.Context, func()) {
	start, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if cause := context.Cause(ctx); cause != env.ErrDetached {
			time.AfterFunc(startWait, func() { cancel(cause) })
		}
	})
	return start, func() { stop(); cancel(nil) }
}

// lost is what a wait that failed says of the run.
func (e *Env) lost(r *run, err error) error {
	switch {
	case err == nil:
		return nil
	case r.life.Err() != nil:
		return env.ErrDetached
	case errors.Is(err, keeper.ErrLost):
		return env.ErrLost
	case e.kept != nil: // closed, or taken over by another daemon
		return env.ErrDetached
	}
	return err
}

func infoOf(job keeper.Job) keeper.Info {
	if l, ok := job.(keeper.Lasted); ok {
		return l.Info()
	}
	return keeper.Info{}
}
