package kernel

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
)

func TestSignalLeavesTheVerdictToTheProgram(t *testing.T) {
	for _, c := range []struct {
		script string
		signal process.Signal
		state  process.ExitState
		exit   process.Exit
	}{
		{"trap 0\nhang", process.SIGTERM, process.ExitSuccess, process.Exit{Reason: process.ReasonCompleted}},
		{"trap 7\nhang", process.SIGINT, process.ExitFailed, process.Exit{Code: 7, Reason: "exit status 7"}},
		{"hang", process.SIGTERM, process.ExitFailed, process.Exit{Code: 143, Reason: "signal: terminated", Signal: "SIGTERM"}},
		{"hang", process.SIGINT, process.ExitFailed, process.Exit{Code: 130, Reason: "signal: interrupt", Signal: "SIGINT"}},
	} {
		f := newFixture(t, 0)
		id := f.spawn(t, c.script)
		if n, err := f.Signal(t.Context(), id, c.signal, SignalOptions{}); n != 1 || err != nil {
			t.Errorf("%q: %d, %v", c.script, n, err)
		}
		rec := f.wait(t, id)
		if rec.ExitState != c.state || *rec.Exit != c.exit {
			t.Errorf("%q, %v: %s, %+v", c.script, c.signal, rec.ExitState, rec.Exit)
		}
		if c.exit.Signal != "" && rec.Outcome.Reason.Kind != process.FailSignal {
			t.Errorf("%q: %+v", c.script, rec.Outcome)
		}
		if got := f.kinds(t, id); !slices.Equal(got[3:], []process.Kind{"signal_delivered", "exited", "reaped", "finalized"}) {
			t.Errorf("%q: events %v", c.script, got)
		}
		f.shut(t)
	}
}

func TestSignalThatIsIgnored(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.spawn(t, "ignore\nout ready\ngate g")
	for range 3 {
		if n, err := f.Signal(t.Context(), id, process.SIGTERM, SignalOptions{}); n != 1 || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
	if rec := f.record(t, id); rec.State != process.Running {
		t.Errorf("state %s", rec.State)
	}
}

func TestSignalOfWhatDoesNotRun(t *testing.T) {
	f := newFixture(t, 1)
	defer f.shut(t)
	busy := f.spawn(t, "hang")
	queued := f.spawn(t, "hang")
	parked, err := f.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "fake", Code: "hang"}, Parked: true})
	if err != nil {
		t.Fatal(err)
	}
	f.pause(t, busy)
	for _, s := range []process.Signal{process.SIGTERM, process.SIGKILL, process.SIGINT, process.SIGPAUSE, process.SIGRESUME} {
		for _, id := range []process.ID{queued, parked} {
			if n, err := f.Signal(t.Context(), id, s, SignalOptions{Tree: true}); n != 0 || !errors.Is(err, process.ErrNotRunning) {
				t.Errorf("%v to %d: %d, %v", s, id, n, err)
			}
		}
		if _, err := f.Signal(t.Context(), 99, s, SignalOptions{}); !errors.Is(err, process.ErrNotFound) {
			t.Errorf("%v to the unknown: %v", s, err)
		}
	}
	for _, s := range []process.Signal{0, 6, -1} {
		if _, err := f.Signal(t.Context(), busy, s, SignalOptions{}); !errors.Is(err, process.ErrInvalid) {
			t.Errorf("signal %d: %v", s, err)
		}
	}
	if err := f.Kill(t.Context(), busy, KillOptions{Now: true}); err != nil {
		t.Fatal(err)
	}
	f.wait(t, busy)
	if _, err := f.Signal(t.Context(), busy, process.SIGTERM, SignalOptions{}); !errors.Is(err, process.ErrNotRunning) {
		t.Errorf("signal to the finished: %v", err)
	}
}

