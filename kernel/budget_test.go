package kernel

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/process"
)

// bounded spawns a script with a budget, below a parent or none.
func (f *fixture) bounded(t testingT, parent process.ID, b process.Budget, script string) process.ID {
	t.Helper()
	id, err := f.tryBounded(parent, b, script)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func (f *fixture) tryBounded(parent process.ID, b process.Budget, script string) (process.ID, error) {
	return f.Spawn(context.Background(), Request{Spec: process.Spec{Environment: "fake", Code: script, Parent: parent,
		Options: process.Options{Budget: b}}})
}

// endedBy checks that a budget ended a run, and says which.
func endedBy(t *testing.T, rec *process.Process, why string) {
	t.Helper()
	if rec.ExitState != process.ExitFailed || rec.Exit.Code != 2 || rec.Exit.Reason != "budget_exceeded" || rec.Error != why {
		t.Errorf("process %d: %s, %+v, %q, want %q", rec.ID, rec.ExitState, *rec.Exit, rec.Error, why)
	}
	if r := rec.Outcome.Reason; rec.Outcome.Kind != process.OutcomeFailed || r == nil || r.Kind != process.FailExitCode || r.ExitCode != 2 {
		t.Errorf("process %d: %+v, %+v", rec.ID, rec.Outcome, r)
	}
}

func TestTokensOfASubtreeAreCountedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		top := f.bounded(t, 0, process.Budget{Tokens: 1000}, "hang")
		a := f.bounded(t, top, process.Budget{}, "spend 400\nhang")
		b := f.bounded(t, a, process.Budget{}, "spend 300\ngate more\nspend 500\nhang")
		other := f.bounded(t, 0, process.Budget{}, "spend 5000\nhang")
		time.Sleep(time.Second)
		for id, want := range map[process.ID]int64{top: 0, a: 400, b: 300, other: 5000} {
			if rec := f.record(t, id); rec.Usage.Tokens != want || rec.State != process.Running {
				t.Errorf("process %d used %d, want %d; %s", id, rec.Usage.Tokens, want, rec.State)
			}
		}
		f.fake.Open("more")
		for _, id := range []process.ID{top, a, b} {
			endedBy(t, f.wait(t, id), "budget_exceeded: process 1 used 1200 of 1000 tokens")
		}
		if rec := f.record(t, other); rec.State != process.Running {
			t.Errorf("a stranger is %s", rec.State)
		}
		if rec := f.record(t, b); rec.Usage.Tokens != 800 {
			t.Errorf("%d tokens are kept", rec.Usage.Tokens)
		}
	})
}

func TestUsedUpIsNoMoreThanAllowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		within := f.bounded(t, 0, process.Budget{Tokens: 10}, "spend 9\nspend -5\nout fine")
		exact := f.bounded(t, 0, process.Budget{Tokens: 10}, "spend 10\nhang")
		if rec := f.wait(t, within); rec.ExitState != process.ExitSuccess || rec.Usage.Tokens != 9 {
			t.Errorf("%s, %+v", rec.ExitState, rec.Usage)
		}
		endedBy(t, f.wait(t, exact), "budget_exceeded: process 2 used 10 of 10 tokens")
	})
}

func TestWallBudgetIsOnThePausableClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		id := f.bounded(t, 0, process.Budget{WallMS: 10_000}, "hang")
		child := f.bounded(t, id, process.Budget{}, "stubborn")
		synctest.Wait()
		time.Sleep(4 * time.Second)
		f.pause(t, id)
		time.Sleep(time.Hour)
		f.resume(t, id)
		time.Sleep(5900 * time.Millisecond)
		if rec := f.record(t, id); rec.State != process.Running {
			t.Fatalf("ended after %+v", rec.Usage)
		}
		rec := f.wait(t, id)
		endedBy(t, rec, "budget_exceeded: process 1 used 10s of 10s of wall time")
		if rec.Usage.WallMS != 10_000 {
			t.Errorf("%+v", rec.Usage)
		}
		endedBy(t, f.wait(t, child), rec.Error) // killed after the grace
		if got := f.fake.Killed(); len(got) != 1 || got[0] != child {
			t.Errorf("killed %v", got)
		}
	})
}

