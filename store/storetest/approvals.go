package storetest

import (
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// FullApproval returns a decided approval in which every field is set, as Full
// does for processes.
func FullApproval(id process.ApprovalID, of process.ID, seed int) process.Approval {
	var a process.Approval
	f := &filler{n: seed * 1000}
	f.fill(reflect.ValueOf(&a).Elem())
	a.ID, a.Process = id, of
	a.State = process.ApprovalStates()[1+seed%4]
	return a
}

// pending makes an approval as it is requested.
func (f *fixture) pending(id process.ApprovalID, of process.ID) process.Approval {
	return process.Approval{ID: id, Process: of, Run: 1, Call: 1, Service: "s", Tool: "t",
		State: process.ApprovalPending, RequestedAt: f.tick(), ExpiresAt: f.now.Add(1)}
}

func (f *fixture) approvals(q process.ApprovalQuery) []process.Approval {
	f.Helper()
	return must(f.s.Approvals(f.ctx, must(q.Normalize())(f)))(f)
}

func approvalIDs(list []process.Approval) []process.ApprovalID {
	out := make([]process.ApprovalID, len(list))
	for i := range list {
		out[i] = list[i].ID
	}
	return out
}

func testApprovals(f *fixture) {
	_, err := f.s.Approval(f.ctx, 1)
	f.wantErr("unknown", err, process.ErrNotFound)
	p := f.process()
	first := f.pending(1, p.ID)
	insert := f.insertion(p)
	insert.Approvals = []process.Approval{first} // with the process itself
	f.apply(insert)
	f.wantSame("pending", must(f.s.Approval(f.ctx, 1))(f), &first)

	full := FullApproval(2, p.ID, 1)
	full.Params = []byte("{\"a\":\"\xff\x00 ü\"}") // bytes to a store
	f.apply(store.Change{ID: p.ID, Approvals: []process.Approval{full}})
	f.wantSame("every field", must(f.s.Approval(f.ctx, 2))(f), &full)

	// A decision replaces it, also within one change.
	decided := FullApproval(1, p.ID, 2)
	f.apply(store.Change{Approvals: []process.Approval{first, decided}})
	f.wantSame("replaced", must(f.s.Approval(f.ctx, 1))(f), &decided)
	bare := process.Approval{ID: 3, Process: p.ID, State: process.ApprovalCanceled}
	f.apply(store.Change{Approvals: []process.Approval{bare}})
	f.wantSame("listed", f.approvals(process.ApprovalQuery{}), []process.Approval{bare, full, decided})
}

func testApprovalQueries(f *fixture) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 4 {
		f.add()
	}
	var all []process.Approval
	for id := process.ApprovalID(1); id <= 80; id++ {
		a := FullApproval(id, process.ID(1+r.IntN(4)), int(id))
		a.State = process.ApprovalStates()[r.IntN(5)]
		all = append(all, a)
	}
	shuffled := slices.Clone(all)
	r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for _, a := range shuffled {
		f.apply(store.Change{Approvals: []process.Approval{a}})
	}
	slices.Reverse(all)
	for range 200 {
		q := process.ApprovalQuery{Limit: 1 + r.IntN(30), Process: process.ID(r.IntN(6))}
		if i := r.IntN(7); i < 5 {
			q.State = process.ApprovalStates()[i]
		}
		if r.IntN(2) == 0 {
			q.Before = process.ApprovalID(1 + r.IntN(90))
		}
		var want []process.Approval
		for _, a := range all {
			if q.Matches(&a) && (q.Before == 0 || a.ID < q.Before) && len(want) < q.Limit {
				want = append(want, a)
			}
		}
		f.wantSame("approvals", f.approvals(q), want)
	}
}

func testApprovalsGo(f *fixture) {
	p, other := f.add(), f.add()
	f.apply(store.Change{Approvals: []process.Approval{f.pending(4, p.ID), f.pending(7, p.ID)}},
		store.Change{Approvals: []process.Approval{f.pending(5, other.ID)}})
	if err := f.s.Delete(f.ctx, p.ID); err != nil {
		f.Fatal(err)
	}
	f.wantSame("after delete", approvalIDs(f.approvals(process.ApprovalQuery{})), []process.ApprovalID{5})
	_, err := f.s.Approval(f.ctx, 7)
	f.wantErr("deleted", err, process.ErrNotFound)
	if m := must(f.s.Marks(f.ctx))(f); m.Approval != 7 {
		f.Errorf("the highest number is %d, want 7: one that is gone stays used", m.Approval)
	}
}

func testPruneApprovals(f *fixture) {
	idle, pinned, live := f.add(), f.add(tagged("keep")), f.add()
	f.finish(idle)
	f.finish(pinned)
	id := process.ApprovalID(0)
	put := func(p *process.Process, s process.ApprovalState) {
		id++
		a := f.pending(id, p.ID)
		a.State = s
		f.apply(store.Change{Approvals: []process.Approval{a}})
	}
	for _, p := range []*process.Process{idle, pinned, live} {
		for _, s := range process.ApprovalStates() {
			put(p, s)
		}
	}
	at := f.tick()
	put(idle, process.ApprovalDenied) // 16: young
	if n := must(f.s.PruneApprovals(f.ctx, at, "keep", 3))(f); n != 3 {
		f.Errorf("pruned %d, want the limit", n)
	}
	if n := must(f.s.PruneApprovals(f.ctx, at, "keep", 100))(f); n != 1 {
		f.Errorf("pruned %d, want the rest, 1", n)
	}
	if n := must(f.s.PruneApprovals(f.ctx, at, "keep", 100))(f); n != 0 {
		f.Errorf("pruned %d, want none", n)
	}
	f.wantSame("left", approvalIDs(f.approvals(process.ApprovalQuery{})), []process.ApprovalID{16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 1})
	if n := must(f.s.PruneApprovals(f.ctx, at, "", 100))(f); n != 4 {
		f.Errorf("pruned %d without a pinned tag, want 4", n)
	}
}

// testToolsNoneIsNotAny: a process that may call no tool must not come back as
// one that may call any.
func testToolsNoneIsNotAny(f *fixture) {
	none := f.add(func(p *process.Process) { p.Options.Tools = []string{} })
	anything := f.add()
	if got := f.get(none.ID).Options.Tools; got == nil || len(got) > 0 {
		f.Errorf("none came back as %#v", got)
	}
	if got := f.get(anything.ID).Options.Tools; got != nil {
		f.Errorf("any came back as %#v", got)
	}
	for _, p := range f.list(process.Query{}) {
		if (p.Options.Tools != nil) != (p.ID == none.ID) {
			f.Errorf("listed: process %d has %#v", p.ID, p.Options.Tools)
		}
	}
}
