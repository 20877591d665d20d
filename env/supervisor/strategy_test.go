package supervisor_test

import (
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/kernel"
	"github.com/reeverun/reeve/process"
)

var strategies = []string{api.OneForOne, api.OneForAll, api.RestForOne}

// Whatever the strategy: a supervisor whose children have done their work is done.
func TestAllChildrenCompleted(t *testing.T) {
	for _, strategy := range strategies {
		t.Run(strategy, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t)
				defer f.shut()
				id := f.up(api.Supervisor{Name: "app", Strategy: strategy, Children: []api.Child{
					script("a", api.Transient, "sleep 1s"), script("b", api.Temporary, "sleep 2s\nfail no luck"), script("c", api.Transient, "out hi")}})
				rec := f.wait(id)
				f.wantExit(rec, process.ExitSuccess, 0, "all children completed")
				if rec.Label != "app" || seconds(rec) != 2 || !maps.Equal(f.runs(id), map[string]int{"a": 1, "b": 1, "c": 1}) {
					t.Errorf("%s ended after %d s with %v", rec.Label, seconds(rec), f.runs(id))
				}
				for _, s := range f.started(id) {
					if s.Run != 1 || s.Restart != 0 || s.Because != 0 {
						t.Errorf("%+v", s)
					}
				}
			})
		})
	}
}

// Which children are run again, and that the others are not.
func TestWhoIsRunAgain(t *testing.T) {
	for strategy, want := range map[string]map[string]int{
		api.OneForOne:  {"a": 1, "b": 2, "c": 1, "d": 1},
		api.OneForAll:  {"a": 2, "b": 2, "c": 2, "d": 1},
		api.RestForOne: {"a": 1, "b": 2, "c": 2, "d": 1},
	} {
		t.Run(strategy, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t)
				defer f.shut()
				id := f.up(api.Supervisor{Strategy: strategy, Backoff: atOnce, Children: []api.Child{
					script("a", "", "hang"), script("b", "", "sleep 10s\nfail oh no"), script("c", "", "hang"), script("d", api.Temporary, "hang")}})
				synctest.Wait()
				before := f.children(id)
				time.Sleep(11 * time.Second)
				synctest.Wait()
				if got := f.runs(id); !maps.Equal(got, want) {
					t.Fatalf("runs %v, want %v", got, want)
				}
				var again []process.ChildSpawned
				for name, c := range f.children(id) {
					if c.ID != before[name].ID {
						t.Errorf("%s was process %d and is %d", name, before[name].ID, c.ID)
					}
					alive := name != "d" || strategy == api.OneForOne
					if (c.State == process.Running) != alive {
						t.Errorf("%s is %s", name, c.State)
					}
					if want[name] == 2 {
						again = append(again, process.ChildSpawned{Child: c.ID, Run: 2, Restart: 1, Because: before["b"].ID})
					}
				}
				slices.SortFunc(again, func(a, b process.ChildSpawned) int { return int(a.Child - b.Child) })
				if got := f.started(id)[4:]; !slices.Equal(got, again) {
					t.Errorf("the log says %+v, want %+v", got, again)
				}
				if out := f.record(id).Output["b"]; out.(map[string]any)["restarts"] != 1.0 {
					t.Errorf("output %v", out)
				}
				f.kill(id, kernel.KillOptions{})
			})
		})
	}
}

// Those that are ended for a restart end in the reverse of their order, each
// before the next is asked to, and start again in order.
func TestOrderOfARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		defer f.shut()
		slow := "trap 0\nhang" // ends by itself when it is asked to
		id := f.up(api.Supervisor{Strategy: api.OneForAll, Backoff: atOnce, Children: []api.Child{
			script("a", "", slow), script("b", "", slow), script("c", "", "sleep 5s\nexit 1"), script("d", "", slow)}})
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if got := f.order(process.KindFinalized, id); !slices.Equal(got, []string{"c", "d", "b", "a"}) {
			t.Errorf("ended in the order %v", got)
		}
		if got := f.order(process.KindProcessQueued, id); !slices.Equal(got, []string{"a", "b", "c", "d"}) {
			t.Errorf("started again in the order %v", got)
		}
	})
}

