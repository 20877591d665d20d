package kernel

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store/memory"
)

// asked waits for a question and returns it.
func (f *fixture) asked(t testingT, of process.ID) process.Approval {
	t.Helper()
	time.Sleep(100 * time.Millisecond) // what is paused is stored, too
	all := f.pendingOf(t, of)
	if len(all) != 1 {
		t.Fatalf("process %d asks %d times", of, len(all))
	}
	return all[0]
}

func TestBudgetIsAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		top := f.bounded(t, 0, process.Budget{Tokens: 100, OnExceeded: process.BudgetAsk}, "hang")
		a := f.bounded(t, top, process.Budget{}, "gate go\nspend 70\nout on\nhang")
		b := f.bounded(t, a, process.Budget{}, "gate go\nspend 70\nout on\nsleep 1s\nspend 70\nout last\nhang")
		still := f.bounded(t, top, process.Budget{}, "hang")
		time.Sleep(time.Second)
		f.pause(t, still)
		f.fake.Open("go")
		q := f.asked(t, top)
		var params map[string]any
		if err := json.Unmarshal(q.Params, &params); err != nil {
			t.Fatal(err)
		}
		if q.Service != "reeve" || q.Tool != "budget" || q.Call != 0 || params["process"] != 1.0 || params["budget"] != "tokens" ||
			params["used"] != 140.0 || params["of"] != 100.0 || params["grants"] != 100.0 {
			t.Errorf("%+v, %s", q, q.Params)
		}
		all := []process.ID{top, a, b, still}
		for _, id := range all {
			if rec := f.record(t, id); !rec.Paused || rec.State != process.Running {
				t.Errorf("process %d: %s, paused %v", id, rec.State, rec.Paused)
			}
			if n := len(f.pendingOf(t, id)); id != top && n != 0 {
				t.Errorf("process %d asks, too", id)
			}
		}
		// It is not for everybody to let it go on, nor to start more.
		if _, err := f.Signal(t.Context(), a, process.SIGRESUME, SignalOptions{}); !errors.Is(err, process.ErrOverBudget) {
			t.Errorf("resume: %v", err)
		}
		if _, err := f.tryBounded(a, process.Budget{}, "hang"); !errors.Is(err, process.ErrOverBudget) {
			t.Errorf("spawn: %v", err)
		}
		time.Sleep(time.Hour)
		f.decideAs(t, q.ID, true, "")
		time.Sleep(500 * time.Millisecond)
		for _, id := range all {
			if rec := f.record(t, id); rec.Paused != (id == still) {
				t.Errorf("process %d: paused %v", id, rec.Paused)
			}
		}
		time.Sleep(time.Second)
		q = f.asked(t, top) // 210 of 200
		f.decideAs(t, q.ID, false, "enough")
		for _, id := range all {
			endedBy(t, f.wait(t, id), "budget_exceeded: process 1 used 210 of 200 tokens; approval 2 was denied")
		}
		if kinds := f.kinds(t, top); !slices.Contains(kinds, process.KindApprovalRequested) || !slices.Contains(kinds, process.KindApprovalDecided) {
			t.Errorf("%v", kinds)
		}
	})
}

func TestAskedBudgetExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixtureWith(t, 0, func(c *Config) { c.ApprovalLife = time.Hour })
		defer f.shut(t)
		id := f.bounded(t, 0, process.Budget{WallMS: 1000, OnExceeded: process.BudgetAsk}, "hang")
		rec := f.wait(t, id)
		endedBy(t, rec, "budget_exceeded: process 1 used 1s of 1s of wall time; approval 1 was expired")
		if rec.Usage.WallMS != 1000 {
			t.Errorf("%+v", rec.Usage)
		}
	})
}

