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

// startAll starts the children, in order. Where one cannot be, the caller ends
// those that were.
func (r *run) startAll(ctx context.Context) error {
	for _, c := range r.children {
		if r.shallEnd(ctx) {
			break // who looks next finds that
		}
		if err := r.startFirst(ctx, c); err != nil && ctx.Err() == nil {
			return fmt.Errorf("child %q could not be started: %w", c.Name, err)
		}
	}
	r.tell(r.children...)
	return nil
}

// startFirst starts a child in this run of its supervisor: the process that an
// earlier one had for it, where there still is one.
func (r *run) startFirst(ctx context.Context, c *child) (err error) {
	if c.id != 0 {
		err = r.host.Rerun(ctx, c.id, env.Again{Payload: c.payload})
	}
	if c.id == 0 || errors.Is(err, process.ErrNotFound) {
		c.id, err = r.host.SpawnWith(ctx, c.Spec, c.payload)
	}
	if err != nil {
		return err
	}
	r.watch(c)
	c.first = true
	return nil
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
			return r.restart(c, err.Error())
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
	err := r.host.Rerun(ctx, c.id, env.Again{Restart: c.restarts + 1, Because: c.because, Payload: c.payload})
	switch {
	case errors.Is(err, process.ErrNotIdle): // somebody else has run it
	case errors.Is(err, process.ErrNotFound): // or deleted it
		id, err := r.host.SpawnWith(ctx, c.Spec, c.payload)
		if err != nil {
			return err
		}
		c.id = id
	case err != nil:
		return err
	}
	c.restarts++
	r.watch(c)
	r.tell(c)
	return nil
}

// watch has the end of a child that was started told.
func (r *run) watch(c *child) {
	c.alive, c.first, c.since = true, false, time.Now()
	id := c.id
	go func() { // ends with the child, which Execute waits for
		ended, err := r.host.Await(r.bg, id)
		r.ends <- end{child: c, rec: ended.Process, err: err}
	}()
}

// tell keeps which processes the children are, for those who look and for the
// next run.
func (r *run) tell(children ...*child) {
	data := map[string]any{}
	for _, c := range children {
		if c.id != 0 {
			data[c.Name] = map[string]any{"process": int64(c.id), "restarts": c.restarts}
		}
	}
	r.host.Output(data)
}

// earlier is the process that an earlier run had for a child; 0: none.
func earlier(output map[string]any, name string) process.ID {
	told, _ := output[name].(map[string]any)
	id, _ := told["process"].(float64)
	return process.ID(id)
}

// end ends children in the reverse of their order, and returns when they have. It
// also takes back what was planned for them.
func (r *run) end(group []*child) {
	for _, c := range slices.Backward(group) {
		c.due = time.Time{}
		if c.alive {
			r.endOne(c)
		}
	}
	r.backlog = slices.DeleteFunc(r.backlog, func(e end) bool { return slices.Contains(group, e.child) })
}

// endOne ends a child and waits for it. Ends of others are kept for later. What
// cannot be asked to end is killed with the run, or ends by itself.
func (r *run) endOne(c *child) {
	killed := r.killed
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
