package kernel

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/process"
)

// choices are the signals that a process can decide about.
var choices = []process.Signal{process.SIGTERM, process.SIGINT, process.SIGPAUSE, process.SIGRESUME}

// delivered are what became of a process's signals, in order.
func (f *fixture) delivered(t testingT, id process.ID) (all []process.SignalDelivered) {
	t.Helper()
	events, err := f.Events(context.Background(), id, 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range events {
		if d, ok := ev.Data.(process.SignalDelivered); ok {
			all = append(all, d)
		}
	}
	return all
}

func (f *fixture) wantDelivered(t testingT, id process.ID, want ...process.SignalDelivered) {
	t.Helper()
	if got := f.delivered(t, id); !slices.Equal(got, want) {
		t.Errorf("signals %v, want %v", got, want)
	}
}

// begun spawns a script and waits until it is seen to execute.
func (f *fixture) begun(t testingT, script string) process.ID {
	t.Helper()
	id := f.spawn(t, script)
	if err := f.table.get(id).leftQueue(context.Background()); err != nil {
		t.Fatal(err)
	}
	return id
}

func (f *fixture) send(t testingT, id process.ID, s process.Signal, affected int) {
	t.Helper()
	if n, err := f.Signal(context.Background(), id, s, SignalOptions{}); n != affected || err != nil {
		t.Errorf("%v: %d, %v, want %d", s, n, err, affected)
	}
}

func wantNil(t testingT, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%v", err)
	}
}

func TestBlockedSignalIsPendingAndCoalesces(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.begun(t, "trap 0\nhang")
	wantNil(t, f.SigBlock(t.Context(), id, process.SIGTERM))
	wantNil(t, f.SigBlock(t.Context(), id, process.SIGTERM))
	for i := range 5 {
		f.send(t, id, process.SIGTERM, max(0, 1-i)) // the first is pending, the others add nothing
	}
	if rec := f.record(t, id); rec.State != process.Running {
		t.Fatalf("state %s", rec.State)
	}
	f.wantDelivered(t, id, process.SignalDelivered{Signal: "SIGTERM", Action: "pending"})
	wantNil(t, f.SigUnblock(t.Context(), id, process.SIGTERM))
	if rec := f.wait(t, id); rec.ExitState != process.ExitSuccess {
		t.Errorf("%s", rec.ExitState)
	}
	f.wantDelivered(t, id, process.SignalDelivered{Signal: "SIGTERM", Action: "pending"},
		process.SignalDelivered{Signal: "SIGTERM", Action: "deliver"})
}

func TestUnblockWithoutPendingDoesNothing(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.begun(t, "hang")
	for _, s := range choices {
		wantNil(t, f.SigUnblock(t.Context(), id, s)) // not blocked
		wantNil(t, f.SigBlock(t.Context(), id, s))
		wantNil(t, f.SigUnblock(t.Context(), id, s)) // nothing pending
	}
	f.wantDelivered(t, id)
	if rec := f.record(t, id); rec.State != process.Running || rec.Paused {
		t.Errorf("%s, paused %v", rec.State, rec.Paused)
	}
}

func TestHandlerReplacesTheDefault(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.begun(t, "hang")
	called := make(chan process.Signal, 100)
	for _, s := range choices {
		wantNil(t, f.SigHandle(t.Context(), id, s, func(s process.Signal) { called <- s }))
		for range 3 {
			f.send(t, id, s, 1)
		}
		for range 3 {
			if got := <-called; got != s {
				t.Errorf("%v was handled, %v was sent", got, s)
			}
		}
	}
	if rec := f.record(t, id); rec.State != process.Running || rec.Paused {
		t.Errorf("%s, paused %v", rec.State, rec.Paused)
	}
	for _, d := range f.delivered(t, id) {
		if d.Action != process.ActionHandler {
			t.Errorf("%v", d)
		}
	}
	wantNil(t, f.SigHandle(t.Context(), id, process.SIGTERM, nil))
	f.send(t, id, process.SIGTERM, 1)
	if rec := f.wait(t, id); rec.Exit.Signal != "SIGTERM" {
		t.Errorf("%+v", rec.Exit)
	}
	if len(called) != 0 {
		t.Error("the handler was called after it had been taken away")
	}
}

