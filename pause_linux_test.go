package reeve_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/process"
)

// eachTier opens a runtime for each way to hold a tree.
func eachTier(t *testing.T, f func(t *testing.T, rt *reeve.Runtime)) {
	for _, tier := range []keeper.Tier{keeper.TierCgroup2, keeper.TierSubreaper, keeper.TierGroup} {
		t.Run(string(tier), func(t *testing.T) {
			rt, err := reeve.Open(t.Context(), reeve.Config{Tier: tier})
			if err != nil {
				t.Skipf("this machine has no %s: %v", tier, err)
			}
			defer rt.Close()
			f(t, rt)
		})
	}
}

func pause(t testing.TB, rt *reeve.Runtime, id reeve.ID) {
	t.Helper()
	if err := rt.Pause(bounded(t), id); err != nil {
		t.Fatal("pause:", err)
	}
}

func resume(t testing.TB, rt *reeve.Runtime, id reeve.ID) {
	t.Helper()
	if err := rt.Resume(bounded(t), id); err != nil {
		t.Fatal("resume:", err)
	}
}

// A paused command writes nothing, nor do its descendants in sessions of their
// own; resumed, it goes on where it stood.
func TestPauseOfACommand(t *testing.T) {
	eachTier(t, func(t *testing.T, rt *reeve.Runtime) {
		mark := fmt.Sprint(time.Now().UnixNano())
		p := spawn(t, rt, reeve.Sh(strings.ReplaceAll(`
			tick() { i=0; while :; do i=$((i+1)); echo $1 $i; sleep 0.005; done; }
			tick one & setsid sh -c 'i=0; while :; do i=$((i+1)); echo two $i; : 1000.MARK; sleep 0.005; done' & wait`, "MARK", mark)))
		awaitEvent(t, rt, p.ID(), isLine("one 3"))
		awaitEvent(t, rt, p.ID(), isLine("two 3"))
		pause(t, rt, p.ID())
		rec := record(t, rt, p.ID())
		if !rec.Paused || rec.PausedAt.IsZero() || rec.State != process.Running {
			t.Errorf("paused %v at %v, %s", rec.Paused, rec.PausedAt, rec.State)
		}
		before := record(t, rt, p.ID())
		time.Sleep(100 * time.Millisecond) // in which nothing happens: it cannot be waited for
		after := record(t, rt, p.ID())
		if after.StdoutBytes != before.StdoutBytes {
			t.Errorf("it wrote %d bytes while paused", after.StdoutBytes-before.StdoutBytes)
		}
		if after.Usage.WallMS != before.Usage.WallMS || after.Usage.PausedMS < before.Usage.PausedMS+100 {
			t.Errorf("the clock went from %+v to %+v", before.Usage, after.Usage)
		}
		resume(t, rt, p.ID())
		n := strings.Count(output(t, rt, p.ID(), reeve.Stdout), "one ")
		awaitEvent(t, rt, p.ID(), isLine(fmt.Sprintf("one %d", n+3)))
		awaitEvent(t, rt, p.ID(), isLine(fmt.Sprintf("two %d", n+3)))
		if err := p.Cancel(); err != nil {
			t.Fatal(err)
		}
		if o := wait(t, p); o.Kind != process.OutcomeCancelled {
			t.Errorf("%+v", o)
		}
		if left := marked(t, mark); len(left) > 0 {
			t.Errorf("survivors: %v", left)
		}
		if rec := record(t, rt, p.ID()); rec.Exit.Reason != process.ReasonCanceled || rec.Usage.PausedMS < 100 {
			t.Errorf("%+v, %+v", rec.Exit, rec.Usage)
		}
	})
}

