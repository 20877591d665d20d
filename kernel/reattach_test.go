package kernel

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
	"github.com/reeverun/reeve/store"
	"github.com/reeverun/reeve/store/memory"
)

// heir is a kernel with a fake agent on a store that outlives it.
type heir struct {
	*fixture
	agent *envfake.Agent
}

func newHeir(t testingT, st store.Store, change ...func(*Config)) *heir {
	t.Helper()
	agent := &envfake.Agent{}
	f := newFixtureWith(t, 0, func(c *Config) {
		c.Store = &flaky{Store: st}
		c.KeepQueue = true
		c.Environments["agent"] = Environment{Environment: agent}
		for _, f := range change {
			f(c)
		}
	})
	f.st = f.cfg.Store.(*flaky)
	return &heir{f, agent}
}

// crash makes the host one that is dead to the store, and cleans up after it.
func (h *heir) crash(t testingT) {
	h.st.failing.Store(true)
	h.shut(t)
}

func (h *heir) spawnAgent(t testingT, script string, o process.Options) process.ID {
	t.Helper()
	id, err := h.Spawn(context.Background(), Request{Spec: process.Spec{Environment: "agent", Code: script, Options: o}})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// ends are the two ways in which a host ends.
func ends() map[string]func(*heir, testingT) {
	return map[string]func(*heir, testingT){
		"stop":  func(h *heir, t testingT) { h.shut(t) },
		"crash": (*heir).crash,
	}
}

// A paused run is still paused under the next host, its clock stands where it
// stood, and it goes on where it was.
func TestPausedOutlivesItsHost(t *testing.T) {
	for name, end := range ends() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := memory.New()
				a := newHeir(t, st)
				id := a.spawnAgent(t, "remember user begin\nsleep 10s\nremember assistant half\ngate on\nout after\nsleep 5s", process.Options{Timeout: 20 * time.Second})
				time.Sleep(12 * time.Second)
				a.pause(t, id)
				time.Sleep(time.Second)
				before := a.record(t, id)
				end(a, t)
				time.Sleep(time.Hour)

				b := newHeir(t, st)
				defer b.shut(t)
				b.agent.Open("on")
				rec := b.record(t, id)
				if rec.State != process.Running || !rec.Paused || !rec.PausedAt.Equal(before.PausedAt) || rec.Number != 1 ||
					rec.Lifecycle != process.LifecycleRunning || !rec.StartedAt.Equal(before.StartedAt) {
					t.Errorf("after: %+v\nbefore: %+v", rec, before)
				}
				if rec.Usage.WallMS != 12_000 || rec.Usage.PausedMS != time.Since(rec.PausedAt).Milliseconds() {
					t.Errorf("usage %+v", rec.Usage)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				if rec := b.record(t, id); rec.Usage.WallMS != 12_000 || !rec.Paused || rec.Number != 1 {
					t.Errorf("a minute later: %+v", rec)
				}
				if got := len(b.agent.Executed()); got != 1 {
					t.Errorf("executed %d times", got)
				}
				paused := time.Since(rec.PausedAt).Milliseconds()
				b.resume(t, id)
				rec = b.wait(t, id)
				if rec.ExitState != process.ExitSuccess || rec.Usage.WallMS != 17_000 || rec.Usage.PausedMS != paused {
					t.Errorf("in the end %s, %s, %+v", rec.ExitState, rec.Error, rec.Usage)
				}
				want := []process.Kind{process.KindProcessCreated, process.KindProcessQueued, process.KindProcessStarted, process.KindPaused,
					process.KindReattached, process.KindResumed, process.KindReaped, process.KindFinalized}
				if got := b.kinds(t, id); !slices.Equal(got, want) {
					t.Errorf("events %v", got)
				}
			})
		})
	}
}

// The timeout has what it had left when the run was paused.
func TestTimeoutGoesOnUnderTheNextHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := memory.New()
		a := newHeir(t, st)
		id := a.spawnAgent(t, "hang", process.Options{Timeout: 20 * time.Second})
		time.Sleep(15 * time.Second)
		a.pause(t, id)
		a.crash(t)
		time.Sleep(time.Hour)
		b := newHeir(t, st)
		defer b.shut(t)
		time.Sleep(time.Hour)
		since := time.Now()
		b.resume(t, id)
		if rec := b.wait(t, id); rec.ExitState != process.ExitTimeout || rec.Usage.WallMS != 20_000 || time.Since(since) != 5*time.Second {
			t.Errorf("%s after %v, %+v", rec.ExitState, time.Since(since), rec.Usage)
		}
	})
}