// A blocked signal is pending though it has a handler, and is handled when it is
// let through.
func TestUnblockDeliversToTheHandler(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.begun(t, "hang")
	called := make(chan process.Signal, 10)
	wantNil(t, f.SigHandle(t.Context(), id, process.SIGINT, func(s process.Signal) { called <- s }))
	wantNil(t, f.SigBlock(t.Context(), id, process.SIGINT))
	f.send(t, id, process.SIGINT, 1)
	f.send(t, id, process.SIGINT, 0)
	wantNil(t, f.SigUnblock(t.Context(), id, process.SIGINT))
	<-called
	f.wantDelivered(t, id, process.SignalDelivered{Signal: "SIGINT", Action: "pending"},
		process.SignalDelivered{Signal: "SIGINT", Action: "handler"})
	if len(called) != 0 {
		t.Error("handled twice")
	}
}

func TestSIGKILLCanBeNeitherBlockedNorHandled(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.begun(t, "stubborn")
	for name, err := range map[string]error{
		"SigBlock":   f.SigBlock(t.Context(), id, process.SIGKILL),
		"SigUnblock": f.SigUnblock(t.Context(), id, process.SIGKILL),
		"SigHandle":  f.SigHandle(t.Context(), id, process.SIGKILL, func(process.Signal) {}),
	} {
		wantSyscall(t, err, name, id, process.CodeSyscallInvalid, process.ErrInvalid)
	}
	for _, s := range choices {
		wantNil(t, f.SigBlock(t.Context(), id, s))
		wantNil(t, f.SigHandle(t.Context(), id, s, func(s process.Signal) { t.Errorf("%v was handled", s) }))
	}
	f.send(t, id, process.SIGKILL, 1)
	if rec := f.wait(t, id); rec.ExitState != process.ExitCanceled {
		t.Errorf("%s", rec.ExitState)
	}
}

func TestPauseAndResumeCanBeBlocked(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.begun(t, "hang")
	wantNil(t, f.SigBlock(t.Context(), id, process.SIGPAUSE))
	f.send(t, id, process.SIGPAUSE, 1)
	f.send(t, id, process.SIGPAUSE, 0)
	if f.record(t, id).Paused {
		t.Fatal("a blocked pause paused")
	}
	wantNil(t, f.SigUnblock(t.Context(), id, process.SIGPAUSE))
	if !f.record(t, id).Paused {
		t.Fatal("the pending pause was not delivered")
	}
	wantNil(t, f.SigBlock(t.Context(), id, process.SIGRESUME))
	f.send(t, id, process.SIGRESUME, 1)
	if !f.record(t, id).Paused {
		t.Fatal("a blocked resume resumed")
	}
	wantNil(t, f.SigUnblock(t.Context(), id, process.SIGRESUME))
	if f.record(t, id).Paused {
		t.Fatal("the pending resume was not delivered")
	}
}

// A kill of what blocks or handles SIGTERM has the grace run, and then kills.
func TestKillOfWhatIsNotAsked(t *testing.T) {
	term := process.SignalDelivered{Signal: "SIGTERM"}
	killed := process.SignalDelivered{Signal: "SIGKILL", Action: "kill"}
	for name, c := range map[string]struct {
		prepare func(*fixture, process.ID) error
		action  string
	}{
		"blocked": {func(f *fixture, id process.ID) error {
			return f.SigBlock(context.Background(), id, process.SIGTERM)
		}, "pending"},
		"handled": {func(f *fixture, id process.ID) error {
			return f.SigHandle(context.Background(), id, process.SIGTERM, func(process.Signal) {})
		}, "handler"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, 0)
				defer f.shut(t)
				id := f.begun(t, "hang") // which ends as soon as it is asked to
				wantNil(t, c.prepare(f, id))
				wantNil(t, f.Kill(t.Context(), id, KillOptions{Grace: 3 * time.Second}))
				time.Sleep(2 * time.Second)
				if rec := f.record(t, id); rec.State != process.Terminating {
					t.Errorf("state %s", rec.State)
				}
				wantNil(t, f.Kill(t.Context(), id, KillOptions{Grace: time.Hour})) // no second kill
				rec := f.wait(t, id)
				if rec.Usage.WallMS != 3000 || rec.ExitState != process.ExitCanceled || rec.Exit.Code != process.ExitCodeCanceled {
					t.Errorf("after %d ms: %s, %+v", rec.Usage.WallMS, rec.ExitState, rec.Exit)
				}
				term.Action = c.action
				f.wantDelivered(t, id, term, killed)
			})
		})
	}
}

