package envtest

import (
	"context"
	"testing"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// runResumes checks an env.Resumable: one that can be paused begins paused when
// it is told to, and does nothing before it is resumed.
func runResumes(t *testing.T, setup func(*testing.T) env.Environment, s Specs) {
	started := func(t *testing.T, ctx context.Context, spec *process.Spec) (env.Environment, *Host, <-chan error) {
		e, h := setup(t), NewHost(t)
		if _, ok := e.(env.Pauser); !ok {
			t.Skip("it cannot be paused")
		}
		in := input(1, spec)
		in.Resume, in.Paused = true, true
		done := execute(ctx, e, in, h)
		<-h.Began
		return e, h, done
	}
	t.Run("resume without a transcript", func(t *testing.T) {
		h, in := NewHost(t), input(1, s.Hello)
		in.Resume = true
		if res, err := setup(t).Execute(t.Context(), in, h); err != nil || res.State != process.ExitSuccess {
			t.Errorf("got %+v, %v, want success: it begins at the beginning", res, err)
		}
	})
	t.Run("begins paused", func(t *testing.T) {
		e, h, done := started(t, t.Context(), s.Hello)
		if err := e.(env.Pauser).Pause(t.Context(), 1, false); err != nil { // it is
			t.Fatal(err)
		}
		if out := h.Text(process.Stdout) + h.Text(process.Stderr); out != "" {
			t.Errorf("it wrote %q", out)
		}
		select {
		case <-done:
			t.Fatal("it ended")
		default:
		}
		if err := e.(env.Pauser).Resume(1); err != nil {
			t.Fatal(err)
		}
		await(t, done)
		if out := h.Text(process.Stdout); out != "hello\n" {
			t.Errorf("it wrote %q", out)
		}
	})
	t.Run("kill of what begins paused", func(t *testing.T) {
		e, _, done := started(t, t.Context(), s.Stubborn)
		e.Kill(1)
		await(t, done)
	})
	t.Run("context ends what begins paused", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		_, _, done := started(t, ctx, s.Hang)
		cancel(process.ErrCanceled)
		await(t, done)
	})
}
