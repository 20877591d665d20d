package storetest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// payloads returns one filled payload of every kind that is stored.
func payloads() []process.Payload {
	kinds := []process.Payload{
		&process.ProcessCreated{}, &process.ProcessQueued{}, &process.ProcessStarted{}, &process.OutputElided{},
		&process.OutputMerged{}, &process.PhaseEntered{}, &process.PhaseUpdated{}, &process.PhaseExited{},
		&process.ProgressUpdated{}, &process.LabelUpdated{}, &process.WarningDetected{}, &process.KnownErrorDetected{},
		&process.FindingEmitted{}, &process.PromptDetected{}, &process.SummarySet{}, &process.InterpreterError{},
		&process.SignalDelivered{}, &process.ChildSpawned{}, &process.Reparented{}, &process.Reaped{}, &process.Exited{},
		&process.Cancelled{}, &process.Paused{}, &process.Resumed{}, &process.TimedOut{}, &process.Finalized{},
	}
	f := &filler{}
	for i, k := range kinds {
		v := reflect.ValueOf(k).Elem()
		f.fill(v)
		kinds[i] = v.Interface().(process.Payload)
	}
	return kinds
}

func testEventKinds(f *fixture) {
	p := f.process()
	want := f.events(p.ID, 3, payloads()...)
	f.apply(store.Change{Insert: p, Events: want})
	f.wantSame("events", must(f.s.Events(f.ctx, p.ID, 0, 100))(f), want)
	f.wantSame("all events", must(f.s.AllEvents(f.ctx, 0, 100))(f), want)

	p = f.process()
	zero := f.events(p.ID, 0, process.ProcessCreated{}, process.OutputMerged{}, process.FindingEmitted{}, process.Finalized{})
	f.apply(store.Change{Insert: p, Events: zero})
	f.wantSame("empty payloads", must(f.s.Events(f.ctx, p.ID, 0, 100))(f), zero)
}

// history stores changes of several processes with gaps in seqs and cursors,
// as output lines leave them, and returns what was stored.
func (f *fixture) history(processes, changes int) []process.Event {
	r := rand.New(rand.NewPCG(3, 4))
	for range processes {
		f.apply(store.Change{Insert: f.process()})
	}
	var all []process.Event
	for range changes {
		id := process.ID(1 + r.IntN(processes))
		var evs []process.Event
		for range 1 + r.IntN(6) {
			f.seq[id] += int64(r.IntN(3))
			f.cursor += int64(r.IntN(5))
			evs = append(evs, f.event(id, 1, process.LabelUpdated{Label: fmt.Sprint("l", r.IntN(1000))}))
		}
		f.apply(store.Change{ID: id, Events: evs})
		all = append(all, evs...)
	}
	return all
}

func testEventsBySeq(f *fixture) {
	all := f.history(4, 60)
	for id := process.ID(1); id <= 4; id++ {
		want := slices.DeleteFunc(slices.Clone(all), func(e process.Event) bool { return e.Process != id })
		for _, limit := range []int{1, 7, 1000} {
			var got []process.Event
			var after int64
			for {
				page := must(f.s.Events(f.ctx, id, after, limit))(f)
				if len(page) > limit {
					f.Fatalf("%d events, limit %d", len(page), limit)
				}
				if len(page) == 0 {
					break
				}
				got = append(got, page...)
				after = page[len(page)-1].Seq
			}
			f.wantSame(fmt.Sprintf("process %d by %d", id, limit), got, want)
		}
		for after := int64(0); after < f.seq[id]+2; after += 3 {
			rest := slices.DeleteFunc(slices.Clone(want), func(e process.Event) bool { return e.Seq <= after })
			f.wantSame(fmt.Sprint("after ", after), must(f.s.Events(f.ctx, id, after, 1000))(f), rest)
			below := slices.DeleteFunc(slices.Clone(want), func(e process.Event) bool { return e.Seq >= after })
			for _, limit := range []int{1, 4, 1000} {
				f.wantSame(fmt.Sprint("before ", after), must(f.s.EventsBefore(f.ctx, id, after, limit))(f), below[max(0, len(below)-limit):])
			}
		}
	}
}

func testEventsByCursor(f *fixture) {
	f.wantByCursor(f.history(4, 60))
}

