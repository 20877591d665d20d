package reeve_test

import (
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve"
)

// What a command's whole tree computes is counted while it does, with what its
// child processes computed, and ends them all.
func TestCPUBudgetOfATree(t *testing.T) {
	rt := open(t, reeve.Config{})
	const burn = "(while :; do :; done) & while :; do :; done"
	top := spawn(t, rt, reeve.Sh(burn).Budget(reeve.Budget{CPUMS: 1000}))
	child := spawn(t, rt, reeve.Sh(burn).Parent(top.ID()))
	for _, h := range []*reeve.Handle{top, child} {
		if _, err := h.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		rec, err := rt.Process(t.Context(), h.ID())
		if err != nil {
			t.Fatal(err)
		}
		if rec.Exit.Code != 2 || rec.Exit.Reason != "budget_exceeded" || !strings.Contains(rec.Error, "of 1s of CPU time") {
			t.Errorf("%+v, %q", rec.Exit, rec.Error)
		}
		if len(rec.Outcome.Survivors) != 0 {
			t.Errorf("%v survive", rec.Outcome.Survivors)
		}
	}
}

// One that sleeps uses none.
func TestSleepIsNoCPU(t *testing.T) {
	rt := open(t, reeve.Config{})
	h := spawn(t, rt, reeve.Command("sleep", "0.3").Budget(reeve.Budget{CPUMS: 200}).Heartbeat(time.Hour))
	if o, err := h.Wait(t.Context()); err != nil || !o.Succeeded() {
		t.Errorf("%+v, %v", o, err)
	}
}
