package supervisor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// startAll starts the children that are still to be, in order. Where one cannot
// be, the caller ends those that were.
func (r *run) startAll(ctx context.Context) error {
	for _, c := range r.children {
		if !c.fresh {
			continue
		}
		if r.shallEnd(ctx) {
			break // who looks next finds that
		}
		err := r.start(ctx, c, env.Again{Payload: c.payload})
		switch {
		case err == nil:
		case ctx.Err() != nil || errors.Is(err, process.ErrClosed):
			return r.awaitEnd(ctx)
		default:
			return fmt.Errorf("child %q could not be started: %w", c.Name, err)
		}
	}
	r.tell(r.children...)
	return nil
}

// start runs the process of a child, or makes one where there is none any more.
func (r *run) start(ctx context.Context, c *child, a env.Again) (err error) {
	if c.id != 0 {
		number, rerun := r.host.Rerun(ctx, c.id, a)
		if err = rerun; err == nil {
			c.run = number
		}
	}
	if c.id == 0 || errors.Is(err, process.ErrNotFound) {
		var id process.ID
		if id, err = r.host.SpawnWith(ctx, c.Spec, c.payload); err == nil {
			c.id, c.run = id, 1
		}
	}
	if err != nil {
		return err
	}
	r.started(c)
	return nil
}

// started takes note of a start.
func (r *run) started(c *child) {
	c.fresh, c.taken, c.because, c.since = false, false, 0, time.Now()
	r.watch(c)
}

// startDue runs those again whose time has come, in order.
func (r *run) startDue(ctx context.Context) error {
	now := time.Now()
	for _, c := range r.children {
		if c.due.IsZero() || c.due.After(now) {
			continue
		}
		c.due = time.Time{}
		err := r.startAgain(ctx, c)
		switch {
		case err == nil:
		case ctx.Err() != nil || errors.Is(err, process.ErrClosed):
			return r.awaitEnd(ctx)
		default:
			return r.restart(ctx, c, cause{at: time.Now(), why: err.Error()})
		}
	}
	return nil
}

// awaitEnd waits, in a host that takes no more work, for the run to be ended.
func (r *run) awaitEnd(ctx context.Context) error {
	select {
	case <-ctx.Done():
	case <-r.killed:
	}
	return nil
}

func (r *run) startAgain(ctx context.Context, c *child) error {
	err := r.start(ctx, c, env.Again{Restart: c.restarts + 1, Because: c.because, Payload: c.payload})
	if errors.Is(err, process.ErrNotIdle) { // somebody else has run it
		c.run++
		r.started(c)
		err = nil
	}
	if err != nil {
		return err
	}
	c.restarts++
	r.tell(c)
	return nil
}

// watch has the end of a child that runs told.
func (r *run) watch(c *child) {
	c.alive = true
	id := c.id
	go func() { // ends with the child, which Execute waits for
		ended, err := r.host.Await(r.bg, id)
		r.ends <- end{child: c, rec: ended.Process, err: err}
	}()
}

// end ends children in the reverse of their order, and returns when they have, or
// are another host's to end.
func (r *run) end(ctx context.Context, group []*child) {
	for _, c := range slices.Backward(group) {
		if c.alive && !detached(ctx) {
			r.endOne(ctx, c)
		}
	}
	r.backlog = slices.DeleteFunc(r.backlog, func(e end) bool { return slices.Contains(group, e.child) })
}

// endOne ends a child and waits for it. Ends of others are kept for later. What
// cannot be asked to end is killed with the run, or ends by itself.
func (r *run) endOne(ctx context.Context, c *child) {
	killed, over := r.killed, ctx.Done()
	select {
	case <-killed:
	default:
		if err := r.host.Cancel(r.bg, c.id); err != nil && !errors.Is(err, process.ErrAlreadyIdle) && !errors.Is(err, process.ErrNotFound) {
			r.host.Emit(process.WarningDetected{Code: "reeve.supervisor", Message: fmt.Sprintf("child %q could not be asked to end: %v", c.Name, err)})
		}
	}
	for c.alive {
		select {
		case e := <-r.ends:
			e.child.alive = false
			if e.child != c {
				r.backlog = append(r.backlog, e)
			}
		case <-killed:
			r.killAll()
			killed = nil
		case <-over:
			if detached(ctx) {
				return
			}
			over = nil
		}
	}
}

// killAll kills the children that run, all at once.
func (r *run) killAll() {
	for _, c := range slices.Backward(r.children) {
		if c.alive {
			_ = r.host.Signal(r.bg, c.id, process.SIGKILL) // one that has ended meanwhile is as good
		}
	}
}
