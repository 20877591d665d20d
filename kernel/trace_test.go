package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// traceOf follows a process and fails if it cannot.
func (f *fixture) traceOf(t testingT, id process.ID) *Trace {
	t.Helper()
	tr, err := f.Trace(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// rest are the calls of a trace to its end.
func rest(t testingT, tr *Trace) (calls []process.Syscall) {
	t.Helper()
	for {
		c, err := tr.Next(context.Background())
		if err == io.EOF {
			return calls
		}
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, c)
	}
}

func names(calls []process.Syscall) (names []string) {
	for _, c := range calls {
		names = append(names, c.Call)
	}
	return names
}

// askingAll is an environment whose run asks the host for everything there is.
type askingAll struct {
	begin chan struct{}
	child process.ID
}

const secret = "hunter2"

func (e *askingAll) Setup(context.Context) error    { return nil }
func (e *askingAll) Teardown(context.Context) error { return nil }
func (e *askingAll) Docs() string                   { return "" }
func (e *askingAll) Kill(process.ID)                {}
func (e *askingAll) Execute(ctx context.Context, in env.Input, h env.Host) (env.Result, error) {
	<-e.begin
	h.Started(7, process.Enforced{})
	_ = h.Write(process.Stdout, []byte(secret))
	_, _ = h.File(process.Stderr)
	h.Output(map[string]any{"password": secret})
	_, _ = h.Call(ctx, "vault", "open", json.RawMessage(`{"key":"`+secret+`"}`))
	e.child, _ = h.Spawn(ctx, process.Spec{Environment: "fake", Code: "out " + secret})
	_, _ = h.Await(ctx, e.child)
	_, _ = h.Rerun(ctx, e.child, env.Again{})
	_, _ = h.Await(ctx, e.child)
	_, _ = h.Children(ctx)
	_ = h.Signal(ctx, e.child, process.SIGTERM)
	_ = h.Cancel(ctx, e.child)
	_, _, _, _ = h.Read(ctx, e.child, process.Stdout, 0, 100)
	h.Emit(process.SummarySet{Summary: secret})
	_ = h.Spend(ctx, 12)
	_ = h.Remember(ctx, process.Message{})
	_, _ = h.Transcript(ctx)
	_ = h.Block(process.SIGINT)
	_ = h.Unblock(process.SIGINT)
	_ = h.Handle(process.SIGINT, func(process.Signal) {})
	h.Exited(process.Exit{Code: 3})
	return env.Result{State: process.ExitSuccess}, nil
}

// Everything a run asks of the kernel is traced, with its arguments and without
// its secrets.
func TestTraceOfWhatARunAsks(t *testing.T) {
	e := &askingAll{begin: make(chan struct{})}
	f := newFixtureWith(t, 0, func(c *Config) { c.Environments["all"] = Environment{Environment: e} })
	defer f.shut(t)
	id, err := f.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "all", Code: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	tr := f.traceOf(t, id)
	close(e.begin)
	calls := rest(t, tr)
	want := []string{"Started", "Write", "File", "Output", "Call", "Spawn", "Await", "Rerun", "Await", "Children", "Signal", "Cancel", "Read",
		"Emit", "Spend", "Remember", "Transcript", "SigBlock", "SigUnblock", "SigHandle", "Exited", "Reap"}
	if got := names(calls); !slices.Equal(got, want) {
		t.Errorf("calls %v", got)
	}
	b, err := json.Marshal(calls)
	if err != nil || strings.Contains(string(b), secret) {
		t.Errorf("the trace tells: %s, %v", b, err)
	}
	arg := func(call, name string) any {
		return calls[slices.IndexFunc(calls, func(c process.Syscall) bool { return c.Call == call })].Args[name]
	}
	for _, c := range []struct {
		call, name string
		want       any
	}{{"Started", "pid", 7}, {"Write", "bytes", len(secret)}, {"Write", "stream", process.Stdout}, {"Output", "keys", 1},
		{"Call", "service", "vault"}, {"Call", "tool", "open"}, {"Spawn", "child", e.child}, {"Spawn", "environment", "fake"},
		{"Await", "child", e.child}, {"Signal", "signal", "SIGTERM"}, {"Read", "bytes", len(secret) + 1},
		{"Emit", "kind", process.KindSummarySet}, {"Spend", "tokens", int64(12)}, {"Remember", "messages", 1},
		{"SigBlock", "signal", "SIGINT"}, {"Exited", "code", 3}} {
		if got := arg(c.call, c.name); got != c.want {
			t.Errorf("%s: %s is %v, want %v", c.call, c.name, got, c.want)
		}
	}
	if c := calls[slices.Index(want, "Signal")]; c.Error == nil {
		t.Error("a signal to the finished has no error")
	}
	if got := calls[len(calls)-1].Args["steps"]; !slices.Equal(got.([]string), []string{"orphans", "cancel", "wait"}) {
		t.Errorf("reaped after %v", got)
	}
}

// What is done to a process is traced, with the time it took.
func TestTraceOfWhatIsDoneToIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		id := f.begun(t, "stubborn")
		tr := f.traceOf(t, id)
		f.pause(t, id)
		f.resume(t, id)
		wantNil(t, f.SigBlock(t.Context(), id, process.SIGTERM))
		f.send(t, id, process.SIGTERM, 1)
		wantNil(t, f.SigUnblock(t.Context(), id, process.SIGTERM))
		waited := make(chan error, 1)
		go func() { _, err := f.Wait(context.Background(), id); waited <- err }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := f.Wait(ctx, id); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("wait: %v", err)
		}
		wantNil(t, f.Kill(t.Context(), id, KillOptions{Grace: 2 * time.Second}))
		wantNil(t, <-waited)
		calls := rest(t, tr)
		want := []string{"Pause", "Signal", "Resume", "Signal", "SigBlock", "Signal", "SigUnblock", "Wait", "Wait", "Wait", "Kill", "Wait", "Reap"}
		if got := names(calls); !slices.Equal(got, want) {
			t.Fatalf("calls %v", got)
		}
		for i, action := range map[int]string{1: "pause", 3: "resume", 5: "pending", 7: "entry", 8: "entry", 9: "given up", 11: "completed"} {
			if got := calls[i].Args["action"]; got != action {
				t.Errorf("call %d, %s: action %v, want %s", i, calls[i].Call, got, action)
			}
		}
		if d := calls[11].Duration(); d != 3*time.Second {
			t.Errorf("the wait took %v", d)
		}
		if d := calls[9].Duration(); d != time.Second || calls[9].Error == nil {
			t.Errorf("the wait that was given up took %v, %v", d, calls[9].Error)
		}
		for _, c := range calls {
			if c.At.IsZero() || c.DurationMS < 0 || c.Dropped != 0 {
				t.Errorf("%+v", c)
			}
		}
	})
}