// Who ends does not set free what it started.
func TestBudgetOutlivesItsProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		top := f.bounded(t, 0, process.Budget{Tokens: 100, Children: 4}, "hang")
		middle := f.bounded(t, top, process.Budget{WallMS: 5000, Tokens: 90}, "spawn gate go; spend 60; hang\nspawn hang")
		f.wait(t, middle)
		time.Sleep(100 * time.Millisecond)
		if rec := f.record(t, 3); rec.State != process.Running {
			t.Fatalf("%s", rec.State)
		}
		below := f.bounded(t, middle, process.Budget{Tokens: 1000}, "hang") // below one that has ended
		if b := f.record(t, below).Options.Budget; b.Tokens != 90 {
			t.Errorf("got %+v", b)
		}
		if _, err := f.tryBounded(3, process.Budget{}, ""); !errors.Is(err, process.ErrOverBudget) {
			t.Errorf("a fifth: %v", err)
		}
		time.Sleep(time.Second)
		f.fake.Open("go")
		synctest.Wait()
		time.Sleep(4 * time.Second)
		for _, id := range []process.ID{3, 4, below} {
			endedBy(t, f.wait(t, id), "budget_exceeded: process 2 used 5s of 5s of wall time")
		}
		if rec := f.record(t, top); rec.State != process.Running {
			t.Errorf("%s", rec.State)
		}
		last := f.bounded(t, 0, process.Budget{}, "hang")
		if _, err := f.Signal(t.Context(), top, process.SIGKILL, SignalOptions{}); err != nil {
			t.Error(err)
		}
		f.wait(t, top)
		f.Kill(t.Context(), last, KillOptions{Now: true})
		f.wait(t, last)
		if n := len(f.ledger.open); n != 0 {
			t.Errorf("%d accounts are left", n)
		}
	})
}

func TestSpawnBeyondABudgetIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		// By a program, and by a client.
		deep := f.bounded(t, 0, process.Budget{Depth: 1}, "spawn spawn hang; hang\nhang")
		synctest.Wait()
		if got := f.stdout(t, deep+1); got != "error: process 1 has a budget of depth, which is 1: nothing is started deeper below it\n" {
			t.Errorf("printed %q", got)
		}
		_, err := f.tryBounded(deep+1, process.Budget{}, "hang")
		var own *process.Error
		if !errors.As(err, &own) || own.Code != process.CodeBudget {
			t.Errorf("%v", err)
		}
		wide := f.bounded(t, 0, process.Budget{Children: 2}, "spawn out a\nspawn out b\nspawn out c\nhang")
		synctest.Wait()
		if got := f.stdout(t, wide); !strings.HasSuffix(got, "error: process 3 has used its budget of children up, which is 2\n") {
			t.Errorf("printed %q", got)
		}
		for _, id := range []process.ID{deep, deep + 1, wide} { // nobody is stopped
			if rec := f.record(t, id); rec.State != process.Running {
				t.Errorf("process %d is %s", id, rec.State)
			}
		}
		before := f.nextID.Load()
		if _, err := f.Spawn(t.Context(), Request{Parked: true, Spec: process.Spec{Environment: "fake", Parent: wide}}); !errors.Is(err, process.ErrOverBudget) {
			t.Errorf("parked: %v", err)
		}
		if f.nextID.Load() != before || len(f.fake.Executed()) != 5 {
			t.Errorf("id %d, executed %v", f.nextID.Load(), f.fake.Executed())
		}
	})
}

func TestRefusedCreateIsNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		top := f.bounded(t, 0, process.Budget{Children: 1}, "hang")
		time.Sleep(time.Second) // all that is said of it is stored
		f.st.failing.Store(true)
		if _, err := f.tryBounded(top, process.Budget{}, "hang"); !errors.Is(err, errDisk) {
			t.Fatal(err)
		}
		f.st.failing.Store(false)
		if _, err := f.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "none", Parent: top}}); err == nil {
			t.Fatal("an unknown environment")
		}
		only := f.bounded(t, top, process.Budget{}, "out hi")
		f.wait(t, only)
		if err := f.Run(t.Context(), only, RunOptions{Force: true}); err != nil { // the same process again
			t.Error(err)
		}
		if _, err := f.tryBounded(top, process.Budget{}, "hang"); !errors.Is(err, process.ErrOverBudget) {
			t.Errorf("a second: %v", err)
		}
	})
}

func TestBudgetOnlyNarrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		top := f.bounded(t, 0, process.Budget{Tokens: 1000, WallMS: 60_000, CPUMS: 5000, Children: 3, Depth: 2}, "spend 300\nburn 2s\nhang")
		synctest.Wait()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		more := process.Budget{Tokens: 1 << 40, WallMS: 1 << 40, CPUMS: 1 << 40, Children: 99, Depth: 99, OnExceeded: process.BudgetAsk}
		a := f.bounded(t, top, more, "spend 100\nhang")
		synctest.Wait()
		want := process.Budget{Tokens: 700, WallMS: 50_000, CPUMS: 3000, Children: 2, Depth: 1, OnExceeded: process.BudgetAsk}
		if got := f.record(t, a).Options.Budget; got != want {
			t.Errorf("the child got %+v", got)
		}
		b := f.bounded(t, a, more, "hang")
		want.Tokens, want.Children, want.Depth = 600, 1, -1
		if got := f.record(t, b).Options.Budget; got != want {
			t.Errorf("the grandchild got %+v", got)
		}
		if _, err := f.tryBounded(b, process.Budget{}, "hang"); !errors.Is(err, process.ErrOverBudget) {
			t.Errorf("below the grandchild: %v", err)
		}
		less := f.bounded(t, top, process.Budget{Tokens: 5}, "hang")
		if got := f.record(t, less).Options.Budget; got != (process.Budget{Tokens: 5}) {
			t.Errorf("one that wants less got %+v", got)
		}
	})
}

// What is sampled while a run goes on is not counted again at its end.
func TestCPUIsCountedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		top := f.bounded(t, 0, process.Budget{CPUMS: 10_000}, "burn 1s\nhang")
		a := f.bounded(t, top, process.Budget{}, "burn 4s\nsleep 5s\nburn 1s")
		f.wait(t, a)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		used := func() time.Duration {
			f.ledger.mu.Lock()
			defer f.ledger.mu.Unlock()
			return f.table.get(top).seat.account.cpu
		}
		if got := used(); got != 6*time.Second {
			t.Errorf("%v are counted", got)
		}
		if err := f.Run(t.Context(), a, RunOptions{Force: true}); err != nil { // charges above stay
			t.Fatal(err)
		}
		rec := f.wait(t, top)
		endedBy(t, rec, "budget_exceeded: process 1 used 10s of 10s of CPU time")
		endedBy(t, f.wait(t, a), rec.Error)
	})
}

func TestKillThatCameFirstStaysCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixtureWith(t, 0, func(c *Config) { c.Grace = time.Minute })
		defer f.shut(t)
		top := f.bounded(t, 0, process.Budget{WallMS: 10_000}, "stubborn")
		child := f.bounded(t, top, process.Budget{}, "stubborn")
		synctest.Wait()
		if err := f.Kill(t.Context(), child, KillOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(11 * time.Second)
		if err := f.Kill(t.Context(), top, KillOptions{Now: true}); err != nil { // only sooner
			t.Fatal(err)
		}
		endedBy(t, f.wait(t, top), "budget_exceeded: process 1 used 10s of 10s of wall time")
		if rec := f.wait(t, child); rec.ExitState != process.ExitCanceled || rec.Exit.Code != 130 {
			t.Errorf("%s, %+v", rec.ExitState, rec.Exit)
		}
	})
}

func TestBudgetEndsWhatIsQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 1)
		defer f.shut(t)
		busy := f.spawn(t, "hang")
		synctest.Wait()
		queued := f.bounded(t, 0, process.Budget{Tokens: 5}, "hang")
		below := f.bounded(t, queued, process.Budget{}, "hang") // its parent does not execute: it queues, too
		p := f.table.get(below)
		_ = f.charge(p, 7, 0)
		for _, id := range []process.ID{queued, below} {
			rec := f.wait(t, id)
			endedBy(t, rec, "budget_exceeded: process 2 used 7 of 5 tokens")
			if !rec.StartedAt.IsZero() || rec.Lifecycle != process.LifecycleDead {
				t.Errorf("process %d: %+v", id, rec)
			}
		}
		if got := f.fake.Executed(); len(got) != 1 || got[0] != busy {
			t.Errorf("executed %v", got)
		}
	})
}

func TestRerunCountsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		top := f.bounded(t, 0, process.Budget{Tokens: 25}, "hang")
		id := f.bounded(t, top, process.Budget{Tokens: 20}, "spend 15")
		f.wait(t, id)
		if err := f.Run(t.Context(), id, RunOptions{Force: true}); err != nil {
			t.Fatal(err)
		}
		endedBy(t, f.wait(t, top), "budget_exceeded: process 1 used 30 of 25 tokens")
		alone := f.bounded(t, 0, process.Budget{Tokens: 20}, "spend 15")
		for range 3 {
			if rec := f.wait(t, alone); rec.ExitState != process.ExitSuccess || rec.Usage.Tokens != 15 {
				t.Errorf("%s, %+v", rec.ExitState, rec.Usage)
			}
			if err := f.Run(t.Context(), alone, RunOptions{Force: true}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Whoever is born while the subtree is being ended ends with it, for the same
// reason.
func TestBudgetEndsWhatIsBeingBorn(t *testing.T) {
	f := newFixtureWith(t, 0, func(c *Config) { c.Grace = time.Hour })
	defer f.shut(t)
	top := f.bounded(t, 0, process.Budget{Tokens: 100}, "stubborn") // what is born after its end is nobody's
	var wg sync.WaitGroup
	ids := make(chan process.ID, 400)
	for range 20 {
		wg.Go(func() {
			for range 20 {
				id, err := f.tryBounded(top, process.Budget{}, "spend 1\nhang")
				if err == nil {
					ids <- id
				} else if !errors.Is(err, process.ErrOverBudget) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	close(ids)
	if !eventually(func() bool { return f.record(t, top).State == process.Terminating }) {
		t.Fatal("it goes on")
	}
	if err := f.Kill(t.Context(), top, KillOptions{Now: true}); err != nil {
		t.Fatal(err)
	}
	endedBy(t, f.wait(t, top), f.record(t, top).Error)
	n := 0
	for id := range ids {
		endedBy(t, f.wait(t, id), f.record(t, top).Error)
		n++
	}
	if n < 100 {
		t.Errorf("%d were born", n)
	}
	f.ledger.mu.Lock()
	defer f.ledger.mu.Unlock()
	if len(f.ledger.open) != 0 {
		t.Errorf("%d accounts are left", len(f.ledger.open))
	}
}

func TestMistakenBudgets(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	for want, b := range map[string]process.Budget{
		"options.budget.tokens": {Tokens: -1}, "options.budget.wallMs": {WallMS: -1}, "options.budget.cpuMs": {CPUMS: -2},
		"options.budget.children": {Children: -1}, "options.budget.depth": {Depth: -1}, "options.budget.onExceeded": {OnExceeded: "panic"},
	} {
		if _, err := f.tryBounded(0, b, ""); !errors.Is(err, process.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", b, err)
		}
	}
}
