package kernel

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/process"
)

func (f *fixture) pause(t testingT, id process.ID) {
	t.Helper()
	if n, err := f.Signal(context.Background(), id, process.SIGPAUSE, SignalOptions{}); n != 1 || err != nil {
		t.Fatalf("pause: %d, %v", n, err)
	}
}

func (f *fixture) resume(t testingT, id process.ID) {
	t.Helper()
	if n, err := f.Signal(context.Background(), id, process.SIGRESUME, SignalOptions{}); n != 1 || err != nil {
		t.Fatalf("resume: %d, %v", n, err)
	}
}

func (f *fixture) record(t testingT, id process.ID) *process.Process {
	t.Helper()
	rec, err := f.Process(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func (f *fixture) wait(t testingT, id process.ID) *process.Process {
	t.Helper()
	rec, err := f.Wait(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	if rec.Paused || !rec.PausedAt.IsZero() {
		t.Errorf("process %d is over, and paused since %v", id, rec.PausedAt)
	}
	return rec
}

// kinds are the kinds of a process's events, in order, lines left out.
func (f *fixture) kinds(t testingT, id process.ID) (kinds []process.Kind) {
	t.Helper()
	events, err := f.Events(context.Background(), id, 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	for i, ev := range events {
		if ev.Seq != int64(i+1) {
			t.Errorf("event %d has seq %d", i+1, ev.Seq)
		}
		if ev.Kind != process.KindOutputAppended {
			kinds = append(kinds, ev.Kind)
		}
	}
	return kinds
}

// timed spawns a script with a timeout.
func (f *fixture) timed(t testingT, script string, d time.Duration) process.ID {
	t.Helper()
	id, err := f.Spawn(context.Background(), Request{Spec: process.Spec{Environment: "fake", Code: script,
		Options: process.Options{Timeout: d}}})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestPauseHoldsClockAndProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		id := f.timed(t, "sleep 10s\nout done", 15*time.Second)
		synctest.Wait()
		time.Sleep(5 * time.Second)
		f.pause(t, id)
		paused := time.Now().UTC()
		time.Sleep(time.Hour)
		rec := f.record(t, id)
		if !rec.Paused || !rec.PausedAt.Equal(paused) || rec.State != process.Running || rec.Lifecycle != process.LifecycleRunning {
			t.Errorf("paused %v at %v, %s, %s", rec.Paused, rec.PausedAt, rec.State, rec.Lifecycle)
		}
		if u := rec.Usage; u.WallMS != 5000 || u.PausedMS != 3600_000 {
			t.Errorf("while paused: %+v", u)
		}
		f.resume(t, id)
		if rec := f.record(t, id); rec.Paused || !rec.PausedAt.IsZero() || rec.Usage.WallMS != 5000 {
			t.Errorf("after the resume: paused %v at %v, %+v", rec.Paused, rec.PausedAt, rec.Usage)
		}
		time.Sleep(4 * time.Second)
		if rec := f.record(t, id); rec.Usage.WallMS != 9000 || rec.State != process.Running {
			t.Errorf("4 s later: %s, %+v", rec.State, rec.Usage)
		}
		f.pause(t, id)
		time.Sleep(time.Minute)
		f.resume(t, id)
		rec = f.wait(t, id)
		if u := rec.Usage; rec.ExitState != process.ExitSuccess || u.WallMS != 10_000 || u.PausedMS != 3660_000 {
			t.Errorf("at the end: %s, %+v", rec.ExitState, u)
		}
		if got := f.kinds(t, id); !slices.Equal(got, []process.Kind{"process_created", "process_queued", "process_started",
			"paused", "resumed", "paused", "resumed", "reaped", "finalized"}) {
			t.Errorf("events %v", got)
		}
	})
}

func TestTimeoutHasWhatThePauseLeftIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		id := f.timed(t, "hang", 10*time.Second)
		synctest.Wait()
		for range 9 { // 9 s of its 10
			time.Sleep(time.Second)
			f.pause(t, id)
			time.Sleep(time.Minute)
			f.table.get(id).timeout() // fired as the pause began
			f.resume(t, id)
		}
		time.Sleep(999 * time.Millisecond)
		if rec := f.record(t, id); rec.State != process.Running {
			t.Fatalf("%s before its time", rec.State)
		}
		rec := f.wait(t, id)
		if rec.ExitState != process.ExitTimeout || rec.Usage.WallMS != 10_000 || rec.Usage.PausedMS != 9*60_000 {
			t.Errorf("%s, %+v", rec.ExitState, rec.Usage)
		}
	})
}

