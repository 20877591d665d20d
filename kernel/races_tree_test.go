package kernel

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/reeverun/reeve/process"
)

// Numbers a subscriber has seen are given again after a crash where the lines
// were not on disk.
func TestNumbersSeenAreNotReused(t *testing.T) {
	for _, policy := range []process.RawOutput{process.MemoryOnly, process.Disabled} {
		first := newRig(t, 0, func(c *Config) { c.RawOutput, c.KeepQueue = policy, true })
		id := first.start(t, 0, "out 1\nout 2\nout 3\ngate g")
		sub, err := first.SubscribeProcess(t.Context(), id, 0)
		if err != nil {
			t.Fatal(err)
		}
		var seen process.Event
		for ev := range sub.All(t.Context()) {
			if o, ok := ev.Data.(process.OutputAppended); ok {
				seen = ev
				if o.Line == "3" {
					break
				}
			} else if ev.Kind == process.KindOutputElided {
				seen = ev
				break
			}
		}
		// The host dies here: another one opens the store as it is.
		second := newRig(t, 0, func(c *Config) { c.RawOutput, c.KeepQueue = policy, true; c.Store = first.st.Store })
		events, err := second.Events(t.Context(), id, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range events {
			if ev.Kind == process.KindFinalized && (ev.Seq <= seen.Seq || ev.Cursor <= seen.Cursor) {
				t.Errorf("%s: finalized has seq %d, cursor %d; a client has seen a line with seq %d, cursor %d",
					policy, ev.Seq, ev.Cursor, seen.Seq, seen.Cursor)
			}
		}
		first.st.apply = func(func() error) error { return nil } // the dead write nothing
	}
}

// A child spawned while its parent terminates outlives the kill of the tree.
func TestTreeKillReachesLateChild(t *testing.T) {
	r := newRig(t, 0, func(c *Config) { c.Grace = time.Second })
	p := r.start(t, 0, "stubborn")
	r.await(t, p, "running", isRunning)
	if err := r.Kill(t.Context(), p, KillOptions{}); err != nil {
		t.Fatal(err)
	}
	c := r.start(t, p, "hang") // the parent is terminating
	if _, err := r.Wait(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	if rec := r.rec(t, c); rec.State != process.Idle {
		t.Errorf("the tree was killed, its child is %s", rec.State)
	}
}

// Below a dead one: seed 003.
func TestTreeKillReachesBelowTheDead(t *testing.T) {
	r := newRig(t, 0, nil)
	p := r.start(t, 0, "hang")
	r.await(t, p, "running", isRunning)
	c := r.start(t, p, "gate c")
	r.await(t, c, "running", isRunning)
	g := r.start(t, c, "hang")
	r.await(t, g, "running", isRunning)
	r.fake.Open("c")
	if _, err := r.Wait(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := r.Kill(t.Context(), p, KillOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Wait(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	if rec := r.rec(t, g); rec.State != process.Idle {
		t.Errorf("grandchild below a dead child is %s", rec.State)
	}
}

// The natural form of TestKillBeforeCreateIsJournalled.
func TestTreeKillRacesWithSpawn(t *testing.T) {
	r := newRig(t, 0, nil)
	for i := range 1500 {
		p := r.start(t, 0, "hang")
		var wg sync.WaitGroup
		var c process.ID
		wg.Go(func() {
			c, _ = r.Spawn(context.Background(), Request{Spec: process.Spec{Environment: "fake", Code: "hang", Parent: p}})
		})
		wg.Go(func() {
			for range i % 40 {
				r.table.len()
			}
			_ = r.Kill(context.Background(), p, KillOptions{})
		})
		wg.Wait()
		if c == 0 {
			continue
		}
		if r.table.get(c) == nil {
			if rec := r.rec(t, c); rec.State != process.Idle {
				t.Fatalf("round %d: child %d is %s for ever: it is not in the table", i, c, rec.State)
			}
		}
		_ = r.Kill(context.Background(), c, KillOptions{})
	}
}