func TestKillNowOfWhatBlocksSIGTERM(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.begun(t, "stubborn")
	wantNil(t, f.SigBlock(t.Context(), id, process.SIGTERM))
	wantNil(t, f.Kill(t.Context(), id, KillOptions{Grace: time.Hour}))
	wantNil(t, f.Kill(t.Context(), id, KillOptions{Now: true}))
	f.wait(t, id)
	f.wantDelivered(t, id, process.SignalDelivered{Signal: "SIGTERM", Action: "pending"},
		process.SignalDelivered{Signal: "SIGKILL", Action: "kill"})
}

// Unblocked while it is being ended, the program is asked to end as the kill
// would have, whatever that was for.
func TestUnblockOfAKillsSIGTERM(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(*fixture, process.ID) error
		want process.ExitState
	}{
		"kill": {func(f *fixture, id process.ID) error {
			return f.Kill(context.Background(), id, KillOptions{Grace: time.Hour})
		}, process.ExitCanceled},
		"timeout": {func(f *fixture, id process.ID) error { f.table.get(id).timeout(); return nil }, process.ExitTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixtureWith(t, 0, func(c *Config) { c.Grace = time.Hour })
				defer f.shut(t)
				id := f.begun(t, "hang")
				wantNil(t, f.SigBlock(t.Context(), id, process.SIGTERM))
				wantNil(t, c.end(f, id))
				f.send(t, id, process.SIGTERM, 0) // pending already
				time.Sleep(time.Second)
				wantNil(t, f.SigUnblock(t.Context(), id, process.SIGTERM))
				if rec := f.wait(t, id); rec.ExitState != c.want || rec.Usage.WallMS != 1000 {
					t.Errorf("%s after %d ms", rec.ExitState, rec.Usage.WallMS)
				}
				f.wantDelivered(t, id, process.SignalDelivered{Signal: "SIGTERM", Action: "pending"},
					process.SignalDelivered{Signal: "SIGTERM", Action: "terminate"})
			})
		})
	}
}

// What is paused and not asked to end stands until it is killed, resumed, or
// asked after all.
func TestKillWhilePausedAndBlocked(t *testing.T) {
	for _, way := range []string{"killed", "unblocked", "resumed"} {
		t.Run(way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, 0)
				defer f.shut(t)
				id := f.begun(t, "sleep 10s")
				wantNil(t, f.SigBlock(t.Context(), id, process.SIGTERM))
				f.pause(t, id)
				wantNil(t, f.Kill(t.Context(), id, KillOptions{Grace: time.Minute}))
				if rec := f.record(t, id); rec.State != process.Terminating || !rec.Paused {
					t.Errorf("%s, paused %v", rec.State, rec.Paused)
				}
				reason, wall := process.ReasonPaused, int64(0)
				switch way {
				case "unblocked":
					wantNil(t, f.SigUnblock(t.Context(), id, process.SIGTERM))
				case "resumed":
					f.resume(t, id)
					reason, wall = process.ReasonCanceled, 10_000
				}
				rec := f.wait(t, id)
				if rec.ExitState != process.ExitCanceled || rec.Exit.Reason != reason || rec.Usage.WallMS != wall {
					t.Errorf("%s, %+v, %+v", rec.ExitState, rec.Exit, rec.Usage)
				}
			})
		})
	}
}

func TestHandlersRunInOrderOneAtATime(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.begun(t, "hang")
	var inside atomic.Int64
	handled := make(chan process.Signal, 100)
	for _, s := range choices {
		wantNil(t, f.SigHandle(t.Context(), id, s, func(s process.Signal) {
			if inside.Add(1) != 1 {
				t.Error("two at a time")
			}
			runtime.Gosched()
			inside.Add(-1)
			handled <- s
		}))
	}
	var sent []process.Signal
	for i := range 40 {
		s := choices[i%len(choices)]
		f.send(t, id, s, 1)
		sent = append(sent, s)
	}
	for i, s := range sent {
		if got := <-handled; got != s {
			t.Fatalf("number %d was %v, not %v", i, got, s)
		}
	}
}

