package kernel

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// counted is what the store counts now.
func (r *rig) counted(t *testing.T, a process.Activity) store.Counts {
	t.Helper()
	count, err := r.cfg.Store.Count(t.Context(), process.NewActivity(a.From, a.Step, len(a.Created)))
	if err != nil {
		t.Fatal(err)
	}
	c, err := count()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// wantCounted compares the overview with a count of everything. What deleted ones
// have done has happened all the same.
func (r *rig) wantCounted(t *testing.T, deletes bool) process.Overview {
	t.Helper()
	o, err := r.Overview(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := r.counted(t, o.Activity)
	got := store.Counts{States: o.States, ExitStates: o.ExitStates, Environments: o.Environments, Paused: o.Paused, Activity: o.Activity}
	if deletes {
		c.Activity = got.Activity
	}
	if d := cmp.Diff(c, got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("counted (-) against kept up to date (+):\n%s", d)
	}
	return o
}

// Whatever happens, also while the store counts, the numbers stay true.
func TestOverviewStaysTrue(t *testing.T) {
	for name, deletes := range map[string]bool{"with deletes": true, "without": false} {
		t.Run(name, func(t *testing.T) { overviewStaysTrue(t, deletes) })
	}
}

func overviewStaysTrue(t *testing.T, deletes bool) {
	r := newRig(t, 4, nil)
	var wg sync.WaitGroup
	for n := range uint64(4) {
		wg.Go(func() { r.churn(t, rand.New(rand.NewPCG(n, 7)), deletes) })
	}
	for range 5 {
		if _, err := r.Overview(t.Context()); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
	paused := r.start(t, 0, "gate never")
	r.await(t, paused, "running", isRunning)
	if _, err := r.Signal(t.Context(), paused, process.SIGPAUSE, SignalOptions{}); err != nil {
		t.Fatal(err)
	}
	o := r.wantCounted(t, deletes)
	if o.Paused != 1 || o.States[process.Running] != 1 || o.Total == 0 {
		t.Errorf("%+v", o)
	}
	if err := r.Kill(t.Context(), paused, KillOptions{Now: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Wait(t.Context(), paused); err != nil {
		t.Fatal(err)
	}
	if o := r.wantCounted(t, deletes); o.Paused != 0 || o.States[process.Running] != 0 {
		t.Errorf("%+v", o)
	}
}

// churn does to processes what can be done to them.
func (r *rig) churn(t *testing.T, random *rand.Rand, deletes bool) {
	ctx := context.Background()
	for range 30 {
		script := []string{"out x", "fail no", "hang", "exit 3"}[random.IntN(4)]
		id, err := r.Spawn(ctx, Request{Spec: process.Spec{Environment: "fake", Code: script, Tags: []string{script}}, Parked: random.IntN(8) == 0})
		if err != nil {
			t.Error(err)
			return
		}
		if script == "hang" {
			_ = r.Kill(ctx, id, KillOptions{Now: true}) // a parked one is idle
		}
		if rec := r.rec(t, id); rec.Number == 0 {
			continue
		}
		if _, err := r.Wait(ctx, id); err != nil {
			t.Error(err)
		}
		switch random.IntN(4) {
		case 0:
			if !deletes {
				continue
			}
			if _, err := r.Delete(ctx, id); err != nil {
				t.Error(err)
			}
		case 1:
			if script != "hang" {
				_ = r.Run(ctx, id, RunOptions{Force: true})
				_, _ = r.Wait(ctx, id)
			}
		}
	}
}

// The activity moves on with the clock, and bears one that is set back.
func TestActivityMovesOn(t *testing.T) {
	at := time.Date(2026, 6, 24, 12, 30, 20, 0, time.UTC)
	a := recent(at)
	if want := at.Truncate(time.Minute).Add(-59 * time.Minute); a.From != want {
		t.Fatalf("it begins at %v, not %v", a.From, want)
	}
	a.Created[59], a.Failed[0] = 5, 7
	forward(&a, at.Add(-time.Hour)) // set back: nothing is lost
	forward(&a, at.Add(2*time.Minute))
	if a.Created[57] != 5 || a.Created[59] != 0 || a.Failed[0] != 0 {
		t.Errorf("%+v", a)
	}
	forward(&a, at.Add(5*time.Hour))
	for i := range a.Created {
		if a.Created[i] != 0 {
			t.Errorf("after hours: %+v", a)
		}
	}
	if n, ok := a.Span(at.Add(5 * time.Hour)); !ok || n != 59 {
		t.Errorf("now is span %d, %v", n, ok)
	}
}
