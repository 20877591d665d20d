package kernel

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/process"
)

// signalTree signals a tree and returns how many that affected.
func (r *rig) signalTree(t *testing.T, id process.ID, s process.Signal) int {
	t.Helper()
	n, err := r.Signal(context.Background(), id, s, SignalOptions{Tree: true})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A child of an idle process is below what lives above that one, and below what
// its parent's next run is.
func TestTreeBelowTheIdle(t *testing.T) {
	r := newRig(t, 0, nil)
	root := r.start(t, 0, "hang")
	r.await(t, root, "running", isRunning)
	middle := r.start(t, root, "gate middle")
	r.await(t, middle, "running", isRunning)
	r.fake.Open("middle")
	if _, err := r.Wait(t.Context(), middle); err != nil {
		t.Fatal(err)
	}
	late := r.start(t, middle, "hang") // born below the dead
	r.await(t, late, "running", isRunning)
	if n := r.signalTree(t, root, process.SIGPAUSE); n != 2 || !r.rec(t, late).Paused {
		t.Errorf("%d of root and the child of the dead", n)
	}
	if n := r.signalTree(t, root, process.SIGRESUME); n != 2 {
		t.Errorf("%d resumed", n)
	}
	if err := r.Run(t.Context(), middle, RunOptions{Force: true}); err != nil { // passes its gate, which is open
		t.Fatal(err)
	}
	if _, err := r.Wait(t.Context(), middle); err != nil {
		t.Fatal(err)
	}
	again, err := r.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "fake", Code: "gate never"}, Parked: true})
	if err != nil {
		t.Fatal(err)
	}
	own := r.start(t, again, "hang")
	if err := r.Run(t.Context(), again, RunOptions{}); err != nil {
		t.Fatal(err)
	}
	r.await(t, again, "running", isRunning)
	r.await(t, own, "running", isRunning)
	if n := r.signalTree(t, again, process.SIGPAUSE); n != 2 || !r.rec(t, own).Paused {
		t.Errorf("%d of a process and what was born before it ran", n)
	}
	if err := r.Kill(t.Context(), root, KillOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Wait(t.Context(), late); err != nil {
		t.Fatal(err)
	}
	if err := r.Kill(t.Context(), again, KillOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []process.ID{root, again, own} {
		if _, err := r.Wait(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	r.table.mu.Lock()
	defer r.table.mu.Unlock()
	if n := len(r.table.places); n != 0 {
		t.Errorf("%d places lead to nothing", n)
	}
}

// What is born below the dead while the tree above is being killed dies with it.
func TestTreeKillReachesTheNewbornBelowTheDead(t *testing.T) {
	r := newRig(t, 0, func(c *Config) { c.Grace = time.Hour })
	root := r.start(t, 0, "stubborn")
	r.await(t, root, "running", isRunning)
	middle := r.start(t, root, "")
	if _, err := r.Wait(t.Context(), middle); err != nil {
		t.Fatal(err)
	}
	if err := r.Kill(t.Context(), root, KillOptions{}); err != nil {
		t.Fatal(err)
	}
	late := r.start(t, middle, "hang")
	if rec, err := r.Wait(t.Context(), late); err != nil || rec.ExitState != process.ExitCanceled {
		t.Errorf("%+v, %v", rec, err)
	}
	if err := r.Kill(t.Context(), root, KillOptions{Now: true}); err != nil {
		t.Fatal(err)
	}
}

// A walk below one process looks at nothing else, however deep or wide it is:
// told by counting, not by a clock.
func TestWalkIsLinear(t *testing.T) {
	tb := newTable()
	k := &Kernel{table: tb}
	enter := func(id, parent process.ID) *proc {
		p := &proc{id: id, k: k, rec: process.Process{ID: id, Spec: process.Spec{Parent: parent}}}
		tb.add(p)
		return p
	}
	const n = 20_000
	deep, wide := enter(1, 0), enter(2, 0)
	enter(3, 0)
	var all []*proc
	for i := process.ID(0); i < n; i++ {
		parent := 10 + 2*(i-1)
		if i == 0 {
			parent = 1
		}
		all = append(all, enter(10+2*i, parent), enter(11+2*i, 2))
	}
	steps := func(p *proc) (steps int) {
		for at := p.kin.below; at != nil; at = at.after(p.kin) {
			steps++
		}
		return steps
	}
	for _, p := range []*proc{deep, wide} {
		if got := tb.descendants(p); len(got) != n || steps(p) != n {
			t.Errorf("%d found below %d, in %d steps", len(got), p.id, steps(p))
		}
	}
	if got := steps(tb.get(3)); got != 0 {
		t.Errorf("%d steps below a leaf", got)
	}
	for _, p := range all {
		tb.remove(p)
	}
	if tb.len() != 3 || len(tb.places) != 3 {
		t.Errorf("%d runs, %d places", tb.len(), len(tb.places))
	}
}

// Many more than are signalled at a time; and the errors of many are few.
func TestSignalTreeOfMany(t *testing.T) {
	r := newRig(t, 0, func(c *Config) { c.Environments["bare"] = Environment{Environment: bare{&envfake.Env{}}} })
	const n = signalsAtOnce + 200
	root := r.start(t, 0, "hang")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range n / 4 {
				if _, err := r.Spawn(context.Background(), Request{Spec: process.Spec{Environment: "fake", Code: "hang", Parent: root}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, s := range []process.Signal{process.SIGPAUSE, process.SIGRESUME} {
		if got := r.signalTree(t, root, s); got != n+1 {
			t.Errorf("%v reached %d of %d", s, got, n+1)
		}
	}
	for range maxTold + 5 {
		r.in(t, "bare", root, "hang")
	}
	got, err := r.Signal(t.Context(), root, process.SIGPAUSE, SignalOptions{Tree: true})
	if got != n+1 || err == nil || strings.Count(err.Error(), "cannot be paused") != maxTold || !strings.Contains(err.Error(), "and 5 more") {
		t.Errorf("%d, %v", got, err)
	}
	if got := r.signalTree(t, root, process.SIGKILL); got != n+1+maxTold+5 {
		t.Errorf("%d killed", got)
	}
	if !eventually(func() bool { return r.table.len() == 0 }) {
		t.Errorf("%d are left", r.table.len())
	}
}