func TestKilledWhilePausedUnderTheNextHost(t *testing.T) {
	for name, o := range map[string]KillOptions{"term": {}, "now": {Now: true}} {
		t.Run(name, func(t *testing.T) {
			st := memory.New()
			a := newHeir(t, st)
			id := a.spawnAgent(t, "hang", process.Options{})
			a.pause(t, id)
			a.shut(t)
			b := newHeir(t, st)
			defer b.shut(t)
			if err := b.Kill(t.Context(), id, o); err != nil {
				t.Fatal(err)
			}
			rec := b.wait(t, id)
			if rec.ExitState != process.ExitCanceled || *rec.Exit != (process.Exit{Code: 1, Reason: "context cancelled while paused"}) {
				t.Errorf("%s, %+v", rec.ExitState, rec.Exit)
			}
		})
	}
}

// A run may be left, and taken up, any number of times; its output is whole and
// its numbers have no gap.
func TestLeftAgainAndAgain(t *testing.T) {
	st, dir := memory.New(), t.TempDir()
	onDisk := func(c *Config) {
		logs, err := rawlog.New(rawlog.Config{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		c.Logs, c.RawOutput = logs, process.Persist
	}
	var id process.ID
	for i, end := range []func(*heir, testingT){ends()["stop"], ends()["crash"], ends()["stop"], nil} {
		h := newHeir(t, st, onDisk)
		if i == 0 {
			id = h.spawnAgent(t, "out one\nremember user a\ngate 1\nout two\nremember user b\ngate 2\nout three\nremember user c\ngate 3\nout four", process.Options{})
		} else {
			h.agent.Open(string(rune('0' + i)))
			h.resume(t, id)
		}
		if end == nil {
			if rec := h.wait(t, id); rec.ExitState != process.ExitSuccess || rec.StdoutBytes != int64(len("one\ntwo\nthree\nfour\n")) {
				t.Errorf("%s, %d bytes", rec.ExitState, rec.StdoutBytes)
			}
			h.kinds(t, id) // which checks the numbers
			h.shut(t)
			break
		}
		awaitMessages(t, h, id, i+1)
		h.pause(t, id)
		end(h, t)
	}
	logs, err := rawlog.New(rawlog.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer logs.Close()
	rd, err := logs.Open(int64(id), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer rd.Close()
	text := make([]byte, rd.Size(rawlog.Stdout))
	rd.ReadAt(rawlog.Stdout, text, 0)
	if string(text) != "one\ntwo\nthree\nfour\n" {
		t.Errorf("it wrote %q", text)
	}
}

func awaitMessages(t testingT, h *heir, id process.ID, n int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		all, err := h.Transcript(context.Background(), id, 0, 100)
		if err != nil || time.Now().After(end) {
			t.Fatalf("%d messages, %v", len(all), err)
		}
		if len(all) >= n {
			return
		}
	}
}

// What is not paused is interrupted, as is what cannot go on; below a run that
// is taken up it has died with the host.
func TestOnlyPausedAgentsAreTakenUp(t *testing.T) {
	st := memory.New()
	a := newHeir(t, st)
	busy := a.spawnAgent(t, "hang", process.Options{})
	plain := a.spawn(t, "hang")
	parent := a.spawnAgent(t, "spawn hang\nremember user child\nhang", process.Options{})
	awaitMessages(t, a, parent, 1)
	a.pause(t, plain)
	a.pause(t, parent)
	var child process.ID
	for _, p := range a.table.list() {
		if p.rec.Parent == parent {
			child = p.id
		}
	}
	a.crash(t)
	b := newHeir(t, st)
	defer b.shut(t)
	for _, id := range []process.ID{busy, plain, child} {
		if rec := b.record(t, id); rec.State != process.Idle || rec.Error != process.ErrHostExited {
			t.Errorf("process %d is %s, %q", id, rec.State, rec.Error)
		}
	}
	if rec := b.record(t, parent); rec.State != process.Running || !rec.Paused {
		t.Errorf("the parent is %s", rec.State)
	}
	if err := b.Kill(t.Context(), parent, KillOptions{}); err != nil {
		t.Fatal(err)
	}
	b.wait(t, parent)
	b.wait(t, child)
}

// A signal right after the start finds the environment ready for it.
func TestResumeRightAfterOpen(t *testing.T) {
	for range 50 {
		st := memory.New()
		a := newHeir(t, st)
		id := a.spawnAgent(t, "gate never\nout x", process.Options{})
		a.pause(t, id)
		a.shut(t)
		b := newHeir(t, st)
		b.agent.Open("never")
		b.resume(t, id)
		if rec := b.wait(t, id); rec.ExitState != process.ExitSuccess {
			t.Fatalf("%s: %s", rec.ExitState, rec.Error)
		}
		b.shut(t)
	}
}

// A host answers while it still takes up what another has left: it may end again
// before it is through, and whatever is asked of a run is done.
func TestManyAreTakenUpWhileTheHostAnswers(t *testing.T) {
	for name, end := range ends() {
		t.Run(name, func(t *testing.T) {
			const n = 200
			st := memory.New()
			a := newHeir(t, st)
			var all []process.ID
			for range n {
				id := a.spawnAgent(t, "hang", process.Options{})
				a.pause(t, id)
				all = append(all, id)
			}
			a.shut(t)
			end(newHeir(t, st), t)
			b := newHeir(t, st)
			defer b.shut(t)
			for _, id := range all {
				if rec, err := b.Process(t.Context(), id); err != nil || rec.State != process.Running || !rec.Paused {
					t.Fatalf("process %d right after the start: %+v, %v", id, rec, err)
				}
			}
			var killing sync.WaitGroup
			for _, id := range all {
				killing.Go(func() {
					if err := b.Kill(t.Context(), id, KillOptions{Now: true}); err != nil {
						t.Error(err)
					}
				})
			}
			killing.Wait()
			for _, id := range all {
				if rec := b.wait(t, id); rec.ExitState != process.ExitCanceled {
					t.Fatalf("process %d: %s, %s", id, rec.ExitState, rec.Error)
				}
				b.kinds(t, id) // which checks the numbers
			}
		})
	}
}

// crowded has many paused runs before whatever the test is about.
func crowded(t *testing.T, st store.Store) *heir {
	t.Helper()
	h := newHeir(t, st)
	for range 200 {
		h.pause(t, h.spawnAgent(t, "hang", process.Options{}))
	}
	return h
}

// The kill of a tree that a dead host had begun is carried out, however short
// the life of the next one.
func TestTreeKillIsCarriedOutByAShortLivedHost(t *testing.T) {
	st := memory.New()
	a := crowded(t, st)
	top := a.spawnAgent(t, "stubborn", process.Options{})
	below, err := a.below(top, "hang", process.Budget{})
	if err != nil {
		t.Fatal(err)
	}
	a.pause(t, below)
	told := make(chan error, 1)
	a.table.get(top).stop(process.ErrCanceled, KillOptions{Grace: time.Second}, func(err error) { told <- err })
	if err := <-told; err != nil {
		t.Fatal(err)
	}
	a.crash(t)
	newHeir(t, st).shut(t)
	rec, err := st.Process(t.Context(), below)
	if err != nil || rec.State != process.Idle {
		t.Errorf("below what was killed: %+v, %v", rec, err)
	}
}

// What waits for more of its budget does so under the next host from the first
// moment, and is not ended by the end of that one.
func TestBudgetIsAskedForAtOnceUnderTheNextHost(t *testing.T) {
	for name, use := range map[string]func(*heir, process.ID) error{
		"resume": func(h *heir, id process.ID) error {
			if n, err := h.Signal(t.Context(), id, process.SIGRESUME, SignalOptions{}); err == nil {
				return fmt.Errorf("%d went on over their budget", n)
			}
			return nil
		},
		"finish": func(h *heir, _ process.ID) error {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			_ = h.Finish(ctx)
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			st := memory.New()
			a := crowded(t, st)
			id := a.spawnAgent(t, "remember user begin\nspend 100\nremember assistant half\nhang",
				process.Options{Budget: process.Budget{Tokens: 100, OnExceeded: process.BudgetAsk}})
			for end := time.Now().Add(20 * time.Second); !a.record(t, id).Paused; time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("it is not paused")
				}
			}
			a.shut(t)
			b := newHeir(t, st)
			if err := use(b, id); err != nil {
				t.Error(err)
			}
			b.shut(t)
			if rec, err := st.Process(t.Context(), id); err != nil || rec.State != process.Running || !rec.Paused {
				t.Errorf("%+v, %v", rec, err)
			}
		})
	}
}