// Killed while paused: nothing is left, whatever tree it was.
func TestKillOfThePaused(t *testing.T) {
	eachTier(t, func(t *testing.T, rt *reeve.Runtime) {
		for name, script := range trees {
			for _, now := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/now %v", name, now), func(t *testing.T) {
					mark := fmt.Sprint(time.Now().UnixNano())
					p := spawn(t, rt, reeve.Sh(strings.ReplaceAll(script, "MARK", mark)).Grace(100*time.Millisecond))
					awaitEvent(t, rt, p.ID(), isLine("ready"))
					pause(t, rt, p.ID())
					if err := rt.Kill(t.Context(), p.ID(), reeve.KillOptions{Now: now}); err != nil {
						t.Fatal(err)
					}
					o := wait(t, p)
					if left := marked(t, mark); len(left) > 0 || len(o.Survivors) > 0 {
						t.Errorf("%d survivors: %v; the outcome names %v", len(left), left, o.Survivors)
					}
					rec := record(t, rt, p.ID())
					if rec.ExitState != process.ExitCanceled || rec.Exit.Code != 1 || rec.Paused ||
						rec.Exit.Reason != "context cancelled while paused" {
						t.Errorf("%s, %+v, paused %v", rec.ExitState, rec.Exit, rec.Paused)
					}
				})
			}
		}
	})
}

// A kill thaws what it asks to end, so that it can clean up; at once it does
// not.
func TestKillOfThePausedLetsItCleanUp(t *testing.T) {
	eachTier(t, func(t *testing.T, rt *reeve.Runtime) {
		for _, now := range []bool{false, true} {
			p := spawn(t, rt, reeve.Sh(`trap 'echo cleaned up; exit 0' TERM; echo ready; while :; do sleep 0.01; done`))
			awaitEvent(t, rt, p.ID(), isLine("ready"))
			pause(t, rt, p.ID())
			if err := rt.Kill(t.Context(), p.ID(), reeve.KillOptions{Now: now}); err != nil {
				t.Fatal(err)
			}
			wait(t, p)
			if got, want := output(t, rt, p.ID(), reeve.Stdout), "ready\ncleaned up\n"; (got == want) == now {
				t.Errorf("now %v: stdout %q", now, got)
			}
		}
	})
}

func TestSignalsOfACommand(t *testing.T) {
	eachTier(t, func(t *testing.T, rt *reeve.Runtime) {
		for _, c := range []struct {
			script string
			signal reeve.Signal
			state  process.ExitState
			exit   process.Exit
		}{
			{`trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done`, reeve.SIGTERM, process.ExitSuccess, process.Exit{Reason: "completed"}},
			{`trap 'exit 7' INT; echo ready; while :; do sleep 0.01; done`, reeve.SIGINT, process.ExitFailed, process.Exit{Code: 7, Reason: "exit status 7"}},
			{`echo ready; exec sleep 1000`, reeve.SIGTERM, process.ExitFailed, process.Exit{Code: 143, Reason: "signal: terminated", Signal: "SIGTERM"}},
			{`echo ready; exec sleep 1000`, reeve.SIGINT, process.ExitFailed, process.Exit{Code: 130, Reason: "signal: interrupt", Signal: "SIGINT"}},
		} {
			p := spawn(t, rt, reeve.Sh(c.script))
			awaitEvent(t, rt, p.ID(), isLine("ready"))
			if n, err := rt.Signal(bounded(t), p.ID(), c.signal, reeve.SignalOptions{}); n != 1 || err != nil {
				t.Errorf("%v: %d, %v", c.signal, n, err)
			}
			wait(t, p)
			if rec := record(t, rt, p.ID()); rec.ExitState != c.state || *rec.Exit != c.exit {
				t.Errorf("%q, %v: %s, %+v", c.script, c.signal, rec.ExitState, rec.Exit)
			}
			if all := events(t, rt, p.ID()); count(all, process.KindSignalDelivered) != 1 || count(all, process.KindCancelled) != 0 {
				t.Errorf("%v: %s", c.signal, kinds(all))
			}
		}
	})
}

// A signal right after the spawn finds the program, not a gap before it.
func TestSignalAtOnce(t *testing.T) {
	rt := open(t, reeve.Config{})
	for range 30 {
		p := spawn(t, rt, reeve.Command("sleep", "1000"))
		if n, err := rt.Signal(bounded(t), p.ID(), reeve.SIGTERM, reeve.SignalOptions{}); n != 1 || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
		wait(t, p)
	}
}

