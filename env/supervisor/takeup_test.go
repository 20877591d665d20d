package supervisor_test

import (
	"context"
	"maps"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/env/supervisor"
	"github.com/reeverun/reeve/kernel"
	"github.com/reeverun/reeve/process"
)

// service is a child that goes on without a host.
func service(name, restart string) api.Child {
	code := "hang"
	return api.Child{Name: name, Restart: restart, Create: api.Create{Environment: "kept", Code: &code}}
}

// stubborn is one that ends only by force, after a minute.
func stubborn(name string) api.Child {
	code := "stubborn"
	return api.Child{Name: name, Shutdown: api.SpanMS(60_000), Create: api.Create{Environment: "kept", Code: &code}}
}

func (f *fixture) count(id process.ID, kind process.Kind) (n int) {
	for _, ev := range f.events(id) {
		if ev.Kind == kind {
			n++
		}
	}
	return n
}

// wantRunning checks that a supervisor and its children run, and in which runs.
func (f *fixture) wantRunning(id process.ID, runs map[string]int) {
	f.t.Helper()
	synctest.Wait()
	if rec := f.record(id); rec.State != process.Running || rec.Number != 1 {
		f.t.Errorf("the supervisor is %s in run %d: %s", rec.State, rec.Number, rec.Error)
	}
	got := map[string]int{}
	for name, c := range f.children(id) {
		if c.State == process.Running {
			got[name] = c.Number
		}
	}
	if !maps.Equal(got, runs) {
		f.t.Errorf("running are %v, want %v", got, runs)
	}
}

// A supervisor outlives its host, and takes its children up as they are. What
// ended with the host is run again by its kind, and no limit is passed by it.
func TestTakenUp(t *testing.T) {
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				a := w.open()
				id := a.up(api.Supervisor{MaxRestarts: number(1), Children: []api.Child{service("a", ""), service("b", api.Temporary),
					script("p", api.Permanent, "hang"), script("q", api.Permanent, "hang"), script("r", api.Transient, "hang"),
					script("s", api.Temporary, "hang"), script("done", api.Transient, "out x")}})
				time.Sleep(time.Second)
				before := a.children(id)
				end(a)
				time.Sleep(time.Hour)

				b := w.open()
				defer b.shut()
				time.Sleep(time.Second)
				b.wantRunning(id, map[string]int{"a": 1, "b": 1, "p": 2, "q": 2, "r": 2})
				for name, c := range b.children(id) {
					if c.ID != before[name].ID {
						t.Errorf("%s was process %d, is %d", name, before[name].ID, c.ID)
					}
				}
				if n := b.count(id, process.KindReattached); n != 1 {
					t.Errorf("it was taken up %d times", n)
				}
				// And it is supervised: what ends now is run again, once.
				w.end(w.job(before["a"].ID), process.ExitFailed)
				time.Sleep(time.Minute)
				b.wantRunning(id, map[string]int{"a": 2, "b": 1, "p": 2, "q": 2, "r": 2})
				b.wantExit(b.kill(id, kernel.KillOptions{}), process.ExitCanceled, 130, "supervisor cancelled")
				if n := w.alive(); n > 0 {
					t.Errorf("%d programs are left", n)
				}
			})
		})
	}
}

