package reeve_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/process"
)

func fake(t *testing.T, cfg reeve.Config, slots int) (*reeve.Runtime, *envfake.Env) {
	f := &envfake.Env{}
	cfg.Environments = map[string]reeve.Environment{"fake": f}
	cfg.Slots = map[string]int{"fake": slots}
	return open(t, cfg), f
}

func TestEventOrder(t *testing.T) {
	rt := open(t, reeve.Config{})
	rec := finish(t, rt, reeve.Sh("echo hi; exit 3").Interpreter("none"))
	all := events(t, rt, rec.ID)
	got := stored(all)
	if g := kinds(got); g != "process_created process_queued process_started output_appended exited reaped finalized" &&
		g != "process_created process_queued process_started exited output_appended reaped finalized" {
		t.Errorf("events %s", g)
	}
	gapless(t, all)
	for i, ev := range got {
		if ev.Process != rec.ID || ev.At.IsZero() || ev.Cursor == 0 || i > 1 && ev.Run != 1 {
			t.Errorf("event %+v", ev)
		}
	}
	f := got[len(got)-1].Data.(process.Finalized)
	if f.Outcome.Reason.ExitCode != 3 {
		t.Errorf("finalized %+v", f)
	}
}

func TestCancelOfQueuedNeverStarts(t *testing.T) {
	rt, f := fake(t, reeve.Config{}, 1)
	a := spawn(t, rt, reeve.In("fake", "gate go"))
	b := spawn(t, rt, reeve.In("fake", "out never"))
	if rec := record(t, rt, b.ID()); rec.State != process.Queued {
		t.Fatalf("state %s", rec.State)
	}
	if err := b.Cancel(); err != nil {
		t.Fatal(err)
	}
	if o := wait(t, b); o.Kind != process.OutcomeCancelled {
		t.Errorf("outcome %+v", o)
	}
	rec := record(t, rt, b.ID())
	if rec.Lifecycle != process.LifecycleDead || !rec.StartedAt.IsZero() || rec.ExitState != process.ExitCanceled || rec.State != process.Idle {
		t.Errorf("record %+v", rec)
	}
	if got := kinds(events(t, rt, b.ID())); got != "process_created process_queued cancelled reaped finalized" {
		t.Errorf("events %s", got)
	}
	f.Open("go")
	wait(t, a)
	if got := f.Executed(); !slices.Equal(got, []reeve.ID{a.ID()}) {
		t.Errorf("executed %v", got)
	}
}

func TestPriorityThenFIFO(t *testing.T) {
	rt, f := fake(t, reeve.Config{}, 1)
	first := spawn(t, rt, reeve.In("fake", "gate go"))
	var hs []*reeve.Handle
	for _, prio := range []int{0, 5, 0, 5, -1} {
		hs = append(hs, spawn(t, rt, reeve.In("fake", "").Priority(prio)))
	}
	f.Open("go")
	for _, h := range hs {
		wait(t, h)
	}
	want := []reeve.ID{first.ID(), hs[1].ID(), hs[3].ID(), hs[0].ID(), hs[2].ID(), hs[4].ID()}
	if got := f.Executed(); !slices.Equal(got, want) {
		t.Errorf("executed %v, want %v", got, want)
	}
}

func TestWaitServesAnyNumberBeforeAndAfter(t *testing.T) {
	rt, f := fake(t, reeve.Config{}, 0)
	p := spawn(t, rt, reeve.In("fake", "gate go\nexit 7"))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if o, err := p.Wait(bounded(t)); err != nil || o.Reason == nil || o.Reason.ExitCode != 7 {
				t.Errorf("%+v, %v", o, err)
			}
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := p.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("bounded wait: %v", err)
	}
	f.Open("go")
	wg.Wait()
	for range 3 {
		wait(t, p)
	}
}

func TestCancelBeatsTimeout(t *testing.T) {
	rt, _ := fake(t, reeve.Config{Grace: time.Second}, 0)
	p := spawn(t, rt, reeve.In("fake", "stubborn").Timeout(time.Millisecond))
	awaitEvent(t, rt, p.ID(), isKind(process.KindTimedOut))
	if err := p.Cancel(); err != nil {
		t.Fatal(err)
	}
	if o := wait(t, p); o.Kind != process.OutcomeCancelled {
		t.Errorf("outcome %+v", o)
	}
}

