package kernel

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store/memory"
)

// A host that another follows waits for what runs, not for what is paused, and
// leaves what waits to the other.
func TestFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := memory.New()
		a := newHeir(t, st, func(c *Config) {
			c.Environments["fake"] = Environment{Environment: c.Environments["fake"].Environment, Slots: 1}
		})
		short := a.spawn(t, "sleep 10s\nout done")
		queued := a.spawn(t, "out later")
		paused := a.spawnAgent(t, "remember user begin\nsleep 10s\nremember user half\nhang", process.Options{})
		time.Sleep(time.Second)
		a.pause(t, paused)
		began := time.Now()
		if err := a.Finish(t.Context()); err != nil || time.Since(began) != 9*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if rec := a.record(t, short); rec.ExitState != process.ExitSuccess {
			t.Errorf("the short one: %+v", rec)
		}
		if _, err := a.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "fake"}}); !errors.Is(err, process.ErrClosed) {
			t.Errorf("a new one: %v", err)
		}
		a.shut(t)

		b := newHeir(t, st)
		if rec := b.wait(t, queued); rec.ExitState != process.ExitSuccess || rec.Number != 1 {
			t.Errorf("the queued one: %+v", rec)
		}
		endless := b.spawn(t, "hang")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := b.Finish(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with an endless one: %v", err)
		}
		if rec := b.record(t, endless); rec.State != process.Running {
			t.Errorf("the endless one: %+v", rec)
		}
		b.shut(t)
	})
}