// wantByCursor pages through all events with several page sizes, and starts
// behind many a cursor.
func (f *fixture) wantByCursor(want []process.Event) {
	f.Helper()
	for _, limit := range []int{3, 10, 1000} {
		var got []process.Event
		var after int64
		for {
			page := must(f.s.AllEvents(f.ctx, after, limit))(f)
			if len(page) > limit {
				f.Fatalf("%d events, limit %d", len(page), limit)
			}
			if len(page) == 0 {
				break
			}
			got = append(got, page...)
			after = page[len(page)-1].Cursor
		}
		f.wantSame(fmt.Sprint("by ", limit), got, want)
	}
	for i := 0; i < len(want); i += 7 {
		e := want[i]
		f.wantSame(fmt.Sprint("after ", e.Cursor), must(f.s.AllEvents(f.ctx, e.Cursor, 5))(f), want[i+1:min(i+6, len(want))])
	}
	if n := len(want); n > 0 {
		f.wantSame("after the end", must(f.s.AllEvents(f.ctx, want[n-1].Cursor, 5))(f), []process.Event(nil))
	}
}

// testInterleavedCursors: cursors of changes may interleave, lie far apart, and
// one change may hold many.
func testInterleavedCursors(f *fixture) {
	a, b, c := f.process(), f.process(), f.process()
	f.apply(store.Change{Insert: a}, store.Change{Insert: b}, store.Change{Insert: c})
	batches := map[process.ID][]process.Event{}
	var want []process.Event
	for i := range 600 {
		p := []*process.Process{a, b, c}[i%3]
		if i%100 == 99 {
			f.cursor += 1000
		}
		e := f.event(p.ID, 1, process.LabelUpdated{Label: fmt.Sprint(i)})
		want = append(want, e)
		batches[p.ID] = append(batches[p.ID], e)
	}
	f.apply(
		store.Change{ID: c.ID, Events: batches[c.ID]},
		store.Change{ID: a.ID, Events: batches[a.ID]},
		store.Change{ID: b.ID, Events: batches[b.ID]},
	)
	f.wantByCursor(want)
	f.wantSame("by seq", must(f.s.Events(f.ctx, b.ID, 0, 1000))(f), batches[b.ID])
}

func testFindings(f *fixture) {
	var all []process.FoundFinding
	a, b := f.add(), f.add()
	for i := range 24 {
		p := []*process.Process{a, b}[i%2]
		fi := process.Finding{
			Severity: []process.Severity{process.Info, process.Warning, process.ErrorSeverity}[i%3],
			Code:     fmt.Sprint("code", i%4), Message: fmt.Sprint("message ", i), At: f.tick(),
		}
		if i%5 == 0 {
			rel := "file.go:3"
			fi.Action, fi.Related = &process.Action{Kind: process.ActionLink, Label: "l", Value: "v"}, &rel
		}
		f.apply(store.Change{ID: p.ID, Events: f.events(p.ID, 1+i%2,
			process.WarningDetected{}, process.FindingEmitted{Finding: fi})})
		all = slices.Insert(all, 0, process.FoundFinding{Process: p.ID, Run: 1 + i%2, Finding: fi})
	}
	check := func(q process.FindingQuery) {
		f.Helper()
		want := slices.DeleteFunc(slices.Clone(all), func(x process.FoundFinding) bool {
			return q.Process != 0 && x.Process != q.Process || q.Severity != "" && x.Severity != q.Severity || q.Code != "" && x.Code != q.Code
		})
		if q.Limit > 0 {
			want = want[:min(q.Limit, len(want))]
		}
		f.wantSame(fmt.Sprintf("%+v", q), must(f.s.Findings(f.ctx, q))(f), want)
	}
	for _, id := range []process.ID{0, a.ID, b.ID, 99} {
		for _, sev := range []process.Severity{"", process.Info, process.Warning, "none"} {
			for _, code := range []string{"", "code1", "none"} {
				for _, limit := range []int{0, 1, 5, 100} {
					check(process.FindingQuery{Process: id, Severity: sev, Code: code, Limit: limit})
				}
			}
		}
	}
	f.finish(a)
	for must(f.s.PruneEvents(f.ctx, f.tick(), "", 100))(f) > 0 {
	}
	check(process.FindingQuery{})
	if err := f.s.Delete(f.ctx, b.ID); err != nil {
		f.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(x process.FoundFinding) bool { return x.Process == b.ID })
	check(process.FindingQuery{})
}
