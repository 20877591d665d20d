package kernel

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
)

func (f *fixture) beating(t testingT, every time.Duration, script string) process.ID {
	t.Helper()
	id, err := f.Spawn(context.Background(), Request{Spec: process.Spec{Environment: "fake", Code: script,
		Options: process.Options{Heartbeat: every}}})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// silences are the stalls and recoveries of a process, in order.
func (f *fixture) silences(t testingT, id process.ID) (all []string) {
	t.Helper()
	time.Sleep(50 * time.Millisecond) // stored
	events, err := f.Events(context.Background(), id, 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range events {
		switch d := ev.Data.(type) {
		case process.Stalled:
			all = append(all, fmt.Sprint("stalled ", d.SilentMS))
		case process.Recovered:
			all = append(all, fmt.Sprint("recovered ", d.SilentMS))
		}
	}
	return all
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSilenceIsSaidOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stalls atomic.Int64
		f := newFixtureWith(t, 0, func(c *Config) {
			c.Observe = func(_ context.Context, m Moment, p *process.Process) {
				if m == Stalled && p.ID == 1 {
					stalls.Add(1)
				}
			}
		})
		defer f.shut(t)
		id := f.beating(t, 10*time.Second, "sleep 8s\nstep 0\nsleep 1h\nstep 1\nsleep 9s\nspend 1\nsleep 25s")
		time.Sleep(17 * time.Second)
		same(t, f.silences(t, id))
		time.Sleep(30 * time.Minute)
		same(t, f.silences(t, id), "stalled 10000")
		if rec := f.record(t, id); rec.State != process.Running || rec.Lifecycle != process.LifecycleRunning {
			t.Errorf("%s, %s", rec.State, rec.Lifecycle)
		}
		rec := f.wait(t, id)
		same(t, f.silences(t, id), "stalled 10000", "recovered 3600000", "stalled 10000")
		if rec.ExitState != process.ExitSuccess || stalls.Load() != 2 {
			t.Errorf("%s, %d stalls", rec.ExitState, stalls.Load())
		}
		if p := f.table.get(id); p != nil {
			t.Error("it is still in the table")
		}
	})
}

func TestEverySignOfLifeIsHeard(t *testing.T) {
	for _, sign := range []string{"out x", "err x", "raw x", `output {"a":1}`, "call s t", "spawn out x", "step 1", "spend 1"} {
		t.Run(sign, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, 0)
				defer f.shut(t)
				id := f.beating(t, 10*time.Second, strings.Repeat("sleep 9s\n"+sign+"\n", 5))
				f.wait(t, id)
				same(t, f.silences(t, id))
			})
		})
	}
	t.Run("a signal", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t, 0)
			defer f.shut(t)
			id := f.beating(t, 10*time.Second, "ignore\nsleep 1h")
			for range 5 {
				time.Sleep(9 * time.Second)
				if _, err := f.Signal(t.Context(), id, process.SIGTERM, SignalOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			same(t, f.silences(t, id))
		})
	})
}

func TestWhoWaitsForOthersIsNotStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newTooled(t, 0, askAlways())
		defer f.shut(t)
		id := f.beating(t, time.Second, "spawn sleep 1m\nawait\ncall s t\nsleep 5s")
		time.Sleep(time.Hour)
		same(t, f.silences(t, id))
		f.decideAs(t, 1, true, "")
		f.wait(t, id)
		same(t, f.silences(t, id), "stalled 1000")
	})
}

func TestPausedIsNotStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		id := f.beating(t, 10*time.Second, "sleep 1h")
		time.Sleep(6 * time.Second)
		f.pause(t, id)
		time.Sleep(time.Hour)
		same(t, f.silences(t, id))
		f.resume(t, id)
		time.Sleep(3 * time.Second)
		same(t, f.silences(t, id))
		time.Sleep(time.Second)
		same(t, f.silences(t, id), "stalled 10000")
		f.pause(t, id) // one silence, however it is interrupted
		time.Sleep(time.Hour)
		f.resume(t, id)
		time.Sleep(time.Hour - 20*time.Second)
		same(t, f.silences(t, id), "stalled 10000")
	})
}

func TestNoHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixtureWith(t, 1, func(c *Config) {
			e := c.Environments["fake"]
			e.Heartbeat = time.Second
			c.Environments["fake"] = e
		})
		defer f.shut(t)
		off := f.beating(t, process.NoTimeout, "sleep 1h")
		queued := f.beating(t, 0, "sleep 10s")
		time.Sleep(59 * time.Minute)
		same(t, f.silences(t, queued)) // it does not run
		f.wait(t, off)
		same(t, f.silences(t, off))
		if p := f.table.get(queued); p.pulse == nil || p.rec.Options.Heartbeat != time.Second {
			t.Error("the environment's default is not taken")
		}
		f.wait(t, queued)
		same(t, f.silences(t, queued), "stalled 1000")
		if _, err := f.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "fake", Options: process.Options{Heartbeat: -2}}}); err == nil {
			t.Error("a negative one is taken")
		}
	})
}

func TestEndingIsNotStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixtureWith(t, 0, func(c *Config) { c.Grace = time.Minute })
		defer f.shut(t)
		id := f.beating(t, 10*time.Second, "stubborn")
		time.Sleep(5 * time.Second)
		if err := f.Kill(t.Context(), id, KillOptions{}); err != nil {
			t.Fatal(err)
		}
		f.wait(t, id)
		same(t, f.silences(t, id))
	})
}

// A command writes by itself: that its file grows is a sign of life.
func TestGrowingFileIsHeard(t *testing.T) {
	logs, err := rawlog.New(rawlog.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	f := newFixtureWith(t, 0, func(c *Config) { c.Logs, c.RawOutput = logs, process.Persist })
	defer f.shut(t)
	id := f.beating(t, time.Hour, "hang")
	h := f.hostOf(t, id)
	file, err := h.File(process.Stdout)
	if err != nil {
		t.Fatal(err)
	}
	if file == nil {
		t.Skip("programs do not write to files here")
	}
	p := f.table.get(id)
	before := p.pulse.heard.Load()
	if _, err := file.WriteString("by itself\n"); err != nil {
		t.Fatal(err)
	}
	if !eventually(func() bool { return p.pulse.heard.Load() > before }) {
		t.Error("it was not heard")
	}
}

// Beats, stalls and pauses from everywhere at once: recoveries follow stalls, one
// by one.
func TestHeartbeatRaces(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.beating(t, time.Millisecond, "hang")
	h := f.hostOf(t, id)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for n := range 200 {
				h.Emit(process.StepStarted{Step: n})
				if n%50 == i {
					_, _ = f.Signal(context.Background(), id, process.SIGPAUSE, SignalOptions{})
					_, _ = f.Signal(context.Background(), id, process.SIGRESUME, SignalOptions{})
				}
				if n%20 == 0 {
					time.Sleep(2 * time.Millisecond)
				}
			}
		})
	}
	wg.Wait()
	if err := f.Kill(t.Context(), id, KillOptions{Now: true}); err != nil {
		t.Fatal(err)
	}
	f.wait(t, id)
	stalled := false
	for _, s := range f.silences(t, id) {
		if strings.HasPrefix(s, "stalled") == stalled {
			t.Fatalf("%q", f.silences(t, id))
		}
		stalled = !stalled
	}
}