// Wall and CPU time are granted again, and counted on.
func TestGrantedTimeIsCountedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		wall := f.bounded(t, 0, process.Budget{WallMS: 1000, OnExceeded: process.BudgetAsk}, "hang")
		cpu := f.bounded(t, 0, process.Budget{CPUMS: 1000, OnExceeded: process.BudgetAsk}, "burn 1s\nsleep 10s\nburn 1s\nhang")
		time.Sleep(3 * time.Second)
		for range 2 {
			f.decideAs(t, f.asked(t, wall).ID, true, "")
			time.Sleep(2 * time.Second)
		}
		if u := f.record(t, wall).Usage; u.WallMS != 3000 {
			t.Errorf("%+v", u)
		}
		f.decideAs(t, f.asked(t, cpu).ID, true, "")
		time.Sleep(8 * time.Second)
		if n := len(f.pendingOf(t, cpu)); n != 0 {
			t.Errorf("asks after %+v", f.record(t, cpu).Usage)
		}
		time.Sleep(10 * time.Second)
		f.asked(t, cpu)
	})
}

// A person who kills it does not have to decide first, and is obeyed.
func TestKillWhileABudgetIsAskedFor(t *testing.T) {
	for name, o := range map[string]KillOptions{"tree": {}, "now": {Now: true}, "alone": {Alone: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, 0)
				defer f.shut(t)
				top := f.bounded(t, 0, process.Budget{Tokens: 1, OnExceeded: process.BudgetAsk}, "hang")
				child := f.bounded(t, top, process.Budget{}, "spend 1\nhang")
				q := f.asked(t, top)
				if err := f.Kill(t.Context(), top, o); err != nil {
					t.Fatal(err)
				}
				if rec := f.wait(t, top); rec.ExitState != process.ExitCanceled || rec.Exit.Reason != process.ReasonPaused {
					t.Errorf("%s, %+v", rec.ExitState, rec.Exit)
				}
				rec := f.wait(t, child)
				if o.Alone {
					endedBy(t, rec, "budget_exceeded: process 1 used 1 of 1 tokens; approval 1 was canceled")
				} else if rec.ExitState != process.ExitCanceled {
					t.Errorf("the child: %s, %+v", rec.ExitState, rec.Exit)
				}
				if a := f.approval(t, q.ID); a.State != process.ApprovalCanceled {
					t.Errorf("%+v", a)
				}
			})
		})
	}
}

// A run that starts while its budget is asked for is held, too.
func TestQueuedIsHeldWhenItStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 2)
		defer f.shut(t)
		top := f.bounded(t, 0, process.Budget{Tokens: 1, OnExceeded: process.BudgetAsk}, "gate go\nspend 1\nhang")
		busy := f.spawn(t, "hang")
		idle, err := f.Spawn(t.Context(), Request{Parked: true, Spec: process.Spec{Environment: "fake", Parent: top}})
		if err != nil {
			t.Fatal(err)
		}
		queued := f.bounded(t, idle, process.Budget{}, "hang") // its parent does not run: it needs a slot
		f.fake.Open("go")
		q := f.asked(t, top)
		if rec := f.record(t, queued); rec.State != process.Queued || rec.Paused {
			t.Fatalf("%s, %v", rec.State, rec.Paused)
		}
		_ = f.Kill(t.Context(), busy, KillOptions{Now: true})
		time.Sleep(time.Second)
		if rec := f.record(t, queued); rec.State != process.Running || !rec.Paused {
			t.Errorf("%s, %v", rec.State, rec.Paused)
		}
		f.decideAs(t, q.ID, true, "")
		time.Sleep(time.Second)
		for _, id := range []process.ID{top, queued} {
			if rec := f.record(t, id); rec.Paused || rec.State != process.Running {
				t.Errorf("process %d: %s, %v", id, rec.State, rec.Paused)
			}
		}
	})
}

// Nor does one that waits in the queue keep anybody from closing.
func TestQueuedOwnerAsks(t *testing.T) {
	for _, end := range []string{"kill", "close", "start"} {
		t.Run(end, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixtureWith(t, 1, func(c *Config) { c.KeepQueue = true })
				defer f.shut(t)
				busy := f.spawn(t, "hang")
				top := f.bounded(t, 0, process.Budget{Tokens: 1, OnExceeded: process.BudgetAsk}, "hang")
				_ = f.charge(f.table.get(top), 1, 0)
				q := f.asked(t, top)
				switch end {
				case "kill":
					if err := f.Kill(t.Context(), top, KillOptions{}); err != nil {
						t.Fatal(err)
					}
					if a := f.approval(t, q.ID); a.State != process.ApprovalCanceled {
						t.Errorf("%+v", a)
					}
				case "start":
					_ = f.Kill(t.Context(), busy, KillOptions{Now: true})
					time.Sleep(time.Second)
					if rec := f.record(t, top); !rec.Paused || rec.Usage.WallMS != 0 {
						t.Errorf("%v, %+v", rec.Paused, rec.Usage)
					}
				}
			})
		})
	}
}

