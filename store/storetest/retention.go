package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

func testDelete(f *fixture) {
	keep := f.add(tagged("t"))
	p := f.add(tagged("t", "u"), func(p *process.Process) { p.Ref = "r"; p.Code = "code" })
	child := f.add(func(c *process.Process) { c.Parent = p.ID })
	grandchild := f.add(func(c *process.Process) { c.Parent = child.ID })
	f.finish(p)
	f.rerun(p)
	f.apply(store.Change{ID: p.ID, Events: f.events(p.ID, 2, process.FindingEmitted{})})
	f.finish(p)
	if err := f.s.Delete(f.ctx, p.ID); err != nil {
		f.Fatal(err)
	}

	_, err := f.s.Process(f.ctx, p.ID)
	f.wantErr("process", err, process.ErrNotFound)
	_, err = f.s.Events(f.ctx, p.ID, 0, 10)
	f.wantErr("events", err, process.ErrNotFound)
	_, err = f.s.Archived(f.ctx, p.ID)
	f.wantErr("archived", err, process.ErrNotFound)
	f.wantErr("delete again", f.s.Delete(f.ctx, p.ID), process.ErrNotFound)
	f.wantErr("update", f.s.Apply(f.ctx, []store.Change{{Update: p}}), process.ErrNotFound)
	f.wantSame("by tag t", ids(f.list(process.Query{Tag: "t"})), []process.ID{keep.ID})
	f.wantSame("by tag u", ids(f.list(process.Query{Tag: "u"})), []process.ID{})
	f.wantSame("by parent", ids(f.list(process.Query{Parent: p.ID})), []process.ID{})
	f.wantSame("findings", must(f.s.Findings(f.ctx, process.FindingQuery{}))(f), []process.FoundFinding(nil))
	for _, e := range must(f.s.AllEvents(f.ctx, 0, 1000))(f) {
		if e.Process == p.ID {
			f.Errorf("event %d is still there", e.Cursor)
		}
	}
	for _, r := range must(f.s.RunsAfter(f.ctx, 0))(f) {
		if r.Process == p.ID {
			f.Errorf("run %v is still there", r)
		}
	}
	child.Parent = 0
	f.wantStored(child)
	f.wantStored(grandchild)
	f.wantSame("children of the child", ids(f.list(process.Query{Parent: child.ID})), []process.ID{grandchild.ID})
}

func tagged(tags ...string) func(*process.Process) {
	return func(p *process.Process) { p.Tags = tags }
}

func testPruneEvents(f *fixture) {
	old, pinned, live := f.add(), f.add(tagged("keep", "x")), f.add()
	zombie := f.add(func(p *process.Process) { p.State, p.Lifecycle = process.Idle, process.LifecycleZombie })
	f.finish(old)
	f.finish(pinned)
	at := f.now.Add(1) // all so far is older
	f.apply(store.Change{ID: old.ID, Events: f.events(old.ID, 1, process.SummarySet{Summary: "late"})})
	young := f.add()
	f.finish(young)

	records := f.list(process.Query{})
	total := 0
	for {
		n := must(f.s.PruneEvents(f.ctx, at, "keep", 4))(f)
		if n > 4 {
			f.Fatalf("pruned %d, limit 4", n)
		}
		if n == 0 {
			break
		}
		total += n
	}
	if want := 6 + 2; total != want {
		f.Errorf("pruned %d, want %d", total, want)
	}
	count := func(p *process.Process) int { return len(must(f.s.Events(f.ctx, p.ID, 0, 100))(f)) }
	f.wantSame("events left", []int{count(old), count(zombie), count(pinned), count(live), count(young)}, []int{1, 0, 6, 2, 6})
	if left := must(f.s.AllEvents(f.ctx, 0, 100))(f); len(left) != 15 {
		f.Errorf("%d events left, want 15", len(left))
	}
	f.wantSame("records", f.list(process.Query{}), records)

	// A running process is done with when it is done; without a pinned tag
	// nothing is exempt.
	f.finish(live)
	if n := must(f.s.PruneEvents(f.ctx, f.tick(), "", 1000))(f); n != 1+6+6+6 {
		f.Errorf("pruned %d, want 19", n)
	}
	f.wantSame("all events", must(f.s.AllEvents(f.ctx, 0, 100))(f), []process.Event(nil))
	f.wantSame("marks", must(f.s.Marks(f.ctx))(f), store.Marks{ID: young.ID, Cursor: f.cursor})
}