func TestStubbornRunIsKilledAfterTheGrace(t *testing.T) {
	rt, f := fake(t, reeve.Config{}, 0)
	p := spawn(t, rt, reeve.In("fake", "stubborn").Timeout(10*time.Millisecond).Grace(20*time.Millisecond))
	if o := wait(t, p); o.Reason == nil || o.Reason.Kind != process.FailTimeout {
		t.Errorf("outcome %+v", o)
	}
	if got := f.Killed(); !slices.Equal(got, []reeve.ID{p.ID()}) {
		t.Errorf("killed %v", got)
	}
	if got := kinds(events(t, rt, p.ID())); !strings.Contains(got, "timed_out signal_delivered signal_delivered") {
		t.Errorf("events %s", got)
	}
}

func TestTimeoutDoesNotRunInTheQueue(t *testing.T) {
	rt, f := fake(t, reeve.Config{}, 1)
	spawn(t, rt, reeve.In("fake", "gate go"))
	p := spawn(t, rt, reeve.In("fake", "").Timeout(20*time.Millisecond))
	time.Sleep(60 * time.Millisecond) // longer than the timeout: only the clock can show it
	f.Open("go")
	if o := wait(t, p); !o.Succeeded() {
		t.Errorf("outcome %+v", o)
	}
}

func TestEnvironmentFailures(t *testing.T) {
	rt, _ := fake(t, reeve.Config{}, 0)
	for script, want := range map[string]process.Exit{
		"fail no luck":  {Code: 1, Reason: "no luck"},
		"panic ouch":    {Code: 1, Reason: "panic: ouch"},
		"goexit":        {Code: 1, Reason: "unexpected exit"},
		"spawnfail who": {Code: 1, Reason: "who"},
		"out fine":      {Code: 0, Reason: "completed"},
	} {
		rec := finish(t, rt, reeve.In("fake", script).Interpreter("none"))
		if *rec.Exit != want {
			t.Errorf("%s: exit %+v", script, *rec.Exit)
		}
		if failed := want.Code != 0; failed != (rec.Error != "") || failed && rec.Error != want.Reason {
			t.Errorf("%s: error %q", script, rec.Error)
		}
	}
}

func TestSurvivorsAreNamed(t *testing.T) {
	rt, _ := fake(t, reeve.Config{Dir: t.TempDir()}, 0)
	p := spawn(t, rt, reeve.In("fake", "survivor init\nhang"))
	awaitEvent(t, rt, p.ID(), isKind(process.KindProcessStarted))
	if err := p.Cancel(); err != nil {
		t.Fatal(err)
	}
	want := process.Survivor{PID: 1, Command: "init"}
	if o := wait(t, p); len(o.Survivors) != 1 || o.Survivors[0] != want {
		t.Errorf("outcome %+v", o)
	}
	all := events(t, rt, p.ID())
	if f, ok := all[len(all)-1].Data.(process.Finalized); !ok || len(f.Outcome.Survivors) != 1 {
		t.Errorf("finalized %+v", all[len(all)-1])
	}
}

func TestLateCallsAreIgnored(t *testing.T) {
	rt, f := fake(t, reeve.Config{}, 0)
	p := spawn(t, rt, reeve.In("fake", "late\noutput {\"a\":1}"))
	wait(t, p)
	f.Open("late")
	if err := f.AwaitGate(bounded(t), "late done"); err != nil {
		t.Fatal(err)
	}
	rec := record(t, rt, p.ID())
	if rec.StdoutBytes != 0 || len(rec.Output) != 1 || rec.ExitState != process.ExitSuccess {
		t.Errorf("record %+v", rec)
	}
	gapless(t, events(t, rt, p.ID()))
}

func TestStructuredOutputMerges(t *testing.T) {
	rt, _ := fake(t, reeve.Config{Dir: t.TempDir()}, 0)
	rec := finish(t, rt, reeve.In("fake", `output {"a":1,"b":{"x":1}}
output {"b":{"y":2},"c":null}`))
	if got := fmt.Sprint(rec.Output); got != "map[a:1 b:map[y:2] c:<nil>]" {
		t.Errorf("output %s", got)
	}
	if n := count(events(t, rt, rec.ID), process.KindOutputMerged); n != 2 {
		t.Errorf("%d merges", n)
	}
}

func TestFunctions(t *testing.T) {
	rt := open(t, reeve.Config{Functions: map[string]func(context.Context, *reeve.FuncCall) error{
		"named": func(context.Context, *reeve.FuncCall) error { return errors.New("by name") },
	}})
	rec := finish(t, rt, reeve.Func("greet", func(_ context.Context, c *reeve.FuncCall) error {
		fmt.Fprintln(c.Stdout, "hello from", c.ID)
		c.Output(map[string]any{"n": 1})
		return nil
	}))
	if got := output(t, rt, rec.ID, reeve.Stdout); got != "hello from 1\n" || rec.Output["n"] == nil {
		t.Errorf("stdout %q, output %v", got, rec.Output)
	}
	if rec := finish(t, rt, reeve.In("function", "named")); rec.Error != "by name" {
		t.Errorf("error %q", rec.Error)
	}
}