// A zombie's Wait is complete before it is reaped.
func TestTraceOfAZombiesWait(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	parent := f.begun(t, "hang")
	child, err := f.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "fake", Code: "gate go", Parent: parent}})
	if err != nil {
		t.Fatal(err)
	}
	tr := f.traceOf(t, child)
	f.fake.Open("go")
	if !eventually(func() bool { return isZombie(f.record(t, child)) }) {
		t.Fatal("no zombie")
	}
	f.wait(t, child)
	if got := names(rest(t, tr)); !slices.Equal(got[len(got)-3:], []string{"Wait", "Wait", "Reap"}) {
		t.Errorf("calls %v", got)
	}
}

// Each tracer has all calls, at its own pace; one that does not read loses some,
// is told how many, and holds nobody up.
func TestTracersAreIndependent(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.begun(t, "hang")
	slow, gone := f.traceOf(t, id), f.traceOf(t, id)
	gone.Close()
	gone.Close()
	var readers sync.WaitGroup
	var fast [4][]process.Syscall
	const n = traceBuffer + 50
	seen := make(chan struct{}, 4*n)
	for i := range fast {
		tr := f.traceOf(t, id)
		readers.Go(func() {
			for {
				c, err := tr.Next(context.Background())
				if err != nil {
					return
				}
				fast[i] = append(fast[i], c)
				seen <- struct{}{}
			}
		})
	}
	for range n {
		wantNil(t, f.SigBlock(t.Context(), id, process.SIGINT))
		for range fast {
			<-seen
		}
	}
	wantNil(t, f.Kill(t.Context(), id, KillOptions{Now: true}))
	f.wait(t, id)
	readers.Wait()
	for i, calls := range fast {
		got := names(calls)
		if len(got) < n+1 || slices.ContainsFunc(calls, func(c process.Syscall) bool { return c.Dropped != 0 }) || got[len(got)-1] != "Reap" {
			t.Errorf("reader %d saw %d calls of %d", i, len(got), n)
		}
	}
	kept := rest(t, slow)
	last := kept[len(kept)-1]
	if len(kept) != traceBuffer+1 || last.Call != "Reap" || last.Dropped < 50 || last.Dropped != slow.Dropped() {
		t.Errorf("the slow one has %d calls, the last is %+v; %d are lost", len(kept), last, slow.Dropped())
	}
	if got := rest(t, gone); got != nil {
		t.Errorf("the closed one has %v", names(got))
	}
}

// A run that nobody traces any more is as cheap as one that nobody ever did.
func TestUntracedCostsNothing(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.begun(t, "hang")
	tr := f.traceOf(t, id)
	tr.Close()
	p := f.table.get(id)
	if p.tracers.Load() != nil {
		t.Error("the last tracer has left something")
	}
	h := &tracedHost{&host{p}, p}
	if n := testing.AllocsPerRun(100, func() { _ = h.Spend(context.Background(), 0) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Traces of what never ran, and of what is left to the next host, end too.
func TestTracesEnd(t *testing.T) {
	f := newFixtureWith(t, 1, func(c *Config) { c.KeepQueue = true })
	busy := f.begun(t, "hang")
	killed, left := f.spawn(t, "hang"), f.spawn(t, "hang")
	one, two, three := f.traceOf(t, killed), f.traceOf(t, left), f.traceOf(t, busy)
	wantNil(t, f.Kill(t.Context(), killed, KillOptions{}))
	if got := names(rest(t, one)); !slices.Equal(got, []string{"Kill", "Reap"}) {
		t.Errorf("calls %v", got)
	}
	f.shut(t)
	if got := names(rest(t, two)); got != nil {
		t.Errorf("calls %v", got)
	}
	if got := names(rest(t, three)); !slices.Equal(got, []string{"Reap"}) {
		t.Errorf("calls %v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := three.Next(ctx); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
}
