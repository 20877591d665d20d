package kernel

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store/memory"
)

// Who spends more than can be counted has not spent less than nothing.
func TestHostile5SpendingDoesNotWrapAround(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		id := f.bounded(t, 0, process.Budget{Tokens: 100}, "spend 10\nspend 9223372036854775807\nhang")
		free := f.bounded(t, 0, process.Budget{}, "spend 10\nspend 9223372036854775807\nout x")
		endedBy(t, f.wait(t, id), "budget_exceeded: process 1 used 9223372036854775807 of 100 tokens")
		if u := f.wait(t, free).Usage; u.Tokens <= 0 {
			t.Errorf("%+v", u)
		}
	})
}

// below starts an agent below a process.
func (h *heir) below(parent process.ID, script string, b process.Budget) (process.ID, error) {
	return h.Spawn(context.Background(), Request{Spec: process.Spec{Environment: "agent", Code: script, Parent: parent,
		Options: process.Options{Budget: b}}})
}

// A change of hosts sets nobody free: what a paused process and all below it have
// used and started counts on, those that have ended included.
func TestHostile5BudgetsOutliveTheirHost(t *testing.T) {
	for name, end := range ends() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := memory.New()
				a := newHeir(t, st)
				top := a.spawnAgent(t, "hang", process.Options{Budget: process.Budget{Tokens: 100, Children: 3}})
				ended, _ := a.below(top, "spend 40\nout over", process.Budget{})
				a.wait(t, ended)
				middle, _ := a.below(top, "hang", process.Budget{})
				last, err := a.below(middle, "remember user begin\nspend 30\nremember assistant half\ngate on\nspend 29\nremember assistant more\ngate again\nspend 1\nhang", process.Budget{})
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second)
				if err := a.Kill(t.Context(), middle, KillOptions{Alone: true}); err != nil {
					t.Fatal(err)
				}
				a.wait(t, middle)
				a.pause(t, top)
				a.pause(t, last)
				end(a, t)
				time.Sleep(time.Hour)

				b := newHeir(t, st)
				defer b.shut(t)
				if _, err := b.below(top, "hang", process.Budget{}); !errors.Is(err, process.ErrOverBudget) {
					t.Errorf("a fourth child: %v", err)
				}
				b.resume(t, last)
				b.agent.Open("on")
				time.Sleep(time.Second)
				if rec := b.record(t, top); rec.State != process.Running {
					t.Fatalf("ended with 99 of 100 tokens: %s", rec.Error)
				}
				b.agent.Open("again")
				endedBy(t, b.wait(t, last), "budget_exceeded: process 1 used 100 of 100 tokens")
				endedBy(t, b.wait(t, top), "budget_exceeded: process 1 used 100 of 100 tokens")
			})
		})
	}
}

// Among many that stay, many that come and go leave nothing that whoever asks for
// the newest has to step over.
func TestHostile5ComingAndGoingLeavesNoTrail(t *testing.T) {
	var o order
	for id := range process.ID(1000) {
		o.add(&proc{id: id + 1})
	}
	var short []*proc
	for id := range process.ID(900) {
		p := &proc{id: id + 1001}
		o.add(p)
		short = append(short, p)
	}
	for _, p := range short {
		o.remove(p)
	}
	if n := len(o.list); n != 1000 || o.gone != 0 {
		t.Errorf("%d places for 1000 runs, %d of them crossed out", n, o.gone)
	}
}