func TestKilledWhilePaused(t *testing.T) {
	ends := map[string]func(*fixture, process.ID) error{
		"kill": func(f *fixture, id process.ID) error { return f.Kill(context.Background(), id, KillOptions{}) },
		"now":  func(f *fixture, id process.ID) error { return f.Kill(context.Background(), id, KillOptions{Now: true}) },
		"SIGKILL": func(f *fixture, id process.ID) error {
			_, err := f.Signal(context.Background(), id, process.SIGKILL, SignalOptions{})
			return err
		},
		"close": func(f *fixture, id process.ID) error { return f.Close() },
	}
	for name, end := range ends {
		for _, script := range []string{"hang", "stubborn", "sleep 1h", "gate never"} {
			t.Run(name+" "+script, func(t *testing.T) {
				f := newFixture(t, 0)
				defer f.shut(t)
				id := f.spawn(t, script)
				f.pause(t, id)
				if err := end(f, id); err != nil {
					t.Fatal(err)
				}
				rec := f.wait(t, id)
				if rec.ExitState != process.ExitCanceled || rec.Error != "" || rec.Outcome.Kind != process.OutcomeCancelled ||
					rec.Exit.Code != 1 || rec.Exit.Reason != "context cancelled while paused" {
					t.Errorf("%s, %+v, %+v, %q", rec.ExitState, rec.Exit, rec.Outcome, rec.Error)
				}
			})
		}
	}
}

// A kill thaws: it is the grace that the program gets, not a place to stand.
func TestKilledWhilePausedGoesOnForTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		id := f.spawn(t, "stubborn")
		f.pause(t, id)
		time.Sleep(time.Minute)
		if err := f.Kill(t.Context(), id, KillOptions{Grace: 3 * time.Second}); err != nil {
			t.Fatal(err)
		}
		if rec := f.record(t, id); rec.State != process.Terminating || rec.Paused || !rec.PausedAt.IsZero() {
			t.Errorf("%s, paused %v", rec.State, rec.Paused)
		}
		if n, err := f.Signal(t.Context(), id, process.SIGPAUSE, SignalOptions{}); n != 0 || !errors.Is(err, process.ErrNotRunning) {
			t.Errorf("pause while terminating: %d, %v", n, err)
		}
		if n, err := f.Signal(t.Context(), id, process.SIGRESUME, SignalOptions{}); n != 0 || err != nil {
			t.Errorf("resume while terminating: %d, %v", n, err)
		}
		rec := f.wait(t, id)
		if rec.Usage.WallMS != 3000 || rec.Usage.PausedMS != 60_000 {
			t.Errorf("%+v", rec.Usage)
		}
	})
}

