package kernel

import (
	"context"
	"errors"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// Input writes to the input of a running process and returns how much was
// taken. It waits for a program that does not read until ctx is over or the run
// is. A process that takes no input, or no more, is process.ErrNoInput, one that
// is idle or queued process.ErrNotRunning. One that is paused takes what there
// is room for, and reads it when it goes on. Nothing of it is recorded.
func (k *Kernel) Input(ctx context.Context, id process.ID, b []byte) (n int, err error) {
	err = k.interact(ctx, id, "Input", []any{"bytes", len(b)}, func(ctx context.Context, e env.Interactor) error {
		n, err = e.Input(ctx, id, b)
		return err
	})
	return n, err
}

// CloseInput ends the input of a running process; to a terminal it sends the
// end-of-file character.
func (k *Kernel) CloseInput(ctx context.Context, id process.ID) error {
	return k.interact(ctx, id, "CloseInput", nil, func(ctx context.Context, e env.Interactor) error {
		return e.CloseInput(ctx, id)
	})
}

// Resize changes the size of the terminal of a running process.
func (k *Kernel) Resize(ctx context.Context, id process.ID, w process.Window) error {
	if err := w.Check("window"); err != nil {
		return answered(ctx, "Resize", id, err)
	}
	return k.interact(ctx, id, "Resize", []any{"rows", w.Rows, "cols", w.Cols},
		func(_ context.Context, e env.Interactor) error { return e.Resize(id, w) })
}

// interact has a running process take input.
func (k *Kernel) interact(ctx context.Context, id process.ID, call string, args []any, f func(context.Context, env.Interactor) error) error {
	p, err := k.running(ctx, id)
	if err == nil {
		err = p.interact(ctx, call, args, f)
	}
	switch {
	case errors.Is(err, process.ErrNotRunning):
		err = process.Errorf(process.CodeNotRunning, "process %d is not running: only a running process takes input", id)
	case errors.Is(err, process.ErrNoInput):
		err = process.Errorf(process.CodeNoInput, "process %d takes no input, or no more: create it with pty or stdinOpen to write to it while it runs", id)
	}
	return answered(ctx, call, id, err)
}

func (p *proc) interact(ctx context.Context, call string, args []any, f func(context.Context, env.Interactor) error) (err error) {
	if ts := p.tracers.Load(); ts != nil {
		defer ts.begin(call, args...).end(&err)
	}
	if err := p.awaitStart(ctx); err != nil {
		return err
	}
	e, ok := p.env.Environment.Environment.(env.Interactor)
	if !ok {
		return process.ErrNoInput
	}
	ctx, leave := p.untilOver(ctx)
	defer leave()
	if err = f(ctx, e); err == nil || ctx.Err() != nil {
		return err
	}
	return p.refused("written to", err)
}

// untilOver returns a context that ends with the run, too: what nobody reads is
// not waited for then.
func (p *proc) untilOver(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	left := make(chan struct{})
	go func() {
		defer close(left)
		select {
		case <-p.done:
			cancel(process.ErrNotRunning)
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-left
	}
}