// Two budgets, one within the other: the outer one decides first, and who is
// held for both goes on when both are granted.
func TestNestedQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		ask := func(n int64) process.Budget { return process.Budget{Tokens: n, OnExceeded: process.BudgetAsk} }
		top := f.bounded(t, 0, ask(100), "gate outer\nspend 60\nhang")
		inner := f.bounded(t, top, ask(50), "spend 50\nhang")
		q := f.asked(t, inner)
		if f.record(t, top).Paused {
			t.Error("the outer one is held")
		}
		f.fake.Open("outer")
		outer := f.asked(t, top)
		f.decideAs(t, q.ID, true, "")
		time.Sleep(time.Second)
		if !f.record(t, inner).Paused || !f.record(t, top).Paused {
			t.Error("goes on though the outer budget is used up")
		}
		f.decideAs(t, outer.ID, true, "")
		time.Sleep(time.Second)
		if f.record(t, inner).Paused || f.record(t, top).Paused {
			t.Error("does not go on")
		}
	})
}

// still is an environment that cannot be paused.
type still struct{ env.Environment }

func TestWhatCannotBePausedGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixtureWith(t, 0, func(c *Config) {
			e := c.Environments["fake"]
			e.Environment = still{e.Environment}
			c.Environments["fake"] = e
		})
		defer f.shut(t)
		id := f.bounded(t, 0, process.Budget{WallMS: 1000, OnExceeded: process.BudgetAsk}, "hang")
		time.Sleep(5 * time.Second)
		q := f.asked(t, id)
		if rec := f.record(t, id); rec.Paused || rec.Usage.WallMS != 1000 {
			t.Errorf("paused %v, %+v", rec.Paused, rec.Usage)
		}
		f.decideAs(t, q.ID, true, "")
		time.Sleep(5 * time.Second)
		if q2 := f.asked(t, id); q2.ID == q.ID {
			t.Error("asked once only")
		}
		if u := f.record(t, id).Usage; u.WallMS != 2000 {
			t.Errorf("%+v", u)
		}
	})
}

// Who waits for more when its host ends waits under the next one.
func TestQuestionOutlivesItsHost(t *testing.T) {
	for name, end := range ends() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := memory.New()
				a := newHeir(t, st)
				id := a.spawnAgent(t, "remember user begin\nspend 60\nremember assistant half\ngate on\nspend 60\nsleep 1s\nout after", process.Options{
					Heartbeat: 10 * time.Second, Budget: process.Budget{Tokens: 50, OnExceeded: process.BudgetAsk}})
				first := a.asked(t, id)
				time.Sleep(time.Second)
				end(a, t)
				time.Sleep(time.Hour)

				b := newHeir(t, st)
				defer b.shut(t)
				b.agent.Open("on")
				q := b.asked(t, id)
				if rec := b.record(t, id); !rec.Paused || rec.Usage.Tokens != 60 || rec.Number != 1 || q.ID == first.ID {
					t.Errorf("%v, %+v, run %d, approval %d", rec.Paused, rec.Usage, rec.Number, q.ID)
				}
				if old := b.approval(t, first.ID); old.State != process.ApprovalCanceled {
					t.Errorf("%+v", old)
				}
				b.decideAs(t, q.ID, true, "") // 60 of 100
				q = b.asked(t, id)            // 120 of 100
				b.decideAs(t, q.ID, true, "")
				if rec := b.wait(t, id); rec.ExitState != process.ExitSuccess || rec.Usage.Tokens != 120 {
					t.Errorf("%s, %q, %+v", rec.ExitState, rec.Error, rec.Usage)
				}
				same(t, b.silences(t, id))
			})
		})
	}
}
