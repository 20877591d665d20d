package kernel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
	"github.com/reeverun/reeve/store"
	"github.com/reeverun/reeve/store/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type fixture struct {
	*Kernel
	fake *envfake.Env
	st   *flaky
}

// flaky is a real store that fails when told to.
type flaky struct {
	store.Store
	failing atomic.Bool
	applied atomic.Int64
}

var errDisk = errors.New("disk full")

func (f *flaky) Apply(ctx context.Context, c []store.Change) error {
	if f.failing.Load() {
		return errDisk
	}
	f.applied.Add(1)
	return f.Store.Apply(ctx, c)
}

type testingT interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
	Errorf(string, ...any)
}

func newFixture(t testingT, slots int) *fixture {
	t.Helper()
	return newFixtureWith(t, slots, func(*Config) {})
}

func newFixtureWith(t testingT, slots int, change func(*Config)) *fixture {
	t.Helper()
	logs, err := rawlog.New(rawlog.Config{})
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{fake: &envfake.Env{}, st: &flaky{Store: memory.New()}}
	cfg := Config{
		Store: f.st, Logs: logs, Interpreters: interpret.NewRegistry(), RawOutput: process.MemoryOnly,
		Environments: map[string]Environment{"fake": {Environment: f.fake, Slots: slots}},
		Grace:        10 * time.Millisecond, Retention: Retention{Every: -1},
	}
	change(&cfg)
	f.Kernel, err = Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fixture) shut(t testingT) {
	f.fake.Release()
	if err := f.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	_ = f.cfg.Logs.Close()
}

func (f *fixture) spawn(t testingT, script string) process.ID {
	t.Helper()
	id, err := f.Spawn(context.Background(), Request{Spec: process.Spec{Environment: "fake", Code: script}})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestOneOfManyTransitionsSucceeds(t *testing.T) {
	for _, to := range []process.Lifecycle{process.LifecycleRunning, process.LifecycleZombie, process.LifecycleDead} {
		p := &proc{rec: process.Process{Run: process.Run{Lifecycle: to - 1}}}
		var wins atomic.Int64
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				if p.move(to) == nil {
					wins.Add(1)
				}
			})
		}
		wg.Wait()
		if wins.Load() != 1 || p.rec.Lifecycle != to {
			t.Errorf("%s: %d succeeded", to, wins.Load())
		}
	}
}

func TestConcurrentSpawnsHaveUniqueIDs(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	ids := make(chan process.ID, 100)
	var wg sync.WaitGroup
	for range cap(ids) {
		wg.Go(func() { ids <- f.spawn(t, "out hi") })
	}
	wg.Wait()
	close(ids)
	seen := map[process.ID]bool{}
	for id := range ids {
		if id < 1 || id > 100 || seen[id] {
			t.Errorf("id %d", id)
		}
		seen[id] = true
		if rec, err := f.Wait(t.Context(), id); err != nil || !rec.Outcome.Succeeded() {
			t.Errorf("%d: %+v, %v", id, rec, err)
		}
	}
}