func TestResumedAndKilledIsPlainlyCanceled(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.spawn(t, "hang")
	f.pause(t, id)
	f.resume(t, id)
	if err := f.Kill(t.Context(), id, KillOptions{}); err != nil {
		t.Fatal(err)
	}
	if rec := f.wait(t, id); rec.Exit.Code != process.ExitCodeCanceled || rec.Exit.Reason != process.ReasonCanceled {
		t.Errorf("%+v", rec.Exit)
	}
	if err := f.Run(t.Context(), id, RunOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
	f.pause(t, id) // the next run can be paused like the first
	if err := f.Kill(t.Context(), id, KillOptions{Now: true}); err != nil {
		t.Fatal(err)
	}
	if rec := f.wait(t, id); rec.Exit.Code != 1 || rec.Number != 2 {
		t.Errorf("run %d: %+v", rec.Number, rec.Exit)
	}
}

func TestPauseIsIdempotent(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.spawn(t, "hang")
	if n, err := f.Signal(t.Context(), id, process.SIGRESUME, SignalOptions{}); n != 0 || err != nil {
		t.Errorf("resume of what is not paused: %d, %v", n, err)
	}
	f.pause(t, id)
	at := f.record(t, id).PausedAt
	if n, err := f.Signal(t.Context(), id, process.SIGPAUSE, SignalOptions{}); n != 0 || err != nil {
		t.Errorf("second pause: %d, %v", n, err)
	}
	if again := f.record(t, id).PausedAt; !again.Equal(at) {
		t.Errorf("the second pause moved pausedAt from %v to %v", at, again)
	}
	f.resume(t, id)
	if n, err := f.Signal(t.Context(), id, process.SIGRESUME, SignalOptions{}); n != 0 || err != nil {
		t.Errorf("second resume: %d, %v", n, err)
	}
}

func TestConcurrentPausesAndResumes(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.timed(t, "hang", time.Hour)
	f.pause(t, id)
	var mu sync.Mutex
	affected := map[process.Signal]int{process.SIGPAUSE: 1}
	var wg sync.WaitGroup
	for i := range 100 {
		s := process.SIGPAUSE + process.Signal(i%2)
		wg.Go(func() {
			n, err := f.Signal(context.Background(), id, s, SignalOptions{})
			if err != nil {
				t.Errorf("%v: %v", s, err)
			}
			mu.Lock()
			defer mu.Unlock()
			affected[s] += n
		})
	}
	wg.Wait()
	count := map[process.Kind]int{}
	paused := false
	for _, k := range f.kinds(t, id) {
		if count[k]++; k == process.KindPaused || k == process.KindResumed {
			if paused == (k == process.KindPaused) {
				t.Errorf("%s comes twice in a row", k)
			}
			paused = k == process.KindPaused
		}
	}
	if count[process.KindPaused] != affected[process.SIGPAUSE] || count[process.KindResumed] != affected[process.SIGRESUME] {
		t.Errorf("events %v, affected %v", count, affected)
	}
	if rec := f.record(t, id); rec.Paused != paused {
		t.Errorf("the record says paused %v, the events %v", rec.Paused, paused)
	}
}

// Pauses race with the kill: whatever wins, the run ends and is recorded once.
func TestPauseRacesKill(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	for i := range 200 {
		id := f.spawn(t, "hang")
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() { _, _ = f.Signal(context.Background(), id, process.SIGPAUSE, SignalOptions{}) })
			wg.Go(func() { _, _ = f.Signal(context.Background(), id, process.SIGRESUME, SignalOptions{}) })
		}
		wg.Go(func() { _ = f.Kill(context.Background(), id, KillOptions{Now: i%2 == 0}) })
		wg.Wait()
		rec := f.wait(t, id)
		if rec.ExitState != process.ExitCanceled || rec.Exit.Reason != process.ReasonPaused && rec.Exit.Reason != process.ReasonCanceled {
			t.Fatalf("%s, %+v", rec.ExitState, rec.Exit)
		}
		kinds := f.kinds(t, id)
		if kinds[len(kinds)-1] != process.KindFinalized {
			t.Fatalf("finalized is not last: %v", kinds)
		}
	}
}

// touchy is a fake whose pauses can be made to hang or fail.
type touchy struct {
	envfake.Env
	pausing   chan struct{} // gets one for each Pause that hangs
	hang      bool
	onPause   func(process.ID)
	pauseErr  error
	resumeErr error
}

func (e *touchy) Pause(ctx context.Context, id process.ID, now bool) error {
	if e.hang {
		e.pausing <- struct{}{}
		<-ctx.Done()
		return context.Cause(ctx)
	}
	if e.pauseErr != nil {
		return e.pauseErr
	}
	if e.onPause != nil {
		e.onPause(id)
	}
	return e.Env.Pause(ctx, id, now)
}

func (e *touchy) Resume(id process.ID) error {
	if e.resumeErr != nil {
		return e.resumeErr
	}
	return e.Env.Resume(id)
}

func newTouchy(t *testing.T) (*rig, *touchy, process.ID) {
	t.Helper()
	e := &touchy{pausing: make(chan struct{}, 1)}
	r := newRig(t, 0, func(c *Config) { c.Environments["touchy"] = Environment{Environment: e} })
	id := r.in(t, "touchy", 0, "stubborn")
	r.await(t, id, "running", isRunning)
	return r, e, id
}