func TestHandlersMayDoAnything(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.begun(t, "hang")
	wantNil(t, f.SigHandle(t.Context(), id, process.SIGINT, func(process.Signal) { panic("no secret") }))
	f.send(t, id, process.SIGINT, 1)
	wantNil(t, f.SigHandle(t.Context(), id, process.SIGINT, func(process.Signal) { runtime.Goexit() }))
	f.send(t, id, process.SIGINT, 1)
	wantNil(t, f.SigHandle(t.Context(), id, process.SIGINT, func(s process.Signal) { // calls back, and waits for the end
		wantNil(t, f.SigBlock(context.Background(), id, s))
		wantNil(t, f.SigHandle(context.Background(), id, s, nil))
		wantNil(t, f.SigUnblock(context.Background(), id, s))
		wantNil(t, f.Kill(context.Background(), id, KillOptions{}))
		if _, err := f.Wait(context.Background(), id); err != nil {
			t.Error(err)
		}
	}))
	f.send(t, id, process.SIGINT, 1)
	f.wait(t, id)
	events, err := f.Events(t.Context(), id, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	warned := 0
	for _, ev := range events {
		if w, ok := ev.Data.(process.WarningDetected); ok {
			warned++
			if w.Code != "reeve.handler_panicked" || !strings.Contains(w.Message, "SIGINT") {
				t.Errorf("%+v", w)
			}
		}
	}
	if warned != 1 {
		t.Errorf("%d warnings", warned)
	}
}

// A handler that does not return holds up nothing but itself; what waits for it
// is not called after the end.
func TestHandlerThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		id := f.begun(t, "hang")
		release, in := make(chan struct{}), make(chan struct{})
		wantNil(t, f.SigHandle(t.Context(), id, process.SIGINT, func(process.Signal) { close(in); <-release }))
		f.send(t, id, process.SIGINT, 1)
		<-in
		wantNil(t, f.SigHandle(t.Context(), id, process.SIGINT, func(process.Signal) { t.Error("called after the end") }))
		for range maxHandlings + 10 {
			f.send(t, id, process.SIGINT, 1)
		}
		f.table.get(id).mu.Lock()
		if n := len(f.table.get(id).sig.queue); n != maxHandlings {
			t.Errorf("%d wait for the handler", n)
		}
		f.table.get(id).mu.Unlock()
		wantNil(t, f.Kill(t.Context(), id, KillOptions{}))
		f.wait(t, id)
		f.shut(t) // gives it up after the grace
		close(release)
		synctest.Wait()
	})
}

// Handlers, blocked and pending signals are of one run, and end with it.
func TestReapClearsDispositions(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.begun(t, "trap 0\nhang")
	first := f.table.get(id)
	wantNil(t, f.SigHandle(t.Context(), id, process.SIGTERM, func(process.Signal) { t.Error("handled") }))
	wantNil(t, f.SigBlock(t.Context(), id, process.SIGTERM))
	f.send(t, id, process.SIGTERM, 1)
	f.pause(t, id)
	wantNil(t, f.Kill(t.Context(), id, KillOptions{Now: true}))
	f.wait(t, id)
	first.mu.Lock()
	if first.sig != nil || first.rec.Paused || first.rec.Lifecycle != process.LifecycleDead {
		t.Errorf("the dead has %+v, paused %v", first.sig, first.rec.Paused)
	}
	first.mu.Unlock()
	wantNil(t, f.Run(t.Context(), id, RunOptions{Force: true}))
	if err := f.table.get(id).awaitStart(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.send(t, id, process.SIGTERM, 1)
	if rec := f.wait(t, id); rec.ExitState != process.ExitSuccess || rec.Number != 2 {
		t.Errorf("run %d: %s", rec.Number, rec.ExitState)
	}
}

// However blocks, signals and unblocks meet, what was accepted is handled, and
// handled once.
func TestDispositionRaces(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.begun(t, "hang")
	var accepted, handled atomic.Int64
	wantNil(t, f.SigHandle(t.Context(), id, process.SIGINT, func(process.Signal) { handled.Add(1) }))
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			for range 3 {
				switch i % 3 {
				case 0:
					wantNil(t, f.SigBlock(context.Background(), id, process.SIGINT))
				case 1:
					n, err := f.Signal(context.Background(), id, process.SIGINT, SignalOptions{})
					wantNil(t, err)
					accepted.Add(int64(n))
				default:
					wantNil(t, f.SigUnblock(context.Background(), id, process.SIGINT))
				}
			}
		})
	}
	wg.Wait()
	wantNil(t, f.SigUnblock(t.Context(), id, process.SIGINT))
	if !eventually(func() bool { return handled.Load() == accepted.Load() }) {
		t.Errorf("%d were accepted, %d handled", accepted.Load(), handled.Load())
	}
	if accepted.Load() == 0 {
		t.Error("nothing was accepted")
	}
}

