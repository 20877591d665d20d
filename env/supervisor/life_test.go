package supervisor_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/kernel"
	"github.com/reeverun/reeve/process"
)

func three() []api.Child {
	return []api.Child{script("a", "", "hang"), script("b", "", "hang"), script("c", "", "hang")}
}

// However it is ended, its children end first, in the reverse of their order.
func TestEndedSupervisor(t *testing.T) {
	ways := map[string]func(*fixture, process.ID){
		"kill": func(f *fixture, id process.ID) { f.kill(id, kernel.KillOptions{}) },
		"term": func(f *fixture, id process.ID) { f.signal(id, process.SIGTERM, false) },
		"int":  func(f *fixture, id process.ID) { f.signal(id, process.SIGINT, false) },
	}
	for name, end := range ways {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t)
				defer f.shut()
				id := f.up(api.Supervisor{Children: three()})
				time.Sleep(time.Second)
				end(f, id)
				f.wantExit(f.wait(id), process.ExitCanceled, 130, "supervisor cancelled")
				if got := f.order(process.KindFinalized, id); !slices.Equal(got, []string{"c", "b", "a"}) {
					t.Errorf("ended in the order %v", got)
				}
				if got := f.runs(id); !maps.Equal(got, map[string]int{"a": 1, "b": 1, "c": 1}) {
					t.Errorf("runs %v", got)
				}
				for name, c := range f.children(id) {
					if c.ExitState != process.ExitCanceled || c.Lifecycle != process.LifecycleDead {
						t.Errorf("%s: %s, %s", name, c.ExitState, c.Lifecycle)
					}
				}
			})
		})
	}
}

func (f *fixture) signal(id process.ID, s process.Signal, tree bool) int {
	f.t.Helper()
	n, err := f.Signal(context.Background(), id, s, kernel.SignalOptions{Tree: tree})
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

// Each child has its own time to end; a kill that is in a hurry gives none.
func TestGracesOfChildren(t *testing.T) {
	for hurry, want := range map[bool]time.Duration{false: 10 * time.Second, true: 0} {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t)
			defer f.shut()
			a, b := script("a", "", "stubborn"), script("b", "", "stubborn")
			a.Shutdown, b.Shutdown = api.SpanMS(3000), api.SpanMS(7000)
			id := f.up(api.Supervisor{Children: []api.Child{a, b}})
			time.Sleep(time.Second)
			start := time.Now()
			f.wantExit(f.kill(id, kernel.KillOptions{Now: hurry}), process.ExitCanceled, 130, "supervisor cancelled")
			if took := time.Since(start).Round(time.Second); took != want {
				t.Errorf("in a hurry: %v: it took %v", hurry, took)
			}
		})
	}
}

// A kill that waits becomes one that does not.
func TestKillEscalates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		defer f.shut()
		a := script("a", "", "stubborn")
		a.Shutdown = api.SpanMS(60_000)
		id := f.up(api.Supervisor{Children: []api.Child{a, a}[:1]})
		time.Sleep(time.Second)
		if err := f.Kill(t.Context(), id, kernel.KillOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		f.wantExit(f.kill(id, kernel.KillOptions{Now: true}), process.ExitCanceled, 130, "supervisor cancelled")
		if wall := seconds(f.record(id)); wall != 2 {
			t.Errorf("it took %d s", wall)
		}
	})
}

// A child that cannot be started takes those before it back.
func TestStartFailureRollsBack(t *testing.T) {
	bad := map[string]api.Child{
		"refused":   {Name: "bad", Create: api.Create{Environment: "nowhere", Code: new(string)}},
		"unstarted": script("bad", "", "spawnfail no such program"),
	}
	want := map[string]string{"refused": `child "bad" could not be started: the environment "nowhere" is not available`,
		"unstarted": `child "bad" could not be started: no such program`}
	for name, c := range bad {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t)
				defer f.shut()
				id := f.up(api.Supervisor{Children: append(three(), c)})
				rec := f.wait(id)
				if rec.ExitState != process.ExitFailed || rec.Error != want[name] || rec.Exit.Code != 1 {
					t.Errorf("%s, %q, %+v", rec.ExitState, rec.Error, rec.Exit)
				}
				if got := f.order(process.KindFinalized, id); !slices.Equal(slices.DeleteFunc(got, func(s string) bool { return s == "bad" }), []string{"c", "b", "a"}) {
					t.Errorf("ended in the order %v", got)
				}
				for name, c := range f.children(id) {
					if c.State != process.Idle || c.Number != 1 {
						t.Errorf("%s is %s in run %d", name, c.State, c.Number)
					}
				}
			})
		})
	}
}