// What ended while there was no host has ended then: the limit is about when, and
// what the strategy says is done.
func TestEndedMeanwhile(t *testing.T) {
	cases := map[string]struct {
		strategy string
		apart    time.Duration
		ended    []string
		want     map[string]int // nil: it gives up
	}{
		"one":        {api.OneForOne, 0, []string{"b"}, map[string]int{"a": 1, "b": 2, "c": 1}},
		"for all":    {api.OneForAll, 0, []string{"b"}, map[string]int{"a": 2, "b": 2, "c": 2}},
		"for all 2":  {api.OneForAll, 0, []string{"a", "b"}, map[string]int{"a": 2, "b": 2, "c": 2}},
		"for rest":   {api.RestForOne, 0, []string{"b"}, map[string]int{"a": 1, "b": 2, "c": 2}},
		"apart":      {api.OneForOne, time.Minute, []string{"a", "b", "c"}, map[string]int{"a": 2, "b": 2, "c": 2}},
		"together":   {api.OneForOne, time.Second, []string{"a", "b", "c"}, nil},
		"all at all": {api.OneForAll, time.Second, []string{"a", "b", "c"}, map[string]int{"a": 2, "b": 2, "c": 2}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				a := w.open()
				id := a.up(api.Supervisor{Strategy: c.strategy, MaxRestarts: number(2), Children: []api.Child{service("a", ""), service("b", ""), service("c", "")}})
				time.Sleep(time.Second)
				children := a.children(id)
				a.crash()
				for _, name := range c.ended {
					time.Sleep(c.apart)
					w.end(w.job(children[name].ID), process.ExitFailed)
				}
				time.Sleep(time.Hour)
				b := w.open()
				defer b.shut()
				if c.want == nil {
					b.wantExit(b.wait(id), process.ExitFailed, 1, "max_restarts_exceeded")
					return
				}
				time.Sleep(time.Second)
				b.wantRunning(id, c.want)
			})
		})
	}
}

// What a supervisor was about to do is done by the next one: a restart when it is
// due, and the end of a group that was begun.
func TestPlansAreKept(t *testing.T) {
	t.Run("backoff", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			a := w.open()
			id := a.up(api.Supervisor{MaxRestarts: number(1), Window: api.SpanMS(3600_000), Backoff: &api.Backoff{Initial: api.SpanMS(20_000)},
				Children: []api.Child{service("a", ""), service("b", "")}})
			time.Sleep(time.Second)
			start := time.Now()
			w.end(w.job(a.children(id)["a"].ID), process.ExitFailed)
			time.Sleep(5 * time.Second)
			a.crash()
			time.Sleep(5 * time.Second)
			b := w.open()
			time.Sleep(time.Until(start.Add(19 * time.Second)))
			b.wantRunning(id, map[string]int{"b": 1})
			time.Sleep(2 * time.Second)
			b.wantRunning(id, map[string]int{"a": 2, "b": 1})
			b.crash()
			c := w.open() // and the limit is still known
			defer c.shut()
			w.end(w.job(c.children(id)["a"].ID), process.ExitFailed)
			c.wantExit(c.wait(id), process.ExitFailed, 1, "max_restarts_exceeded")
		})
	})
	t.Run("group", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			a := w.open()
			id := a.up(api.Supervisor{Strategy: api.OneForAll, MaxRestarts: number(1), Window: api.SpanMS(3600_000),
				Children: []api.Child{service("a", ""), stubborn("b"), service("c", ""), service("d", api.Temporary)}})
			time.Sleep(time.Second)
			w.end(w.job(a.children(id)["c"].ID), process.ExitFailed)
			time.Sleep(30 * time.Second)
			a.wantRunning(id, map[string]int{"a": 1}) // b is being ended, and then a
			a.crash()
			b := w.open()
			defer b.shut()
			time.Sleep(40 * time.Second)
			b.wantRunning(id, map[string]int{"a": 2, "b": 2, "c": 2})
			if n := w.alive(); n != 3 {
				t.Errorf("%d programs run", n)
			}
		})
	})
}

// However often its host dies, the limit is not passed by that.
func TestHostThatCrashesAndCrashes(t *testing.T) {
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				h := w.open()
				id := h.up(api.Supervisor{MaxRestarts: number(1), Backoff: &api.Backoff{Initial: api.SpanMS(100), Max: api.SpanMS(100)},
					Children: []api.Child{service("a", ""), script("p", "", "hang")}})
				for i := range 8 {
					time.Sleep(time.Second)
					h.wantRunning(id, map[string]int{"a": 1, "p": i + 1})
					end(h)
					h = w.open()
				}
				h.shut()
			})
		})
	}
}