// An environment without signals is canceled by what is not blocked.
func TestDispositionsOfABareEnvironment(t *testing.T) {
	f := newFixtureWith(t, 0, func(c *Config) { c.Environments["bare"] = Environment{Environment: bare{&envfake.Env{}}} })
	defer f.shut(t)
	id, err := f.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "bare", Code: "hang"}})
	if err != nil {
		t.Fatal(err)
	}
	wantNil(t, f.SigBlock(t.Context(), id, process.SIGINT))
	wantNil(t, f.SigBlock(t.Context(), id, process.SIGPAUSE))
	f.send(t, id, process.SIGINT, 1)
	f.send(t, id, process.SIGPAUSE, 1)
	if err := f.SigUnblock(t.Context(), id, process.SIGPAUSE); !errors.Is(err, process.ErrInvalid) {
		t.Errorf("the pause of what cannot be paused: %v", err)
	}
	if rec := f.record(t, id); rec.State != process.Running {
		t.Fatalf("state %s", rec.State)
	}
	wantNil(t, f.SigUnblock(t.Context(), id, process.SIGINT))
	if rec := f.wait(t, id); rec.ExitState != process.ExitCanceled {
		t.Errorf("%s", rec.ExitState)
	}
	f.wantDelivered(t, id, process.SignalDelivered{Signal: "SIGINT", Action: "pending"},
		process.SignalDelivered{Signal: "SIGPAUSE", Action: "pending"},
		process.SignalDelivered{Signal: "SIGINT", Action: "terminate"})
}

// wantSyscall fails unless err is the answer of a kernel call.
func wantSyscall(t testingT, err error, call string, id process.ID, code process.SyscallCode, is error) {
	t.Helper()
	var se *process.SyscallError
	if !errors.As(err, &se) || se.Syscall != call || se.PID != id || se.Code != code || !errors.Is(err, is) {
		t.Errorf("%s(%d): %v, want %s around %v", call, id, err, code, is)
	}
}

func TestSyscallErrors(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	parent := f.begun(t, "hang")
	zombie, err := f.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "fake", Parent: parent}})
	if err != nil {
		t.Fatal(err)
	}
	if !eventually(func() bool { return isZombie(f.record(t, zombie)) }) {
		t.Fatal("no zombie")
	}
	dead := f.spawn(t, "")
	f.wait(t, dead)
	idle, err := f.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "fake"}, Parked: true})
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]func(process.ID, process.Signal) error{
		"Signal": func(id process.ID, s process.Signal) error {
			_, err := f.Signal(t.Context(), id, s, SignalOptions{})
			return err
		},
		"SigBlock":   func(id process.ID, s process.Signal) error { return f.SigBlock(t.Context(), id, s) },
		"SigUnblock": func(id process.ID, s process.Signal) error { return f.SigUnblock(t.Context(), id, s) },
		"SigHandle":  func(id process.ID, s process.Signal) error { return f.SigHandle(t.Context(), id, s, nil) },
	}
	for name, call := range calls {
		for _, s := range []process.Signal{-1, 0, 6, 100} {
			wantSyscall(t, call(parent, s), name, parent, process.CodeSyscallInvalid, process.ErrInvalid)
		}
		for _, s := range choices {
			wantSyscall(t, call(99, s), name, 99, process.CodeSyscallNotFound, process.ErrNotFound)
			wantSyscall(t, call(0, s), name, 0, process.CodeSyscallNotFound, process.ErrNotFound)
			for _, id := range []process.ID{zombie, dead, idle} {
				wantSyscall(t, call(id, s), name, id, process.CodeSyscallNotFound, process.ErrNotRunning)
			}
		}
	}
	_, err = f.Wait(t.Context(), 99)
	wantSyscall(t, err, "Wait", 99, process.CodeSyscallNotFound, process.ErrNotFound)
	_, err = f.Trace(t.Context(), idle)
	wantSyscall(t, err, "Trace", idle, process.CodeSyscallNotFound, process.ErrNotRunning)
	wantSyscall(t, f.Run(t.Context(), parent, RunOptions{Force: true}), "Run", parent, process.CodeSyscallInvalid, process.ErrNotIdle)
	for _, id := range []process.ID{zombie, dead, idle} {
		wantSyscall(t, f.Kill(t.Context(), id, KillOptions{}), "Kill", id, process.CodeSyscallNotFound, process.ErrAlreadyIdle)
		wantNil(t, f.Cancel(t.Context(), id))
	}
	wantSyscall(t, f.Cancel(t.Context(), 99), "Kill", 99, process.CodeSyscallNotFound, process.ErrNotFound)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errDisk)
	if _, err := f.Wait(ctx, parent); err != errDisk {
		t.Errorf("a caller that gave up is told %v", err)
	}
}