// in spawns in an environment of the test's own.
func (r *rig) in(t *testing.T, name string, parent process.ID, script string) process.ID {
	t.Helper()
	id, err := r.Spawn(context.Background(), Request{Spec: process.Spec{Environment: name, Code: script, Parent: parent}})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestKillGivesUpAPauseUnderWay(t *testing.T) {
	r, e, id := newTouchy(t)
	e.hang = true
	paused := make(chan error, 1)
	go func() {
		_, err := r.Signal(context.Background(), id, process.SIGPAUSE, SignalOptions{})
		paused <- err
	}()
	<-e.pausing
	if err := r.Kill(t.Context(), id, KillOptions{Grace: time.Hour}); err != nil {
		t.Fatal(err)
	}
	if err := <-paused; !errors.Is(err, process.ErrNotRunning) {
		t.Errorf("pause: %v", err)
	}
	if err := r.Kill(t.Context(), id, KillOptions{Now: true}); err != nil {
		t.Fatal(err)
	}
	rec, err := r.Wait(t.Context(), id)
	if err != nil || rec.Exit.Reason != process.ReasonCanceled {
		t.Errorf("%+v, %v: it never was paused", rec.Exit, err)
	}
}

func TestPauseThatFails(t *testing.T) {
	r, e, id := newTouchy(t)
	e.pauseErr = errors.New("the disk does not answer")
	n, err := r.Signal(t.Context(), id, process.SIGPAUSE, SignalOptions{})
	if own := (*process.Error)(nil); n != 0 || !errors.As(err, &own) || !errors.Is(err, e.pauseErr) {
		t.Errorf("pause: %d, %v", n, err)
	}
	e.pauseErr = process.Errorf(process.CodeInvalid, "not here")
	if _, err := r.Signal(t.Context(), id, process.SIGPAUSE, SignalOptions{}); !errors.Is(err, process.ErrInvalid) {
		t.Errorf("pause: %v", err)
	}
	if rec := r.rec(t, id); rec.Paused || rec.State != process.Running {
		t.Errorf("paused %v, %s", rec.Paused, rec.State)
	}
}

func TestResumeThatFailsLeavesItPaused(t *testing.T) {
	r, e, id := newTouchy(t)
	if _, err := r.Signal(t.Context(), id, process.SIGPAUSE, SignalOptions{}); err != nil {
		t.Fatal(err)
	}
	e.resumeErr = errors.New("no")
	if n, err := r.Signal(t.Context(), id, process.SIGRESUME, SignalOptions{}); n != 0 || !errors.Is(err, e.resumeErr) {
		t.Errorf("resume: %d, %v", n, err)
	}
	r.await(t, id, "paused", func(p *process.Process) bool { return p.Paused && !p.PausedAt.IsZero() })
	e.resumeErr = nil
	if n, err := r.Signal(t.Context(), id, process.SIGRESUME, SignalOptions{}); n != 1 || err != nil {
		t.Errorf("resume: %d, %v", n, err)
	}
}

// asking is a fake that knows whether a run it is to kill was asked to end.
type asking struct {
	envfake.Env
	ctx   context.Context
	asked chan error
}

func (e *asking) Execute(ctx context.Context, in env.Input, h env.Host) (env.Result, error) {
	e.ctx = ctx
	return e.Env.Execute(ctx, in, h)
}

func (e *asking) Kill(id process.ID) {
	e.asked <- e.ctx.Err()
	e.Env.Kill(id)
}

// What is asked to end goes on first, so a kill at once does not ask.
func TestPausedIsKilledAsItStands(t *testing.T) {
	e := &asking{asked: make(chan error, 1)}
	r := newRig(t, 0, func(c *Config) { c.Environments["asking"] = Environment{Environment: e} })
	for _, now := range []bool{true, false} {
		id := r.in(t, "asking", 0, "stubborn")
		if _, err := r.Signal(t.Context(), id, process.SIGPAUSE, SignalOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := r.Kill(t.Context(), id, KillOptions{Now: now}); err != nil {
			t.Fatal(err)
		}
		if asked := <-e.asked; (asked == nil) != now {
			t.Errorf("now %v: asked before: %v", now, asked)
		}
		if _, err := r.Wait(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
}

// bare is an environment with no optional powers.
type bare struct{ env.Environment }

func TestEnvironmentThatCannotPause(t *testing.T) {
	r := newRig(t, 0, func(c *Config) { c.Environments["bare"] = Environment{Environment: bare{&envfake.Env{}}} })
	id := r.in(t, "bare", 0, "hang")
	_, err := r.Signal(t.Context(), id, process.SIGPAUSE, SignalOptions{})
	if !errors.Is(err, process.ErrInvalid) {
		t.Errorf("pause: %v", err)
	}
	if n, err := r.Signal(t.Context(), id, process.SIGRESUME, SignalOptions{}); n != 0 || err != nil {
		t.Errorf("resume: %d, %v", n, err)
	}
}

func TestDrainDoesNotWaitForThePaused(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.spawn(t, "hang")
	f.pause(t, id)
	late := f.spawn(t, "gate late")
	f.fake.Open("late")
	if err := f.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if rec := f.record(t, late); rec.ExitState != process.ExitSuccess {
		t.Errorf("what runs was not waited for: %s", rec.State)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if rec := f.wait(t, id); rec.Exit.Reason != process.ReasonPaused {
		t.Errorf("%+v", rec.Exit)
	}
}

func TestNoPauseOfADrainingKernel(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.spawn(t, "hang")
	drained := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { drained <- f.Drain(ctx) }()
	if !eventually(f.closing.Load) {
		t.Fatal("it does not drain")
	}
	if _, err := f.Signal(t.Context(), id, process.SIGPAUSE, SignalOptions{}); !errors.Is(err, process.ErrClosed) {
		t.Errorf("pause: %v", err)
	}
	cancel()
	<-drained
}

// A host dies with a paused process: the next one records it as interrupted,
// and not as paused.
func TestRecoveryOfAPausedProcess(t *testing.T) {
	first := newRig(t, 0, func(c *Config) { c.KeepQueue = true })
	id := first.start(t, 0, "hang")
	if _, err := first.Signal(t.Context(), id, process.SIGPAUSE, SignalOptions{}); err != nil {
		t.Fatal(err)
	}
	if rec, err := first.st.Store.Process(t.Context(), id); err != nil || !rec.Paused || rec.PausedAt.IsZero() {
		t.Fatalf("the pause was answered before it was stored: %+v, %v", rec, err)
	}
	second := newRig(t, 0, func(c *Config) { c.KeepQueue, c.Store = true, first.st.Store })
	rec := second.rec(t, id)
	if rec.Paused || !rec.PausedAt.IsZero() || rec.State != process.Idle || rec.Error != process.ErrHostExited {
		t.Errorf("paused %v at %v, %s, %q", rec.Paused, rec.PausedAt, rec.State, rec.Error)
	}
	first.st.apply = func(func() error) error { return nil } // the dead write nothing
}

// A pause that could not be stored is not answered.
func TestPauseIsDurableWhenAnswered(t *testing.T) {
	hold := make(chan struct{})
	var held sync.Once
	r := newRig(t, 0, nil)
	id := r.start(t, 0, "hang")
	r.await(t, id, "running", isRunning)
	storing := make(chan struct{})
	r.st.apply = func(next func() error) error {
		held.Do(func() { close(storing); <-hold })
		return next()
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	impatient := errors.New("impatient")
	go func() { <-storing; cancel(impatient) }()
	if _, err := r.Signal(ctx, id, process.SIGPAUSE, SignalOptions{}); !errors.Is(err, impatient) {
		t.Errorf("answered before it was stored: %v", err)
	}
	if r.rec(t, id).Paused {
		t.Error("seen before it was stored")
	}
	close(hold)
	r.await(t, id, "paused", func(p *process.Process) bool { return p.Paused })
}

func TestStopwatchAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s stopwatch
		begin := time.Now()
		now := begin
		var ran, stood time.Duration
		paused := false
		s.start(now)
		for _, step := range rapid.SliceOf(rapid.IntRange(0, 3)).Draw(t, "steps") {
			switch step {
			case 0:
				s.pause(now)
				paused = true
			case 1:
				s.resume(now)
				paused = false
			default:
				d := time.Duration(rapid.IntRange(0, 1e9).Draw(t, "d"))
				if now = now.Add(d); paused {
					stood += d
				} else {
					ran += d
				}
			}
			if s.elapsed(now) != ran || s.inPauses(now) != stood {
				t.Fatalf("elapsed %v instead of %v, paused %v instead of %v", s.elapsed(now), ran, s.inPauses(now), stood)
			}
		}
		s.stop(now)
		later := now.Add(time.Hour)
		if s.pause(later); s.elapsed(later) != ran || s.inPauses(later) != stood {
			t.Fatalf("stopped: elapsed %v instead of %v, paused %v instead of %v", s.elapsed(later), ran, s.inPauses(later), stood)
		}
	})
}