// When a child is run again, by how it ended.
func TestRestart(t *testing.T) {
	ends := map[string]string{"success": "sleep 1s", "failed": "sleep 1s\nfail x", "timeout": "hang", "canceled": "hang"}
	want := map[string]map[string]bool{
		api.Permanent: {"success": true, "failed": true, "timeout": true, "canceled": true},
		api.Transient: {"failed": true, "timeout": true},
		api.Temporary: {},
	}
	for restart, again := range want {
		for how, code := range ends {
			t.Run(restart+" "+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := newFixture(t)
					defer f.shut()
					c := script("c", restart, code)
					if how == "timeout" {
						c.Options = &api.Options{Timeout: api.MS(1000)}
					}
					id := f.up(api.Supervisor{Backoff: atOnce, Children: []api.Child{script("other", "", "hang"), c}})
					synctest.Wait()
					child := f.children(id)["c"].ID
					if how == "canceled" { // by a person
						time.Sleep(time.Second)
						if err := f.Kill(t.Context(), child, kernel.KillOptions{}); err != nil {
							t.Fatal(err)
						}
					} else {
						time.Sleep(time.Second)
					}
					synctest.Wait()
					if got := f.record(child).Number == 2; got != again[how] {
						t.Errorf("run again: %v", got)
					}
					if n := f.record(f.children(id)["other"].ID).Number; n != 1 {
						t.Errorf("the other one was run %d times", n)
					}
				})
			})
		}
	}
}

// The limit is meant literally: as many restarts, and the next failure ends it.
func TestMaxRestarts(t *testing.T) {
	for _, strategy := range strategies {
		for _, limit := range []int{0, 1, 3} {
			t.Run(strategy, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := newFixture(t)
					defer f.shut()
					id := f.up(api.Supervisor{Strategy: strategy, MaxRestarts: number(limit), Children: []api.Child{
						script("a", "", "hang"), script("b", "", "fail oh no"), script("c", "", "hang")}})
					rec := f.wait(id)
					f.wantExit(rec, process.ExitFailed, 1, "max_restarts_exceeded")
					if n := f.children(id)["b"].Number; n != limit+1 {
						t.Errorf("with maxRestarts %d it was run %d times", limit, n)
					}
					for name, c := range f.children(id) {
						if c.State != process.Idle || name != "b" && c.ExitState != process.ExitCanceled {
							t.Errorf("%s is left %s, %s", name, c.State, c.ExitState)
						}
					}
					if got := f.order(process.KindFinalized, id); !slices.Equal(got, []string{"b", "c", "a"}) && strategy == api.OneForOne {
						t.Errorf("ended in the order %v", got)
					}
				})
			})
		}
	}
}

// Restarts that are further apart than the window are not counted together.
func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		defer f.shut()
		id := f.up(api.Supervisor{MaxRestarts: number(1), Window: api.SpanMS(5000), Backoff: atOnce,
			Children: []api.Child{script("a", "", "sleep 6s\nfail x")}})
		time.Sleep(61 * time.Second)
		synctest.Wait()
		if rec := f.record(id); rec.State != process.Running || f.children(id)["a"].Number != 11 {
			t.Errorf("%s after %d runs", rec.State, f.children(id)["a"].Number)
		}
	})
}

// Two children that fail in the same instant are one reason to start all again,
// and the end of those that were ended is none.
func TestNoCascadeOfStaleEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		defer f.shut()
		id := f.up(api.Supervisor{Strategy: api.OneForAll, MaxRestarts: number(1), Window: api.SpanMS(60_000), Backoff: atOnce,
			Children: []api.Child{script("a", "", "sleep 40s\nfail x"), script("b", "", "sleep 40s\nfail x"), script("c", "", "hang")}})
		time.Sleep(79 * time.Second)
		synctest.Wait()
		if rec := f.record(id); rec.State != process.Running || !maps.Equal(f.runs(id), map[string]int{"a": 2, "b": 2, "c": 2}) {
			t.Fatalf("%s with %v", rec.State, f.runs(id))
		}
		rec := f.wait(id) // the second time within the window
		f.wantExit(rec, process.ExitFailed, 1, "max_restarts_exceeded")
		if seconds(rec) != 80 {
			t.Errorf("after %d s", seconds(rec))
		}
	})
}

// Many that fail in the same instant are each run again, once.
func TestManyFailAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		defer f.shut()
		const many = 50
		s := api.Supervisor{MaxRestarts: number(many), Window: api.SpanMS(60_000)}
		for i := range many {
			s.Children = append(s.Children, script("c"+string(rune('A'+i)), "", "sleep 10s\nexit 3"))
		}
		id := f.up(s)
		time.Sleep(15 * time.Second)
		synctest.Wait()
		for name, n := range f.runs(id) {
			if n != 2 {
				t.Errorf("%s was run %d times", name, n)
			}
		}
		rec := f.wait(id)
		f.wantExit(rec, process.ExitFailed, 1, "max_restarts_exceeded")
	})
}