func TestZombieChildWaitsForItsParent(t *testing.T) {
	rt, f := fake(t, reeve.Config{}, 0)
	parent := spawn(t, rt, reeve.In("fake", "gate end"))
	awaitEvent(t, rt, parent.ID(), isKind(process.KindProcessStarted))
	child := spawn(t, rt, reeve.In("fake", "").Parent(parent.ID()))
	awaitEvent(t, rt, child.ID(), isKind(process.KindFinalized))
	rec := record(t, rt, child.ID())
	if rec.Lifecycle != process.LifecycleZombie || rec.State != process.Idle || rec.ExitState != process.ExitSuccess {
		t.Errorf("child %s/%s", rec.Lifecycle, rec.State)
	}
	awaitEvent(t, rt, parent.ID(), isKind(process.KindChildSpawned))
	wait(t, child)
	if rec := record(t, rt, child.ID()); rec.Lifecycle != process.LifecycleDead {
		t.Errorf("after wait: %s", rec.Lifecycle)
	}
	orphan := spawn(t, rt, reeve.In("fake", "").Parent(parent.ID()))
	awaitEvent(t, rt, orphan.ID(), isKind(process.KindFinalized))
	running := spawn(t, rt, reeve.In("fake", "gate later").Parent(parent.ID()))
	awaitEvent(t, rt, running.ID(), isKind(process.KindProcessStarted))
	f.Open("end")
	wait(t, parent)
	awaitEvent(t, rt, running.ID(), isKind(process.KindReparented))
	f.Open("later")
	wait(t, running)
	for _, h := range []*reeve.Handle{orphan, running} {
		if rec := record(t, rt, h.ID()); rec.Lifecycle != process.LifecycleDead {
			t.Errorf("%d: %s", h.ID(), rec.Lifecycle)
		}
	}
}

func TestKillTakesChildProcessesAlong(t *testing.T) {
	rt, _ := fake(t, reeve.Config{}, 0)
	parent := spawn(t, rt, reeve.In("fake", "hang"))
	awaitEvent(t, rt, parent.ID(), isKind(process.KindProcessStarted))
	child := spawn(t, rt, reeve.In("fake", "hang").Parent(parent.ID()))
	grandchild := spawn(t, rt, reeve.In("fake", "hang").Parent(child.ID()))
	awaitEvent(t, rt, grandchild.ID(), isKind(process.KindProcessStarted))
	if err := parent.Cancel(); err != nil {
		t.Fatal(err)
	}
	for _, h := range []*reeve.Handle{parent, child, grandchild} {
		if o := wait(t, h); o.Kind != process.OutcomeCancelled {
			t.Errorf("%d: %+v", h.ID(), o)
		}
	}
}