// A paused tree is paused under the next host, and what ended meanwhile is seen
// to when it goes on.
func TestPausedTreeIsTakenUp(t *testing.T) {
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				a := w.open()
				id := a.up(api.Supervisor{Children: []api.Child{service("a", ""), service("b", ""),
					{Name: "g", Create: api.Create{Environment: "agent", Code: new("remember user x\nhang")}}}})
				time.Sleep(time.Second)
				if n := a.signal(id, process.SIGPAUSE, true); n != 4 {
					t.Errorf("%d were paused", n)
				}
				end(a)
				w.end(w.job(a.children(id)["b"].ID), process.ExitFailed)
				b := w.open()
				defer b.shut()
				time.Sleep(time.Hour)
				b.wantRunning(id, map[string]int{"a": 1, "g": 1})
				for name, c := range b.children(id) {
					if c.State == process.Running && !c.Paused {
						t.Errorf("%s is not paused", name)
					}
				}
				if n := b.signal(id, process.SIGRESUME, true); n != 3 {
					t.Errorf("%d went on", n)
				}
				time.Sleep(time.Second)
				b.wantRunning(id, map[string]int{"a": 1, "b": 2, "g": 1})
			})
		})
	}
}

// A kill that was answered before the crash is carried out after it, in order.
func TestKillOfASupervisorSurvives(t *testing.T) {
	ways := map[string]func(*host, process.ID) error{
		"kill": func(h *host, id process.ID) error { return h.Kill(context.Background(), id, kernel.KillOptions{}) },
		"now": func(h *host, id process.ID) error {
			return h.Kill(context.Background(), id, kernel.KillOptions{Now: true})
		},
		"term": func(h *host, id process.ID) error {
			_, err := h.Signal(context.Background(), id, process.SIGTERM, kernel.SignalOptions{})
			return err
		},
	}
	for name, kill := range ways {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				a := w.open()
				id := a.up(api.Supervisor{Children: []api.Child{service("a", ""), stubborn("b"),
					{Name: "n", Supervisor: &api.Supervisor{Children: []api.Child{stubborn("x")}}}}})
				time.Sleep(time.Second)
				a.kept.dead.Store(true) // of the kill, nothing reaches the world
				if err := kill(a, id); err != nil {
					t.Fatal(err)
				}
				a.crash()
				if n := w.alive(); n != 3 {
					t.Fatalf("%d programs run", n)
				}
				b := w.open()
				defer b.shut()
				b.wantExit(b.wait(id), process.ExitCanceled, 130, "supervisor cancelled")
				for name, c := range b.children(id) {
					if c.State != process.Idle || c.ExitState != process.ExitCanceled || c.Number != 1 {
						t.Errorf("%s is %s, %s in run %d", name, c.State, c.ExitState, c.Number)
					}
				}
				if n := w.alive(); n > 0 {
					t.Errorf("%d programs are left", n)
				}
			})
		})
	}
}

// Supervisors below a supervisor are taken up, too: neither one above nor one
// below runs anybody twice.
func TestNestedAreTakenUp(t *testing.T) {
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				a := w.open()
				inner := &api.Supervisor{MaxRestarts: number(1), Children: []api.Child{service("x", ""), script("y", "", "hang")}}
				id := a.up(api.Supervisor{Strategy: api.OneForAll, MaxRestarts: number(1), Children: []api.Child{
					service("a", ""), {Name: "inner", Supervisor: inner}}})
				time.Sleep(time.Second)
				nested := a.children(id)["inner"].ID
				end(a)
				b := w.open()
				defer b.shut()
				time.Sleep(time.Second)
				b.wantRunning(id, map[string]int{"a": 1, "inner": 1})
				b.wantRunning(nested, map[string]int{"x": 1, "y": 2})
				w.end(w.job(b.children(nested)["x"].ID), process.ExitFailed)
				time.Sleep(time.Second)
				b.wantRunning(nested, map[string]int{"x": 2, "y": 2})
				b.wantRunning(id, map[string]int{"a": 1, "inner": 1})
			})
		})
	}
}

// A host that is told to ends supervisors in order, with all below them.
func TestHostThatEndsWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		h := w.host(1<<60, func(c *kernel.Config) { c.EndRunning = true })
		id := h.up(api.Supervisor{Children: []api.Child{service("a", ""), service("b", ""), service("c", "")}})
		time.Sleep(time.Second)
		h.Stop()
		h.wantExit(h.record(id), process.ExitCanceled, 130, supervisor.ReasonCancelled)
		if got := h.order(process.KindFinalized, id); !slices.Equal(got, []string{"c", "b", "a"}) || w.alive() > 0 {
			t.Errorf("ended in the order %v, %d are left", got, w.alive())
		}
		h.shut()
	})
}