// testPruneEventsOracle: exact to the event, whatever the clock did and however
// small the batches are.
func testPruneEventsOracle(f *fixture) {
	r := rand.New(rand.NewPCG(5, 6))
	const n = 12
	idle, pinned := map[process.ID]bool{}, map[process.ID]bool{}
	for range n {
		p := f.process(func(p *process.Process) {
			if r.IntN(3) == 0 {
				p.Tags = []string{"pin"}
			}
			p.State = process.States()[r.IntN(2)]
		})
		idle[p.ID], pinned[p.ID] = p.State == process.Idle, p.HasTag("pin")
		f.apply(store.Change{Insert: p})
	}
	var want []process.Event
	var waiting []store.Change // changes may be stored in another order than cursors were given
	for range 150 {
		id := process.ID(1 + r.IntN(n))
		var evs []process.Event
		for range 1 + r.IntN(7) {
			if r.IntN(15) == 0 {
				f.now = f.now.Add(time.Duration(r.IntN(200)-100) * time.Second)
			}
			evs = append(evs, f.event(id, 1, process.ProcessQueued{}))
		}
		want = append(want, evs...)
		waiting = append(waiting, store.Change{ID: id, Events: evs})
		if len(waiting) == 5 {
			slices.SortStableFunc(waiting, func(a, b store.Change) int { return int(a.ID - b.ID) })
			f.apply(waiting[:3]...)
			f.apply(waiting[3:]...)
			waiting = nil
		}
	}
	for i := range 30 {
		at := start.Add(time.Duration(r.IntN(400)) * time.Second)
		var left []process.Event
		limit, pruned := 1+r.IntN(40), 0
		for _, e := range want {
			if pruned < limit && e.At.Before(at) && idle[e.Process] && !pinned[e.Process] {
				pruned++
				continue
			}
			left = append(left, e)
		}
		if got := must(f.s.PruneEvents(f.ctx, at, "pin", limit))(f); got != pruned {
			f.Fatalf("call %d: pruned %d, want %d", i, got, pruned)
		}
		want = left
		f.wantSame(fmt.Sprint("left after call ", i), must(f.s.AllEvents(f.ctx, 0, 10_000))(f), want)
	}
	for id := process.ID(1); id <= n; id++ {
		mine := slices.DeleteFunc(slices.Clone(want), func(e process.Event) bool { return e.Process != id })
		f.wantSame("by process", must(f.s.Events(f.ctx, id, 0, 10_000))(f), mine)
	}
}

func testPrunableLogs(f *fixture) {
	f.add()
	f.finish(f.add(tagged("keep")))
	f.finish(f.add(), func(p *process.Process) { p.Captured = process.Disabled })
	again, once := f.add(), f.add()
	f.finish(again)
	f.finish(once)
	f.rerun(again)
	f.finish(again, func(p *process.Process) { p.Captured = process.MemoryOnly })
	f.rerun(again)
	at := f.now.Add(1)
	f.finish(f.add())

	ref := func(p *process.Process, run int) store.RunRef { return store.RunRef{Process: p.ID, Run: run} }
	prunable := func(limit int) []store.RunRef {
		f.Helper()
		return must(f.s.PrunableLogs(f.ctx, at, "keep", limit))(f)
	}
	want := []store.RunRef{ref(again, 1), ref(once, 1), ref(again, 2)}
	f.wantSame("prunable", prunable(100), want)
	f.wantSame("two of them", prunable(2), want[:2])
	if err := f.s.LogsPruned(f.ctx, []store.RunRef{want[0], want[1], ref(again, 77)}); err != nil {
		f.Fatal(err)
	}
	f.wantSame("the rest", prunable(100), want[2:])
	once.LogsPruned = true
	f.wantStored(once)
	runs := must(f.s.Archived(f.ctx, again.ID))(f)
	if !runs[1].LogsPruned || runs[0].LogsPruned {
		f.Errorf("pruned: run 1 %v, run 2 %v", runs[1].LogsPruned, runs[0].LogsPruned)
	}
	f.wantSame("pinned ones too", len(must(f.s.PrunableLogs(f.ctx, at, "", 100))(f)), 2)
}

func testLogsPrunedStays(f *fixture) {
	p := f.add()
	f.finish(p)
	if err := f.s.LogsPruned(f.ctx, []store.RunRef{{Process: p.ID, Run: 1}}); err != nil {
		f.Fatal(err)
	}
	f.apply(store.Change{Update: p}) // a caller that has not heard of it
	if !f.get(p.ID).LogsPruned {
		f.Error("an update of the same run undid it")
	}
	f.wantSame("prunable", must(f.s.PrunableLogs(f.ctx, f.tick(), "", 10))(f), []store.RunRef(nil))
	f.rerun(p)
	f.finish(p)
	if f.get(p.ID).LogsPruned {
		f.Error("the next run inherited it")
	}
	f.wantSame("prunable", must(f.s.PrunableLogs(f.ctx, f.tick(), "", 10))(f), []store.RunRef{{Process: p.ID, Run: 2}})
}
