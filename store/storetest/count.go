package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// testCount counts processes of every kind, with runs that ended at many times,
// some of them archived, and compares with a count by hand.
func testCount(f *fixture) {
	r := rand.New(rand.NewPCG(5, 6))
	from := start.Add(-10 * time.Minute).Truncate(time.Minute)
	want := store.Counts{States: map[process.State]int{}, ExitStates: map[process.ExitState]int{}, Environments: map[string]int{}}
	activity := func() process.Activity { return process.NewActivity(from, time.Minute, 30) }
	want.Activity = activity()
	note := func(t time.Time, into []int) {
		if i := int(t.Sub(from) / time.Minute); !t.Before(from) && i < 30 {
			into[i]++
		}
	}
	f.now = from.Add(-20 * time.Minute)
	for range 120 {
		f.now = f.now.Add(time.Duration(r.IntN(40)) * time.Second)
		p := f.add(func(p *process.Process) { p.Environment = someEnvs[1+r.IntN(3)] })
		note(p.CreatedAt, want.Activity.Created)
		for range r.IntN(3) {
			f.finish(p, func(p *process.Process) { p.ExitState = process.ExitStates()[r.IntN(4)] })
			note(p.CompletedAt, want.Activity.Ended(p.ExitState))
			if r.IntN(2) == 0 {
				break
			}
			f.rerun(p)
			if r.IntN(2) == 0 {
				p.State, p.Paused = process.Running, r.IntN(2) == 0
				f.apply(store.Change{Update: p.Clone()})
			}
		}
		want.States[p.State]++
		want.ExitStates[p.ExitState]++
		want.Environments[p.Environment]++
		if p.Paused && p.State != process.Idle {
			want.Paused++
		}
	}
	counting := must(f.s.Count(f.ctx, activity()))(f)
	f.add() // comes too late to be counted
	f.wantSame("counts", must(counting())(f), want)
	for must(f.s.PruneEvents(f.ctx, f.tick(), "", 100))(f) > 0 {
	}
	want.Activity.Created[29] = 0 // may have got one more, or not: the clock goes on
	got := must(must(f.s.Count(f.ctx, activity()))(f)())(f)
	got.Activity.Created[29] = 0
	f.wantSame("ends, when old events are gone", got.Activity, want.Activity)
}

func testTags(f *fixture) {
	f.wantSame("no tags", must(f.s.Tags(f.ctx, 10))(f), []process.TagCount(nil))
	var all []*process.Process
	for i := range 12 {
		all = append(all, f.add(func(p *process.Process) {
			p.Tags = []string{"all", "all"}
			for n := range 4 {
				if i%(n+2) == 0 {
					p.Tags = append(p.Tags, fmt.Sprint("each-", n+2))
				}
			}
		}))
	}
	want := []process.TagCount{{Tag: "all", Count: 12}, {Tag: "each-2", Count: 6}, {Tag: "each-3", Count: 4}, {Tag: "each-4", Count: 3}, {Tag: "each-5", Count: 3}}
	f.wantSame("tags", must(f.s.Tags(f.ctx, 10))(f), want)
	f.wantSame("some tags", must(f.s.Tags(f.ctx, 2))(f), want[:2])
	if err := f.s.Delete(f.ctx, all[0].ID); err != nil {
		f.Fatal(err)
	}
	for i := range want {
		want[i].Count--
	}
	f.wantSame("tags after a deletion", must(f.s.Tags(f.ctx, 10))(f), want)
}

func testPendingApprovals(f *fixture) {
	p := f.add()
	var approvals []process.Approval
	for i, state := range []process.ApprovalState{process.ApprovalPending, process.ApprovalApproved, process.ApprovalPending} {
		approvals = append(approvals, process.Approval{ID: process.ApprovalID(i + 1), Process: p.ID, Run: 1, State: state, RequestedAt: f.tick()})
	}
	f.apply(store.Change{ID: p.ID, Approvals: slices.Clone(approvals)})
	if n := must(f.s.PendingApprovals(f.ctx))(f); n != 2 {
		f.Errorf("%d are pending, want 2", n)
	}
	approvals[0].State = process.ApprovalDenied
	f.apply(store.Change{ID: p.ID, Approvals: approvals[:1]})
	if n := must(f.s.PendingApprovals(f.ctx))(f); n != 1 {
		f.Errorf("%d are pending, want 1", n)
	}
}