func TestConcurrentKillsEndOnce(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.spawn(t, "hang")
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			err := f.Kill(context.Background(), id, KillOptions{Now: i%2 == 0})
			if err != nil && !errors.Is(err, process.ErrAlreadyIdle) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	rec, err := f.Wait(t.Context(), id)
	if err != nil || rec.ExitState != process.ExitCanceled {
		t.Fatalf("%+v, %v", rec, err)
	}
	events, err := f.Events(t.Context(), id, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	count := map[process.Kind]int{}
	for _, ev := range events {
		count[ev.Kind]++
	}
	if count[process.KindCancelled] != 1 || count[process.KindFinalized] != 1 || count[process.KindReaped] != 1 {
		t.Errorf("events %v", count)
	}
}

func TestConcurrentRerunsStartOne(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.spawn(t, "gate go")
	f.fake.Open("go")
	if _, err := f.Wait(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	var started atomic.Int64
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			switch err := f.Run(context.Background(), id, RunOptions{Force: true}); {
			case err == nil:
				started.Add(1)
			case !errors.Is(err, process.ErrNotIdle):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	rec, err := f.Wait(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if n := int(started.Load()); n < 1 || rec.Number != 1+n {
		t.Errorf("%d started, run %d", n, rec.Number)
	}
}

// A store that fails refuses creates, and loses nothing of what runs.
func TestStoreFailure(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.spawn(t, "gate go\nout kept")
	sub, err := f.SubscribeProcess(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	for {
		ev, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if ev.Kind == process.KindProcessStarted {
			break
		}
	}
	f.st.failing.Store(true)
	if _, err := f.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "fake"}}); !errors.Is(err, errDisk) {
		t.Errorf("create: %v", err)
	}
	if n := f.table.len(); n != 1 {
		t.Errorf("%d in the table", n)
	}
	f.fake.Open("go")
	for len(f.fake.Executed()) < 1 {
		time.Sleep(time.Millisecond)
	}
	if rec, err := f.Process(t.Context(), id); err != nil || rec.State == process.Idle {
		t.Errorf("an end that is not stored shows: %+v, %v", rec, err)
	}
	f.st.failing.Store(false)
	rec, err := f.Wait(t.Context(), id)
	if err != nil || !rec.Outcome.Succeeded() || rec.StdoutBytes != 5 {
		t.Errorf("%+v, %v", rec, err)
	}
	checkLog(t, f, id)
}

// A deaf environment does not hold up the end for ever; tested on the clock of
// the kernel alone.
func TestGivingUpResolvesOnce(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.spawn(t, "deaf")
	p := f.table.get(id)
	if err := f.Kill(t.Context(), id, KillOptions{Now: true}); err != nil {
		t.Fatal(err)
	}
	p.resolve(env.Result{}, errHung, false) // what the give-up timer does
	rec, err := f.Wait(t.Context(), id)
	if err != nil || rec.ExitState != process.ExitCanceled {
		t.Fatalf("%+v, %v", rec, err)
	}
	f.fake.Release() // the late answer changes nothing
	checkLog(t, f, id)
}

// checkLog fails unless the events are complete, in order, and end once.
func checkLog(t testingT, f *fixture, id process.ID) {
	t.Helper()
	events, err := f.Events(context.Background(), id, 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	next, finals, runs := int64(1), map[int]int{}, map[int]int{}
	for _, ev := range events {
		from := ev.Seq
		if e, ok := ev.Data.(process.OutputElided); ok {
			from = e.FromSeq
		}
		if from != next {
			t.Fatalf("process %d: seq %d (%s) where %d was due", id, from, ev.Kind, next)
		}
		next = ev.Seq + 1
		switch ev.Kind {
		case process.KindFinalized:
			finals[ev.Run]++
		case process.KindProcessQueued:
			runs[ev.Run]++
		}
	}
	for run, n := range finals {
		if n != 1 || runs[run] != 1 {
			t.Fatalf("process %d run %d: queued %d times, finalized %d times", id, run, runs[run], n)
		}
	}
}

// Random sequences of what clients may do never show an illegal state, lose a
// process or leave a gap in its log.
func TestRandomSequences(t *testing.T) {
	scripts := []string{"", "out a\nerr b", "hang", "stubborn", "fail no", "exit 3", "panic x", "spawnfail y", "raw a\\rb\nsleep 1ms\nout c"}
	rapid.Check(t, func(rt *rapid.T) {
		f := newFixture(rt, rapid.IntRange(0, 2).Draw(rt, "slots"))
		defer f.shut(rt)
		ctx := context.Background()
		alive := map[process.ID]bool{}
		pick := func() process.ID {
			var ids []process.ID
			for id := range alive {
				ids = append(ids, id)
			}
			slices.Sort(ids)
			if len(ids) == 0 {
				return 1
			}
			return rapid.SampledFrom(ids).Draw(rt, "id")
		}
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			switch op := rapid.SampledFrom([]string{"spawn", "spawn", "park", "child", "kill", "kill now", "run", "delete", "read"}).Draw(rt, "op"); op {
			case "spawn", "park", "child":
				spec := process.Spec{Environment: "fake", Code: rapid.SampledFrom(scripts).Draw(rt, "script")}
				if op == "child" && len(alive) > 0 {
					spec.Parent = pick()
				}
				id, err := f.Spawn(ctx, Request{Spec: spec, Parked: op == "park"})
				if err != nil {
					rt.Fatalf("spawn: %v", err)
				}
				alive[id] = true
			case "kill", "kill now":
				allow(rt, f.Kill(ctx, pick(), KillOptions{Now: op == "kill now"}), process.ErrAlreadyIdle, process.ErrNotFound)
			case "run":
				allow(rt, f.Run(ctx, pick(), RunOptions{Force: true}), process.ErrNotIdle, process.ErrNotFound)
			case "delete":
				id := pick()
				if _, err := f.Delete(ctx, id); err == nil {
					delete(alive, id)
				} else {
					allow(rt, err, process.ErrNotIdle, process.ErrNotFound)
				}
			case "read":
				if len(alive) > 0 {
					rec, err := f.Process(ctx, pick())
					if err != nil {
						rt.Fatalf("process: %v", err)
					}
					checkRecord(rt, rec)
				}
			}
		}
		for id := range alive {
			allow(rt, f.Kill(ctx, id, KillOptions{Now: true}), process.ErrAlreadyIdle)
		}
		for id := range alive {
			rec, err := f.Wait(ctx, id)
			if errors.Is(err, process.ErrNotRunning) {
				continue
			}
			if err != nil {
				rt.Fatalf("wait for %d: %v", id, err)
			}
			checkRecord(rt, rec)
			checkLog(rt, f, id)
		}
		// What init inherited leaves with a commit that nobody waits for.
		if !eventually(func() bool { return f.table.len() == 0 }) {
			rt.Fatalf("%d runs are left in the table", f.table.len())
		}
	})
}

func allow(t testingT, err error, ok ...error) {
	t.Helper()
	if err != nil && !slices.ContainsFunc(ok, func(o error) bool { return errors.Is(err, o) }) {
		t.Fatalf("unexpected: %v", err)
	}
}

// checkRecord fails on a state that the contract does not know.
func checkRecord(t testingT, rec *process.Process) {
	t.Helper()
	over := rec.Lifecycle >= process.LifecycleZombie
	legal := map[process.State]bool{
		process.Idle:        over == (rec.ExitState != process.ExitNone) && over == (rec.Outcome != nil),
		process.Queued:      rec.Lifecycle == process.LifecycleCreated && rec.ExitState == process.ExitNone,
		process.Running:     rec.Lifecycle == process.LifecycleRunning && !rec.StartedAt.IsZero(),
		process.Terminating: rec.Lifecycle <= process.LifecycleRunning && rec.ExitState == process.ExitNone,
	}
	if !legal[rec.State] || (rec.ExitState == process.ExitFailed) != (rec.Error != "") {
		t.Fatalf("illegal record: %s", fmt.Sprintf("%+v", *rec))
	}
}