// A kill while a restart waits ends it at once, and nobody is started.
func TestKillDuringBackoff(t *testing.T) {
	for _, strategy := range strategies {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t)
			defer f.shut()
			id := f.up(api.Supervisor{Strategy: strategy, Backoff: &api.Backoff{Initial: api.SpanMS(20_000)}, Children: []api.Child{
				script("a", "", "sleep 1s\nfail x"), script("b", "", "hang")}})
			time.Sleep(5 * time.Second)
			f.wantExit(f.kill(id, kernel.KillOptions{}), process.ExitCanceled, 130, "supervisor cancelled")
			time.Sleep(time.Minute)
			synctest.Wait()
			if got := f.runs(id); !maps.Equal(got, map[string]int{"a": 1, "b": 1}) || seconds(f.record(id)) != 5 {
				t.Errorf("%s: runs %v after %d s", strategy, got, seconds(f.record(id)))
			}
		})
	}
}

// A paused supervisor starts nobody; what ended meanwhile is seen to when it goes
// on. A pause of the tree pauses all.
func TestPausedSupervisor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		defer f.shut()
		id := f.up(api.Supervisor{Backoff: atOnce, Children: []api.Child{script("a", "", "sleep 10s\nfail x"), script("b", "", "hang")}})
		time.Sleep(time.Second)
		f.signal(id, process.SIGPAUSE, false)
		time.Sleep(time.Minute)
		synctest.Wait()
		if c := f.children(id)["a"]; c.Number != 1 || c.State != process.Idle {
			t.Fatalf("a is %s in run %d", c.State, c.Number)
		}
		f.signal(id, process.SIGRESUME, false)
		time.Sleep(time.Second)
		if n := f.children(id)["a"].Number; n != 2 {
			t.Fatalf("a is in run %d", n)
		}
		if n := f.signal(id, process.SIGPAUSE, true); n != 3 {
			t.Errorf("%d were paused", n)
		}
		time.Sleep(time.Minute)
		if c := f.children(id)["a"]; c.Number != 2 || !c.Paused {
			t.Errorf("a is in run %d, paused %v", c.Number, c.Paused)
		}
		if n := f.signal(id, process.SIGRESUME, true); n != 3 {
			t.Errorf("%d went on", n)
		}
		f.signal(id, process.SIGPAUSE, false)
		f.wantExit(f.kill(id, kernel.KillOptions{}), process.ExitCanceled, 1, "context cancelled while paused")
		for name, c := range f.children(id) {
			if c.ExitState != process.ExitCanceled {
				t.Errorf("%s is %s", name, c.ExitState)
			}
		}
	})
}

// A supervisor that gives up is a child that failed to the one above it. Its
// children are the same processes when it is run again.
func TestSupervisorOfSupervisors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		defer f.shut()
		inner := &api.Supervisor{MaxRestarts: number(1), Backoff: atOnce, Children: []api.Child{
			script("x", "", "sleep 1s\nfail x"), script("y", "", "hang")}}
		id := f.up(api.Supervisor{Name: "outer", MaxRestarts: number(2), Window: api.SpanMS(60_000), Backoff: atOnce,
			Children: []api.Child{{Name: "inner", Supervisor: inner}, script("z", "", "hang")}})
		time.Sleep(time.Second / 2)
		nested := f.children(id)["inner"]
		before := f.children(nested.ID)
		f.wantExit(f.wait(id), process.ExitFailed, 1, "max_restarts_exceeded")
		if got := f.runs(id); !maps.Equal(got, map[string]int{"inner": 3, "z": 1}) {
			t.Errorf("runs %v", got)
		}
		if got := f.runs(nested.ID); !maps.Equal(got, map[string]int{"x": 6, "y": 3}) {
			t.Errorf("runs of the inner one's %v", got)
		}
		for name, c := range f.children(nested.ID) {
			if c.ID != before[name].ID || c.State != process.Idle {
				t.Errorf("%s was process %d, is %d, %s", name, before[name].ID, c.ID, c.State)
			}
		}
	})
}

// A kill of the outermost ends the whole tree in order, from its leaves.
func TestKillSupervisorOfSupervisors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		defer f.shut()
		id := f.up(api.Supervisor{Children: []api.Child{script("first", "", "hang"),
			{Name: "inner", Supervisor: &api.Supervisor{Children: three()}}, script("last", "", "hang")}})
		time.Sleep(time.Second)
		f.wantExit(f.kill(id, kernel.KillOptions{}), process.ExitCanceled, 130, "supervisor cancelled")
		inner := f.children(id)["inner"]
		f.wantExit(inner, process.ExitCanceled, 130, "supervisor cancelled")
		if got := f.order(process.KindFinalized, id); !slices.Equal(got, []string{"last", "inner", "first"}) {
			t.Errorf("ended in the order %v", got)
		}
		if got := f.order(process.KindFinalized, inner.ID); !slices.Equal(got, []string{"c", "b", "a"}) {
			t.Errorf("below, in the order %v", got)
		}
	})
}

// A supervised process is killed with what is below it, though a supervisor is
// above.
func TestKillBelowASupervisor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		defer f.shut()
		id := f.up(api.Supervisor{Children: []api.Child{script("a", api.Transient, "spawn stubborn\nawait"), script("b", "", "hang")}})
		time.Sleep(time.Second)
		a := f.children(id)["a"]
		f.kill(a.ID, kernel.KillOptions{})
		below, err := f.Processes(t.Context(), process.Query{Parent: a.ID, Limit: 10})
		if err != nil || len(below.Processes) != 1 {
			t.Fatal(below, err)
		}
		if rec := f.wait(below.Processes[0].ID); rec.ExitState != process.ExitCanceled {
			t.Errorf("%+v", rec.ExitState)
		}
	})
}