func TestRunAgainKeepsEarlierRuns(t *testing.T) {
	dir := t.TempDir()
	rt := open(t, reeve.Config{Dir: dir})
	counter := filepath.Join(t.TempDir(), "n")
	p := spawn(t, rt, reeve.Sh("echo run >> "+counter+"; wc -l < "+counter+"; exit $(wc -l < "+counter+")").Interpreter("none").Env("SECRET", "s3cret"))
	wait(t, p)
	if _, err := rt.Run(t.Context(), p.ID(), reeve.RunOptions{}); !errors.Is(err, reeve.ErrHasOutputs) {
		t.Errorf("without force: %v", err)
	}
	if _, err := rt.Run(t.Context(), p.ID(), reeve.RunOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
	wait(t, p)
	rec := record(t, rt, p.ID())
	if rec.Number != 2 || rec.Exit.Code != 2 || output(t, rt, p.ID(), reeve.Stdout) != "2\n" {
		t.Errorf("record %+v", rec)
	}
	runs, err := rt.Runs(t.Context(), p.ID())
	if err != nil || len(runs) != 2 || runs[0].Number != 2 || runs[1].Exit.Code != 1 {
		t.Fatalf("runs %+v, %v", runs, err)
	}
	all := events(t, rt, p.ID())
	gapless(t, all)
	if n := count(all, process.KindFinalized); n != 2 {
		t.Errorf("%d finalized: %s", n, kinds(all))
	}
	if _, err := os.ReadFile(filepath.Join(dir, "logs", p.ID().String(), "1.stdout")); err != nil {
		t.Error(err)
	}
}

func TestParkedProcess(t *testing.T) {
	rt, f := fake(t, reeve.Config{}, 0)
	p := spawn(t, rt, reeve.In("fake", "out hi").Parked())
	rec := record(t, rt, p.ID())
	if rec.State != process.Idle || rec.Number != 0 || rec.Lifecycle != process.LifecycleCreated || rec.ExitState != process.ExitNone {
		t.Errorf("record %+v", rec)
	}
	if _, err := p.Wait(t.Context()); !errors.Is(err, reeve.ErrNotRunning) {
		t.Errorf("wait: %v", err)
	}
	if len(f.Executed()) != 0 {
		t.Error("it ran")
	}
	if _, err := rt.Run(t.Context(), p.ID(), reeve.RunOptions{}); err != nil {
		t.Fatal(err)
	}
	if o := wait(t, p); !o.Succeeded() {
		t.Errorf("outcome %+v", o)
	}
}

func TestDelete(t *testing.T) {
	dir := t.TempDir()
	rt := open(t, reeve.Config{Dir: dir})
	p := spawn(t, rt, reeve.Command("sleep", "60"))
	if _, err := rt.Delete(t.Context(), p.ID()); !errors.Is(err, reeve.ErrNotIdle) {
		t.Errorf("running: %v", err)
	}
	if err := rt.Kill(t.Context(), p.ID(), reeve.KillOptions{Now: true}); err != nil {
		t.Fatal(err)
	}
	wait(t, p)
	if err := rt.Kill(t.Context(), p.ID(), reeve.KillOptions{}); !errors.Is(err, reeve.ErrAlreadyIdle) {
		t.Errorf("kill again: %v", err)
	}
	if _, err := rt.Delete(t.Context(), p.ID()); err != nil {
		t.Fatal(err)
	}
	if _, err := rt.Process(t.Context(), p.ID()); !errors.Is(err, reeve.ErrNotFound) {
		t.Errorf("after delete: %v", err)
	}
	if f := files(t, filepath.Join(dir, "logs")); len(f) != 0 {
		t.Errorf("files %v", f)
	}
	if next := spawn(t, rt, reeve.Command("true").Parked()).ID(); next <= p.ID() {
		t.Errorf("id %d was used again", next)
	}
}

func TestCloseEndsWhatRuns(t *testing.T) {
	rt := open(t, reeve.Config{})
	p := spawn(t, rt, reeve.Command("sleep", "60"))
	awaitEvent(t, rt, p.ID(), isKind(process.KindProcessStarted))
	outcome := make(chan reeve.Outcome, 1)
	go func() { o, _ := p.Wait(bounded(t)); outcome <- o }()
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	if o := <-outcome; o.Kind != process.OutcomeCancelled && o.Kind != "" {
		t.Errorf("outcome %+v", o)
	}
	if _, err := rt.Spawn(t.Context(), reeve.Command("true")); !errors.Is(err, reeve.ErrClosed) {
		t.Errorf("spawn: %v", err)
	}
}

func TestDrainWaitsForWhatRuns(t *testing.T) {
	dir := t.TempDir()
	rt := open(t, reeve.Config{Dir: dir})
	p := spawn(t, rt, reeve.Sh("sleep 0.3; echo finished"))
	awaitEvent(t, rt, p.ID(), isKind(process.KindProcessStarted))
	if err := rt.Drain(bounded(t)); err != nil {
		t.Fatal(err)
	}
	rt = open(t, reeve.Config{Dir: dir})
	if rec := record(t, rt, p.ID()); rec.ExitState != process.ExitSuccess {
		t.Errorf("record %+v", rec.Outcome)
	}
}

func TestActiveCap(t *testing.T) {
	rt, f := fake(t, reeve.Config{MaxActive: 2}, 0)
	a := spawn(t, rt, reeve.In("fake", "gate go"))
	b := spawn(t, rt, reeve.In("fake", "gate go"))
	if _, err := rt.Spawn(t.Context(), reeve.In("fake", "")); !errors.Is(err, reeve.ErrTooMany) {
		t.Errorf("third: %v", err)
	}
	parked := spawn(t, rt, reeve.In("fake", "").Parked())
	if parked.ID() != b.ID()+1 {
		t.Errorf("a refused create used up an id: %d", parked.ID())
	}
	if _, err := rt.Run(t.Context(), parked.ID(), reeve.RunOptions{}); !errors.Is(err, reeve.ErrTooMany) {
		t.Errorf("run: %v", err)
	}
	f.Open("go")
	wait(t, a)
	wait(t, b)
	finish(t, rt, reeve.In("fake", ""))
}