func TestSignalWithoutSignalerCancels(t *testing.T) {
	r := newRig(t, 0, func(c *Config) { c.Environments["bare"] = Environment{Environment: bare{&envfake.Env{}}} })
	id := r.in(t, "bare", 0, "hang")
	if n, err := r.Signal(t.Context(), id, process.SIGINT, SignalOptions{}); n != 1 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	rec, err := r.Wait(t.Context(), id)
	if err != nil || rec.ExitState != process.ExitCanceled {
		t.Errorf("%+v, %v", rec, err)
	}
	events, err := r.Events(t.Context(), id, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range events {
		if d, ok := ev.Data.(process.SignalDelivered); ok && d != (process.SignalDelivered{Signal: "SIGINT", Action: "terminate"}) {
			t.Errorf("%+v", d)
		}
	}
}

// slowStart is an environment that takes its time before the run executes.
type slowStart struct {
	envfake.Env
	asked, goOn chan struct{}
}

func (e *slowStart) Execute(ctx context.Context, in env.Input, h env.Host) (env.Result, error) {
	close(e.asked)
	<-e.goOn
	return e.Env.Execute(ctx, in, h)
}

func TestSignalWaitsForAStartUnderWay(t *testing.T) {
	e := &slowStart{asked: make(chan struct{}), goOn: make(chan struct{})}
	r := newRig(t, 0, func(c *Config) { c.Environments["slow"] = Environment{Environment: e} })
	id := r.in(t, "slow", 0, "hang")
	<-e.asked
	paused := make(chan error, 1)
	go func() {
		_, err := r.Signal(context.Background(), id, process.SIGPAUSE, SignalOptions{})
		paused <- err
	}()
	if !eventually(func() bool {
		p := r.table.get(id)
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.begun != nil
	}) {
		t.Fatal("nobody waits for the start")
	}
	close(e.goOn)
	if err := <-paused; err != nil || !r.rec(t, id).Paused {
		t.Errorf("pause: %v", err)
	}
}

// A run that is claimed ahead is queued, and is not waited for.
func TestSignalOfOneClaimedAhead(t *testing.T) {
	logs, err := rawlog.New(rawlog.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, 1, func(c *Config) { c.KeepQueue, c.Logs, c.RawOutput = true, logs, process.Persist })
	r.start(t, 0, "hang")
	id := r.start(t, 0, "hang")
	r.await(t, id, "claimed ahead", func(p *process.Process) bool { return p.Claimed && p.Ahead })
	ctx, cancel := context.WithTimeout(t.Context(), startWait/2)
	defer cancel()
	if _, err := r.Signal(ctx, id, process.SIGPAUSE, SignalOptions{}); !errors.Is(err, process.ErrNotRunning) {
		t.Errorf("pause: %v", err)
	}
}

func TestSignalTree(t *testing.T) {
	r := newRig(t, 0, func(c *Config) { c.Environments["bare"] = Environment{Environment: bare{&envfake.Env{}}} })
	root := r.start(t, 0, "hang")
	r.await(t, root, "running", isRunning)
	dead := r.start(t, root, "gate dead")
	r.await(t, dead, "running", isRunning)
	below := r.start(t, dead, "hang") // below a dead one, when it is signalled
	r.await(t, below, "running", isRunning)
	r.fake.Open("dead")
	if _, err := r.Wait(t.Context(), dead); err != nil {
		t.Fatal(err)
	}
	child := r.start(t, root, "hang")
	idle, err := r.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "fake", Code: "hang", Parent: root}, Parked: true})
	if err != nil {
		t.Fatal(err)
	}
	stranger := r.start(t, 0, "hang")
	r.await(t, stranger, "running", isRunning)
	family := []process.ID{root, below, child}

	all := SignalOptions{Tree: true}
	for _, step := range []struct {
		signal process.Signal
		n      int
		paused bool
	}{{process.SIGPAUSE, 3, true}, {process.SIGPAUSE, 0, true}, {process.SIGRESUME, 3, false}, {process.SIGRESUME, 0, false}} {
		if n, err := r.Signal(t.Context(), root, step.signal, all); n != step.n || err != nil {
			t.Errorf("%v: %d, %v", step.signal, n, err)
		}
		for _, id := range family {
			if r.rec(t, id).Paused != step.paused {
				t.Errorf("%v: process %d is paused: %v", step.signal, id, !step.paused)
			}
		}
		if r.rec(t, stranger).Paused || r.rec(t, idle).Paused {
			t.Errorf("%v reached others", step.signal)
		}
	}
	stuck := r.in(t, "bare", root, "hang")
	if n, err := r.Signal(t.Context(), root, process.SIGPAUSE, all); n != 3 || !errors.Is(err, process.ErrInvalid) ||
		!strings.Contains(err.Error(), "process "+stuck.String()) {
		t.Errorf("with one that cannot be paused: %d, %v", n, err)
	}
	if n, err := r.Signal(t.Context(), root, process.SIGRESUME, all); n != 3 || err != nil {
		t.Errorf("resume: %d, %v", n, err)
	}
	if n, err := r.Signal(t.Context(), root, process.SIGTERM, all); n != 4 || err != nil {
		t.Errorf("term: %d, %v", n, err)
	}
	for _, id := range append(family, stuck) {
		if rec, err := r.Wait(t.Context(), id); err != nil || rec.ExitState == process.ExitSuccess {
			t.Errorf("process %d: %+v, %v", id, rec, err)
		}
	}
	if rec := r.rec(t, stranger); rec.State != process.Running {
		t.Errorf("the stranger is %s", rec.State)
	}
}