// A supervisor that is run again has the processes it had, and those that are
// gone are made anew.
func TestRunAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		defer f.shut()
		children := three()
		ref := "the-one"
		children[0].Ref = &ref
		id := f.up(api.Supervisor{Children: children})
		time.Sleep(time.Second)
		f.kill(id, kernel.KillOptions{})
		before := f.children(id)
		if _, err := f.Delete(t.Context(), before["b"].ID); err != nil {
			t.Fatal(err)
		}
		if err := f.Run(t.Context(), id, kernel.RunOptions{Force: true}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		after := f.children(id)
		if after["a"].ID != before["a"].ID || after["a"].Number != 2 || after["c"].ID != before["c"].ID || after["b"].ID == before["b"].ID {
			t.Errorf("a %d → %d, b %d → %d, c %d → %d", before["a"].ID, after["a"].ID, before["b"].ID, after["b"].ID, before["c"].ID, after["c"].ID)
		}
		for name, c := range after {
			if c.State != process.Running {
				t.Errorf("%s is %s", name, c.State)
			}
		}
	})
}

// A host that stops ends supervisors in order, too.
func TestStoppedHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		id := f.up(api.Supervisor{Backoff: atOnce, Children: three()})
		time.Sleep(time.Second)
		f.Stop()
		f.wantExit(f.record(id), process.ExitCanceled, 130, "supervisor cancelled")
		if got := f.order(process.KindFinalized, id); !slices.Equal(got, []string{"c", "b", "a"}) {
			t.Errorf("ended in the order %v", got)
		}
		f.shut()
	})
}

// What a backoff does with deterministic chance.
func TestBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		chances := []float64{0.5, 1, 0} // then 0.5
		f := newFixtureWith(t, func() float64 {
			chances = append(chances, 0.5)
			c := chances[0]
			chances = chances[1:]
			return c
		})
		defer f.shut()
		jitter, factor := 0.5, 3.0
		id := f.up(api.Supervisor{MaxRestarts: number(100), Window: api.SpanMS(10_000),
			Backoff:  &api.Backoff{Initial: api.SpanMS(1000), Max: api.SpanMS(20_000), Factor: &factor, Jitter: &jitter},
			Children: []api.Child{script("a", "", "fail x")}})
		start := time.Now()
		time.Sleep(75 * time.Second)
		synctest.Wait()
		starts := f.starts(id, start)
		// 1s; 3s + 50 %; 9s - 50 %; then the longest there is
		want := []time.Duration{0, time.Second, 5500 * time.Millisecond, 10 * time.Second, 30 * time.Second, 50 * time.Second, 70 * time.Second}
		if !slices.Equal(starts, want) {
			t.Errorf("started at %v, want %v", starts, want)
		}
	})
}

// A child that has lived for longer than the window begins anew.
func TestBackoffIsReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		defer f.shut()
		id := f.up(api.Supervisor{Window: api.SpanMS(5000), Backoff: &api.Backoff{Initial: api.SpanMS(1000)},
			Children: []api.Child{script("a", "", "sleep 6s\nfail x")}})
		start := time.Now()
		time.Sleep(20 * time.Second)
		if got := f.starts(id, start); !slices.Equal(got, []time.Duration{0, 7 * time.Second, 14 * time.Second}) {
			t.Errorf("started at %v", got)
		}
	})
}

// starts says when children were started.
func (f *fixture) starts(id process.ID, since time.Time) (all []time.Duration) {
	for _, ev := range f.events(id) {
		if ev.Kind == process.KindChildSpawned {
			all = append(all, ev.At.Sub(since).Round(100*time.Millisecond))
		}
	}
	return all
}

// The code that is stored and shown holds no secret, and children have them.
func TestSecretsAreHidden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		defer f.shut()
		stdin := "hush-1"
		s := api.Supervisor{Children: []api.Child{
			{Name: "a", Env: map[string]string{"K": "hush-2"}, Create: api.Create{Environment: "command", Command: &api.Command{Program: "x", Env: map[string]string{"L": "hush-3"}, Stdin: &stdin}}},
			{Name: "n", Supervisor: &api.Supervisor{Children: []api.Child{{Name: "b", Create: api.Create{Environment: "command", Command: &api.Command{Program: "x", StdinBase64: []byte("hush-4")}}}}}},
		}}
		id := f.up(s) // it fails, for there is no environment command
		rec := f.record(id)
		if strings.Contains(rec.Code, "hush") || !strings.Contains(rec.Code, process.Redacted) {
			t.Errorf("the code is %s", rec.Code)
		}
		for _, ev := range f.events(id) {
			if b, _ := ev.MarshalJSON(); strings.Contains(string(b), "hush") {
				t.Errorf("%s", b)
			}
		}
	})
}
