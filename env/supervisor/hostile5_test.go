package supervisor_test

import (
	"context"
	"testing"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/env/supervisor"
	"github.com/reeverun/reeve/kernel"
)

// A window, or a pause, that is longer than time can be counted is not none at
// all: restarts would never end.
func TestHostile5TimesThatAreTooLong(t *testing.T) {
	const ages = 9_223_372_036_855 // in ms, is more than a duration holds
	t.Run("window", func(t *testing.T) {
		f := newFixture(t)
		defer f.shut()
		id := f.up(api.Supervisor{MaxRestarts: number(2), Window: api.SpanMS(ages), Backoff: atOnce,
			Children: []api.Child{script("a", api.Permanent, "exit 1")}})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		rec, err := f.Wait(ctx, id)
		if err != nil || rec.Exit.Reason != supervisor.ReasonMaxRestarts {
			t.Errorf("got %v, and %d restarts", err, len(f.started(id)))
			_ = f.Kill(t.Context(), id, kernel.KillOptions{Now: true})
		}
	})
	t.Run("backoff", func(t *testing.T) {
		f := newFixture(t)
		defer f.shut()
		id := f.up(api.Supervisor{MaxRestarts: number(5), Backoff: &api.Backoff{Initial: api.SpanMS(ages), Max: api.SpanMS(ages)},
			Children: []api.Child{script("a", api.Permanent, "exit 1")}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if rec, err := f.Wait(ctx, id); err == nil {
			t.Errorf("it did not wait: %+v", rec.Exit)
		}
		f.kill(id, kernel.KillOptions{})
	})
}