// Wherever its host dies, no child is made or run twice, and all run in the end.
func TestEveryCrashPoint(t *testing.T) {
	stories := map[string]struct {
		runs map[string]int // at most
		tell func(w *world, h *host)
	}{
		"start": {map[string]int{"a": 1, "b": 1, "n": 1, "x": 1, "y": 1, "d": 1, "p": 2}, func(*world, *host) {}},
		// Where the end of x was begun and not stored, the next host finds it ended.
		"group restart": {map[string]int{"a": 1, "b": 2, "n": 2, "x": 3, "y": 3, "d": 2, "p": 3}, func(w *world, h *host) {
			if j := w.job(3); j != nil { // b's
				w.end(j, process.ExitFailed)
			}
		}},
		"run again": {map[string]int{"a": 2, "b": 2, "n": 2, "x": 2, "y": 2, "d": 2, "p": 3}, func(w *world, h *host) {
			_ = h.Kill(context.Background(), 1, kernel.KillOptions{})
			time.Sleep(time.Second)
			_ = h.Run(context.Background(), 1, kernel.RunOptions{Force: true})
		}},
	}
	for name, story := range stories {
		t.Run(name, func(t *testing.T) {
			step := int64(3)
			if os.Getenv("REEVE_TORTURE") != "" {
				step = 1
			}
			for commits, over := int64(1), false; !over; commits += step {
				synctest.Test(t, func(t *testing.T) { over = crashAfter(t, commits, story.runs, story.tell) })
				if t.Failed() {
					t.Fatalf("after %d commits", commits)
				}
			}
		})
	}
}

// crashAfter has a host die after a number of commits, and reports whether it
// outlived the story.
func crashAfter(t *testing.T, commits int64, runs map[string]int, story func(*world, *host)) (outlived bool) {
	w := newWorld(t)
	a := w.host(commits)
	tree := api.Supervisor{Strategy: api.RestForOne, MaxRestarts: number(1), Window: api.SpanMS(3600_000), Children: []api.Child{service("a", ""), service("b", ""),
		{Name: "n", Supervisor: &api.Supervisor{Children: []api.Child{service("x", ""), service("y", "")}}}, service("d", ""), script("p", "", "hang")}}
	id, err := a.Spawn(context.Background(), kernel.Request{Spec: specOf(t, tree)})
	time.Sleep(time.Second)
	told := make(chan struct{})
	go func() { // which a host that has crashed does not answer
		defer close(told)
		story(w, a)
	}()
	time.Sleep(4 * time.Second)
	outlived = a.store.left.Load() >= 0
	a.crash()
	<-told
	b := w.open()
	defer b.shut()
	time.Sleep(time.Minute)
	synctest.Wait()
	if err != nil {
		if n := w.alive(); n > 0 {
			t.Errorf("it was not made, and %d programs run", n)
		}
		return outlived
	}
	rec := b.record(id)
	if rec.State == process.Idle { // it had been ended by then
		if n := w.alive(); rec.ExitState != process.ExitCanceled || n > 0 {
			t.Errorf("the supervisor is %s, %s; %d programs run", rec.ExitState, rec.Error, n)
		}
		return outlived
	}
	all := b.children(id)
	nested := all["n"]
	if len(all) != 5 || nested == nil || len(b.children(nested.ID)) != 2 {
		t.Fatalf("the children are %v", all)
	}
	maps.Copy(all, b.children(nested.ID))
	for name, c := range all {
		if c.State != process.Running || c.Number > runs[name] {
			t.Errorf("%s is %s in run %d: %s", name, c.State, c.Number, c.Error)
		}
	}
	if n := w.alive(); n != 5 {
		t.Errorf("%d programs run", n)
	}
	page, err := b.Processes(context.Background(), process.Query{Limit: 100})
	if err != nil || len(page.Processes) != 8 {
		t.Errorf("%d processes, %v", len(page.Processes), err)
	}
	return outlived
}
