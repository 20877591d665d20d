package storetest

import (
	"slices"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

func testUnsettled(f *fixture) {
	var want []process.ID
	for _, s := range process.States() {
		for l := process.LifecycleCreated; l <= process.LifecycleDead; l++ {
			p := f.add(func(p *process.Process) { p.State, p.Lifecycle = s, l })
			if s != process.Idle || l == process.LifecycleZombie {
				want = append(want, p.ID)
			}
		}
	}
	unsettled := func() (got []process.ID) {
		for _, p := range must(f.s.Unsettled(f.ctx))(f) {
			got = append(got, p.ID)
		}
		return got
	}
	f.wantSame("unsettled", unsettled(), want)

	p := f.get(want[0])
	f.finish(p)
	f.wantSame("after one finished", unsettled(), want[1:])
	f.rerun(p)
	slices.Sort(want)
	f.wantSame("after it runs again", unsettled(), want)
}

func testLastSeqs(f *fixture) {
	last := func() map[process.ID]int64 { return must(f.s.LastSeqs(f.ctx))(f) }
	f.wantSame("of nothing", last(), map[process.ID]int64{})
	p, q := f.add(), f.add()
	f.wantSame("of two", last(), map[process.ID]int64{p.ID: f.seq[p.ID], q.ID: f.seq[q.ID]})
	f.apply(store.Change{ID: p.ID, Events: f.events(p.ID, 1, process.Paused{}, process.Resumed{}, process.Paused{})})
	f.wantSame("after more events", last(), map[process.ID]int64{p.ID: 5, q.ID: 2})
	f.finish(q)
	f.wantSame("after one finished", last(), map[process.ID]int64{p.ID: 5})
	f.rerun(q)
	f.wantSame("after it runs again", last(), map[process.ID]int64{p.ID: 5, q.ID: f.seq[q.ID]})
}

func testArchived(f *fixture) {
	p := f.add()
	f.wantSame("before any rerun", must(f.s.Archived(f.ctx, p.ID))(f), []process.Run(nil))
	var want []process.Run
	for n := 1; n <= 3; n++ {
		run := Full(p.ID, n).Run
		run.Number = n
		want = slices.Insert(want, 0, run)
		p.Run = process.Run{Number: n + 1}
		f.apply(store.Change{ID: p.ID, Archive: &run, Update: p.Clone()})
	}
	f.wantSame("archived", must(f.s.Archived(f.ctx, p.ID))(f), want)

	again := Full(p.ID, 9).Run
	again.Number = 2
	want[1] = again
	f.apply(store.Change{ID: p.ID, Archive: &again})
	f.wantSame("archived again", must(f.s.Archived(f.ctx, p.ID))(f), want)
}

func testRunsAfter(f *fixture) {
	f.add(func(p *process.Process) { p.State, p.Number = process.Idle, 0 }) // never run
	early := f.add()
	f.finish(early)
	earlyEnd := f.cursor
	running := f.add(func(p *process.Process) { p.State = process.Running })
	again := f.add()
	f.finish(again)
	againEnd := f.cursor
	f.rerun(again)

	check := func(cursor int64, want ...store.RunRef) {
		f.Helper()
		f.wantSame("runs after", must(f.s.RunsAfter(f.ctx, cursor))(f), want)
	}
	e1, r1 := store.RunRef{Process: early.ID, Run: 1}, store.RunRef{Process: running.ID, Run: 1}
	a1, a2 := store.RunRef{Process: again.ID, Run: 1}, store.RunRef{Process: again.ID, Run: 2}
	check(0, e1, r1, a1, a2)
	check(earlyEnd-1, e1, r1, a1, a2)
	check(earlyEnd, r1, a1, a2)
	check(againEnd, r1, a2)
	check(f.cursor+100, r1, a2)

	// A finalized event may come with no update beside it, and late.
	f.finish(again)
	f.finish(running)
	check(f.cursor)
	f.rerun(running)
	f.apply(store.Change{ID: running.ID, Events: f.events(running.ID, 1, process.Finalized{})})
	check(f.cursor-1, store.RunRef{Process: running.ID, Run: 1}, store.RunRef{Process: running.ID, Run: 2})

	// Later updates of the same run do not undo it.
	f.apply(store.Change{Update: again})
	for must(f.s.PruneEvents(f.ctx, f.tick(), "", 100))(f) > 0 {
	}
	check(0, e1, store.RunRef{Process: running.ID, Run: 1}, store.RunRef{Process: running.ID, Run: 2}, a1, a2)
}