func TestPausesRaceTheEndOfCommands(t *testing.T) {
	eachTier(t, func(t *testing.T, rt *reeve.Runtime) {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for i := range 10 {
					p, err := rt.Spawn(t.Context(), reeve.Sh(fmt.Sprintf("sleep 0.0%d & sleep 0.00%d", i, i)))
					if err != nil {
						t.Error(err)
						return
					}
					for _, s := range []reeve.Signal{reeve.SIGPAUSE, reeve.SIGRESUME, reeve.SIGPAUSE, reeve.SIGPAUSE, reeve.SIGRESUME} {
						if _, err := rt.Signal(t.Context(), p.ID(), s, reeve.SignalOptions{}); err != nil && !errors.Is(err, reeve.ErrNotRunning) {
							t.Errorf("%v: %v", s, err)
						}
					}
					ctx, cancel := context.WithTimeout(context.Background(), limit)
					if o, err := p.Wait(ctx); err != nil || !o.Succeeded() {
						t.Errorf("%+v, %v", o, err)
					}
					cancel()
				}
			})
		}
		wg.Wait()
	})
}

// The time leftovers are given stands still, too: the leader of a paused command
// is killed by somebody else, and what it left is waited for.
func TestPauseHoldsTheDrain(t *testing.T) {
	eachTier(t, func(t *testing.T, rt *reeve.Runtime) {
		mark := fmt.Sprint(time.Now().UnixNano())
		p := spawn(t, rt, reeve.Sh(`sh -c 'trap "" TERM; echo ready; sleep 1000.`+mark+`' & wait`).
			Drain(20*time.Millisecond).Grace(20*time.Millisecond))
		awaitEvent(t, rt, p.ID(), isLine("ready"))
		started := awaitEvent(t, rt, p.ID(), isKind(process.KindProcessStarted))
		pause(t, rt, p.ID())
		if err := syscall.Kill(started.Data.(process.ProcessStarted).PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		awaitEvent(t, rt, p.ID(), isKind(process.KindExited))
		time.Sleep(200 * time.Millisecond) // in which nothing happens: it cannot be waited for
		if left := marked(t, mark); len(left) == 0 {
			t.Error("what was paused is gone")
		}
		if rec := record(t, rt, p.ID()); !rec.Paused || rec.State != process.Running {
			t.Errorf("paused %v, %s", rec.Paused, rec.State)
		}
		resume(t, rt, p.ID())
		wait(t, p)
		if left := marked(t, mark); len(left) > 0 {
			t.Errorf("survivors: %v", left)
		}
	})
}

// Pauses are kept: events and record tell of them after a restart.
func TestPausesSurviveReopen(t *testing.T) {
	dir := t.TempDir()
	rt, err := reeve.Open(t.Context(), reeve.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	p := spawn(t, rt, reeve.Command("sleep", "1000"))
	pause(t, rt, p.ID())
	resume(t, rt, p.ID())
	pause(t, rt, p.ID())
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, reeve.Config{Dir: dir})
	rec := record(t, again, p.ID())
	if rec.Paused || rec.ExitState != process.ExitCanceled || rec.Exit.Reason != process.ReasonPaused {
		t.Errorf("paused %v, %s, %+v", rec.Paused, rec.ExitState, rec.Exit)
	}
	all := events(t, again, p.ID())
	if count(all, process.KindPaused) != 2 || count(all, process.KindResumed) != 1 {
		t.Errorf("events %s", kinds(all))
	}
	gapless(t, all)
}

func TestPauseOfAFunction(t *testing.T) {
	rt := open(t, reeve.Config{})
	p := spawn(t, rt, reeve.Func("wait", func(ctx context.Context, c *reeve.FuncCall) error {
		<-ctx.Done()
		return context.Cause(ctx)
	}))
	if err := rt.Pause(bounded(t), p.ID()); !errors.Is(err, reeve.ErrInvalid) {
		t.Errorf("pause: %v", err)
	}
	if n, err := rt.Signal(bounded(t), p.ID(), reeve.SIGTERM, reeve.SignalOptions{}); n != 1 || err != nil {
		t.Errorf("term: %d, %v", n, err)
	}
	if o := wait(t, p); o.Kind != process.OutcomeCancelled {
		t.Errorf("%+v", o)
	}
}