// A host without a store that lasts has nobody to leave anything to.
func TestNobodyToLeaveItTo(t *testing.T) {
	st := memory.New()
	h := newHeir(t, st, func(c *Config) { c.KeepQueue = false })
	id := h.spawnAgent(t, "hang", process.Options{})
	h.pause(t, id)
	h.shut(t)
	if rec, err := st.Process(t.Context(), id); err != nil || rec.ExitState != process.ExitCanceled {
		t.Errorf("%+v, %v", rec, err)
	}
}

// Who waits when the host leaves the run is told that, not an outcome.
func TestWaitEndsWithTheHost(t *testing.T) {
	h := newHeir(t, memory.New())
	id := h.spawnAgent(t, "hang", process.Options{})
	h.pause(t, id)
	waited := make(chan error, 1)
	go func() {
		_, err := h.Wait(context.Background(), id)
		waited <- err
	}()
	h.shut(t)
	if err := <-waited; !errors.Is(err, process.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// Whatever is asked for while hosts come and go, every run has one end, or is
// paused and has none yet.
func TestSignalsWhileHostsComeAndGo(t *testing.T) {
	st := memory.New()
	var ids []process.ID
	for round := range 6 {
		h := newHeir(t, st)
		for range 8 {
			ids = append(ids, h.spawnAgent(t, "remember user a\nsleep 2ms\nremember user b\nsleep 5ms\nout x", process.Options{}))
		}
		var asked sync.WaitGroup
		for i := range 4 {
			asked.Go(func() {
				r := rand.New(rand.NewPCG(uint64(round), uint64(i)))
				for range 40 {
					id := ids[r.IntN(len(ids))]
					switch r.IntN(8) {
					case 0:
						_ = h.Kill(context.Background(), id, KillOptions{Now: r.IntN(2) == 0})
					case 1:
						_ = h.Run(context.Background(), id, RunOptions{Resume: true})
					case 2, 3, 4:
						_, _ = h.Signal(context.Background(), id, process.SIGRESUME, SignalOptions{})
					default:
						_, _ = h.Signal(context.Background(), id, process.SIGPAUSE, SignalOptions{})
					}
				}
			})
		}
		if round%2 == 0 {
			asked.Wait()
		}
		h.shut(t)
		asked.Wait()
	}
	last := newHeir(t, st)
	defer last.shut(t)
	for _, id := range ids {
		rec := last.record(t, id)
		if rec.State == process.Running && rec.Paused {
			_, _ = last.Signal(context.Background(), id, process.SIGRESUME, SignalOptions{})
		}
		rec = last.wait(t, id)
		if rec.Outcome == nil || rec.State != process.Idle || rec.Usage.WallMS < 0 || rec.Usage.PausedMS < 0 {
			t.Errorf("process %d: %+v", id, rec)
		}
		finalized := map[int]int{}
		events, err := last.Events(context.Background(), id, 0, 10_000)
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range events {
			if ev.Kind == process.KindFinalized {
				finalized[ev.Run]++
			}
		}
		for run := 1; run <= rec.Number; run++ {
			if finalized[run] != 1 {
				t.Errorf("run %d of process %d has %d ends", run, id, finalized[run])
			}
		}
		messages, err := last.Transcript(context.Background(), id, 0, 1000)
		for i, m := range messages {
			if m.Number != int64(i+1) {
				t.Errorf("process %d: message %d has number %d, %v", id, i+1, m.Number, err)
			}
		}
	}
}
