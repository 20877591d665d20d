package kernel

import (
	"context"
	"fmt"
	"testing"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
	"github.com/reeverun/reeve/store"
)

// onDisk makes a rig whose runs leave logs, so that they are claimed ahead.
func onDisk(t *testing.T, slots int, change func(*Config)) *rig {
	dir := t.TempDir()
	return newRig(t, slots, func(c *Config) {
		logs, err := rawlog.New(rawlog.Config{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		c.Logs, c.KeepQueue, c.RawOutput = logs, true, process.Persist
		if change != nil {
			change(c)
		}
		last := c.Logs
		t.Cleanup(func() { last.Close() })
	})
}

func isAhead(p *process.Process) bool { return p.Claimed && p.Ahead }

func (r *rig) stored(t *testing.T, id process.ID) *process.Process {
	t.Helper()
	rec, err := r.st.Process(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func TestClaimedAheadAndStillFirstComeFirstServed(t *testing.T) {
	r := onDisk(t, 1, nil)
	gate := r.start(t, 0, "gate go")
	var ids []process.ID
	for i := range 5 {
		ids = append(ids, r.start(t, 0, fmt.Sprint("out ", i)))
	}
	if !eventually(func() bool { return isAhead(r.stored(t, ids[0])) }) {
		t.Fatal("the first in the queue is not claimed ahead")
	}
	if isAhead(r.stored(t, ids[aheadPerSlot])) {
		t.Error("more are claimed ahead than there is a use for")
	}
	r.fake.Open("go")
	for _, id := range append([]process.ID{gate}, ids...) {
		if _, err := r.Wait(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	for i := 1; i < len(ids); i++ {
		if a, b := r.stored(t, ids[i-1]), r.stored(t, ids[i]); b.StartedAt.Before(a.CompletedAt) {
			t.Errorf("%d started at %v, before %d had ended at %v", b.ID, b.StartedAt, a.ID, a.CompletedAt)
		} else if b.Claimed || b.Ahead {
			t.Errorf("%d is over and still claimed", b.ID)
		}
	}
}

// A later one of a higher priority overtakes what was claimed ahead.
func TestPriorityBeatsAClaimAhead(t *testing.T) {
	r := onDisk(t, 1, nil)
	r.start(t, 0, "gate go")
	low := r.start(t, 0, "out low")
	if !eventually(func() bool { return isAhead(r.stored(t, low)) }) {
		t.Fatal("not claimed ahead")
	}
	high, err := r.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "fake", Code: "out high", Priority: 1}})
	if err != nil {
		t.Fatal(err)
	}
	r.fake.Open("go")
	for _, id := range []process.ID{low, high} {
		if _, err := r.Wait(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if l, h := r.stored(t, low), r.stored(t, high); l.StartedAt.Before(h.CompletedAt) {
		t.Errorf("low started at %v, high ended at %v", l.StartedAt, h.CompletedAt)
	}
}

func TestKillOfOneClaimedAhead(t *testing.T) {
	r := onDisk(t, 1, nil)
	r.start(t, 0, "gate go")
	first, second := r.start(t, 0, "out first"), r.start(t, 0, "out second")
	if !eventually(func() bool { return isAhead(r.stored(t, first)) }) {
		t.Fatal("not claimed ahead")
	}
	if err := r.Kill(t.Context(), first, KillOptions{}); err != nil {
		t.Fatal(err)
	}
	r.fake.Open("go")
	if rec, err := r.Wait(t.Context(), second); err != nil || rec.ExitState != process.ExitSuccess {
		t.Errorf("the one behind it: %v, %v", rec, err)
	}
	if rec := r.stored(t, first); rec.ExitState != process.ExitCanceled || !rec.StartedAt.IsZero() {
		t.Errorf("killed in the queue: %s, started %v", rec.ExitState, rec.StartedAt)
	}
}

func TestDrainDoesNotWaitForOneClaimedAhead(t *testing.T) {
	r := onDisk(t, 1, nil)
	gate := r.start(t, 0, "gate go")
	next := r.start(t, 0, "out next")
	if !eventually(func() bool { return isAhead(r.stored(t, next)) }) {
		t.Fatal("not claimed ahead")
	}
	drained := make(chan error, 1)
	go func() { drained <- r.Drain(context.Background()) }()
	if !eventually(r.closing.Load) {
		t.Fatal("not draining")
	}
	r.fake.Open("go")
	if err := <-drained; err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if rec := r.stored(t, gate); rec.ExitState != process.ExitSuccess {
		t.Errorf("what ran: %s", rec.ExitState)
	}
	if rec := r.stored(t, next); rec.State != process.Queued || rec.Claimed || rec.Ahead {
		t.Errorf("what was queued: %s, claimed %v", rec.State, rec.Claimed)
	}
}

// After a crash: what was claimed ahead ran only if it has a log.
func TestCrashWithClaimsAhead(t *testing.T) {
	for _, same := range []bool{true, false} {
		t.Run(fmt.Sprint("same logs ", same), func(t *testing.T) {
			r := onDisk(t, 1, func(c *Config) {
				c.SameLogs = same
				for id, ahead := range map[process.ID]bool{1: true, 2: true, 3: false} {
					p := &process.Process{ID: id, State: process.Queued, Claimed: true, Ahead: ahead,
						Spec: process.Spec{Environment: "fake", Code: "out ran", RawOutput: process.Persist},
						Run:  process.Run{Number: 1, Captured: process.Persist}}
					if err := c.Store.Apply(t.Context(), []store.Change{{Insert: p}}); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := c.Logs.Create(1, 1, rawlog.KeepFile).File(rawlog.Stdout); err != nil { // 1 was started
					t.Fatal(err)
				}
				if err := c.Logs.Close(); err != nil {
					t.Fatal(err)
				}
				logs, err := rawlog.New(rawlog.Config{Dir: c.Logs.Dir()})
				if err != nil {
					t.Fatal(err)
				}
				c.Logs = logs
			})
			for id, wantRun := range map[process.ID]bool{1: false, 2: same, 3: false} {
				rec, err := r.Wait(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				if ran := rec.ExitState == process.ExitSuccess; ran != wantRun || !ran && rec.Error != process.ErrHostExited {
					t.Errorf("%d: %s, %q; want it run: %v", id, rec.ExitState, rec.Error, wantRun)
				}
			}
		})
	}
}
