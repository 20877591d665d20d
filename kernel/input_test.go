package kernel

import (
	"context"
	"errors"
	"testing"

	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/process"
)

// typist is a fake whose runs take input that nobody reads after the first.
type typist struct {
	envfake.Env
	typed   chan string
	blocked chan struct{}
	closed  bool
}

func (e *typist) Input(ctx context.Context, _ process.ID, p []byte) (int, error) {
	select {
	case e.typed <- string(p):
		return len(p), nil
	default:
		close(e.blocked)
		<-ctx.Done()
		return 0, context.Cause(ctx)
	}
}

func (e *typist) CloseInput(context.Context, process.ID) error {
	if e.closed {
		return process.ErrNoInput
	}
	e.closed = true
	return nil
}

func (e *typist) Resize(_ process.ID, w process.Window) error {
	e.typed <- "resized"
	return nil
}

func newTypist(t *testing.T) (*rig, *typist) {
	e := &typist{typed: make(chan string, 1), blocked: make(chan struct{})}
	return newRig(t, 0, func(c *Config) { c.Environments["typist"] = Environment{Environment: e, Slots: 1} }), e
}

func TestInputReachesTheRun(t *testing.T) {
	r, e := newTypist(t)
	id := r.in(t, "typist", 0, "hang")
	trace, err := r.Trace(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	if n, err := r.Input(t.Context(), id, []byte("secret")); n != 6 || err != nil || <-e.typed != "secret" {
		t.Errorf("%d, %v", n, err)
	}
	if err := r.Resize(t.Context(), id, process.Window{Rows: 5, Cols: 6}); err != nil || <-e.typed != "resized" {
		t.Error(err)
	}
	if err := r.Resize(t.Context(), id, process.Window{Rows: 5}); !errors.Is(err, process.ErrInvalid) {
		t.Error(err)
	}
	if err := r.CloseInput(t.Context(), id); err != nil {
		t.Error(err)
	}
	if err := r.CloseInput(t.Context(), id); !errors.Is(err, process.ErrNoInput) {
		t.Error(err)
	}
	for {
		call, err := trace.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if call.Call != "Input" {
			continue
		}
		if call.Args["bytes"] != 6 || len(call.Args) != 1 { // how much, not what
			t.Errorf("%v", call.Args)
		}
		break
	}
}

// Input that nobody reads is not waited for when the run is over.
func TestInputEndsWithTheRun(t *testing.T) {
	r, e := newTypist(t)
	id := r.in(t, "typist", 0, "hang")
	r.await(t, id, "running", isRunning)
	e.typed <- "full"
	failed := make(chan error, 1)
	go func() {
		_, err := r.Input(context.Background(), id, []byte("x"))
		failed <- err
	}()
	<-e.blocked
	if err := r.Kill(t.Context(), id, KillOptions{Now: true}); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; !errors.Is(err, process.ErrNotRunning) {
		t.Error(err)
	}
}

func TestInputToWhatTakesNone(t *testing.T) {
	r, _ := newTypist(t)
	first := r.in(t, "typist", 0, "hang")
	queued := r.in(t, "typist", 0, "hang")
	r.await(t, first, "running", isRunning)
	deaf := r.start(t, 0, "hang")
	r.await(t, deaf, "running", isRunning)
	over := r.start(t, 0, "")
	if _, err := r.Wait(t.Context(), over); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[process.ID]error{queued: process.ErrNotRunning, deaf: process.ErrNoInput, over: process.ErrNotRunning, 99: process.ErrNotFound} {
		_, input := r.Input(t.Context(), id, []byte("x"))
		for _, err := range []error{input, r.CloseInput(t.Context(), id), r.Resize(t.Context(), id, process.Window{Rows: 1, Cols: 1})} {
			if own := (*process.SyscallError)(nil); !errors.Is(err, want) || !errors.As(err, &own) {
				t.Errorf("%d: %v, want %v", id, err, want)
			}
		}
	}
}
