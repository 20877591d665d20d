package envtest

import (
	"context"
	"errors"
	"testing"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// runSignals checks an env.Signaler.
func runSignals(t *testing.T, setup func(*testing.T) env.Environment, s Specs) {
	t.Run("signal ends it", func(t *testing.T) {
		e, h := setup(t), s.host(t)
		done := execute(t.Context(), e, input(1, s.Hang), h)
		<-h.Began
		if err := e.(env.Signaler).Signal(1, process.SIGTERM); err != nil {
			t.Error(err)
		}
		await(t, done)
	})
	t.Run("signal to the unknown is ignored", func(t *testing.T) {
		if err := setup(t).(env.Signaler).Signal(99, process.SIGTERM); err != nil {
			t.Error(err)
		}
	})
}

// runPauses checks an env.Pauser. That nothing executes while paused, only the
// environment's own tests can tell.
func runPauses(t *testing.T, setup func(*testing.T) env.Environment, s Specs) {
	started := func(t *testing.T, ctx context.Context, spec *process.Spec) (env.Environment, <-chan error) {
		e, h := setup(t), s.host(t)
		done := execute(ctx, e, input(1, spec), h)
		<-h.Began
		return e, done
	}
	hold := func(t *testing.T, e env.Environment, now bool) {
		t.Helper()
		if err := e.(env.Pauser).Pause(t.Context(), 1, now); err != nil {
			t.Fatal("pause:", err)
		}
	}
	pause := func(t *testing.T, e env.Environment) { hold(t, e, false) }
	resume := func(t *testing.T, e env.Environment) {
		t.Helper()
		if err := e.(env.Pauser).Resume(1); err != nil {
			t.Fatal("resume:", err)
		}
	}
	t.Run("kill while paused", func(t *testing.T) {
		e, done := started(t, t.Context(), s.Stubborn)
		hold(t, e, true) // it may never come to a point at which it pauses by itself
		e.Kill(1)
		await(t, done)
	})
	t.Run("context ends what is paused", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		e, done := started(t, ctx, s.Hang)
		pause(t, e)
		cancel(process.ErrCanceled)
		await(t, done)
	})
	t.Run("no pause of what shall end", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		e, done := started(t, ctx, s.Stubborn)
		cancel(process.ErrCanceled)
		for { // the environment learns of it in a moment
			err := e.(env.Pauser).Pause(ctx, 1, false)
			if err != nil {
				break
			}
			resume(t, e)
		}
		e.Kill(1)
		await(t, done)
	})
	t.Run("teardown ends what is paused", func(t *testing.T) {
		e, done := started(t, t.Context(), s.Stubborn)
		hold(t, e, true)
		if err := e.Teardown(t.Context()); err != nil {
			t.Error(err)
		}
		await(t, done)
	})
	t.Run("pause and resume again", func(t *testing.T) {
		e, done := started(t, t.Context(), s.Hang)
		resume(t, e)
		pause(t, e)
		pause(t, e)
		resume(t, e)
		resume(t, e)
		e.Kill(1)
		await(t, done)
		resume(t, e)
	})
	t.Run("pause of the unknown", func(t *testing.T) {
		e := setup(t)
		if err := e.(env.Pauser).Pause(t.Context(), 99, false); !errors.Is(err, process.ErrNotRunning) {
			t.Error("pause:", err)
		}
		if err := e.(env.Pauser).Resume(99); err != nil {
			t.Error("resume:", err)
		}
	})
}