// What is born while a round is under way is found by the next one.
func TestSignalTreeReachesTheNewborn(t *testing.T) {
	r, e, root := newTouchy(t)
	child := r.in(t, "touchy", root, "hang")
	var born process.ID
	e.onPause = func(id process.ID) {
		if id == child {
			born = r.in(t, "touchy", root, "hang")
		}
	}
	if n, err := r.Signal(t.Context(), root, process.SIGPAUSE, SignalOptions{Tree: true}); n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if !r.rec(t, born).Paused {
		t.Error("the newborn is not paused")
	}
}

// A tree that grows while it is paused is paused whole: what was born before
// the last round began is held, and only what comes after is not.
func TestSignalTreeConverges(t *testing.T) {
	r := newRig(t, 0, nil)
	for range 20 {
		root := r.start(t, 0, "hang")
		var mu sync.Mutex
		var born []process.ID
		var wg sync.WaitGroup
		first := make(chan struct{})
		var once sync.Once
		for range 4 {
			wg.Go(func() {
				for parent, i := root, 0; i < 10; i++ {
					id, err := r.Spawn(context.Background(), Request{Spec: process.Spec{Environment: "fake", Code: "hang", Parent: parent}})
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					born = append(born, id)
					mu.Unlock()
					once.Do(func() { close(first) })
					parent = id
				}
			})
		}
		<-first
		mu.Lock()
		before := slices.Clone(born)
		mu.Unlock()
		n, err := r.Signal(t.Context(), root, process.SIGPAUSE, SignalOptions{Tree: true})
		if err != nil || n < 1+len(before) {
			t.Fatalf("reached %d of at least %d: %v", n, 1+len(before), err)
		}
		for _, id := range before {
			if !r.rec(t, id).Paused {
				t.Errorf("process %d was there, and is not paused", id)
			}
		}
		wg.Wait()
		rest, err := r.Signal(t.Context(), root, process.SIGPAUSE, SignalOptions{Tree: true})
		if err != nil || n+rest != 1+len(born) {
			t.Fatalf("%d and %d were paused of %d: %v", n, rest, 1+len(born), err)
		}
		if killed, err := r.Signal(t.Context(), root, process.SIGKILL, SignalOptions{Tree: true}); killed != 1+len(born) || err != nil {
			t.Fatalf("%d of %d killed: %v", killed, 1+len(born), err)
		}
		for _, id := range append(born, root) {
			if rec, err := r.Wait(t.Context(), id); err != nil || rec.Exit.Reason != process.ReasonPaused {
				t.Errorf("process %d: %+v, %v", id, rec, err)
			}
		}
	}
}
