package storetest

import (
	"context"
	"errors"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// testBatchInOrder: changes of one process in one batch build on each other.
func testBatchInOrder(f *fixture) {
	p := f.process()
	batch := []store.Change{f.insertion(p)}
	batch = append(batch, f.finishing(p))
	first := p.Run
	p.Run = process.Run{Number: 2}
	p.State = process.Queued
	batch = append(batch, store.Change{ID: p.ID, Archive: &first, Update: p.Clone(),
		Events: f.events(p.ID, 2, process.ProcessQueued{})})
	p.State = process.Running
	batch = append(batch, store.Change{Update: p.Clone()})
	batch = append(batch, store.Change{ID: p.ID, Events: f.events(p.ID, 2, process.ProcessStarted{PID: 1})})
	f.apply(batch...)

	f.wantStored(p)
	f.wantSame("archived", must(f.s.Archived(f.ctx, p.ID))(f), []process.Run{first})
	if got := must(f.s.Events(f.ctx, p.ID, 0, 100))(f); len(got) != 8 {
		f.Errorf("%d events, want 8", len(got))
	}
	// Only the second run is unfinished after the first one's end.
	f.wantSame("runs after", must(f.s.RunsAfter(f.ctx, f.cursor))(f), []store.RunRef{{Process: p.ID, Run: 2}})
}

// testBatchSizes: stores write rows in groups; no row may be lost at their borders.
func testBatchSizes(f *fixture) {
	for _, n := range []int{1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100} {
		var batch []store.Change
		var all []*process.Process
		for range n {
			p := f.process()
			all = append(all, p)
			batch = append(batch, f.insertion(p))
		}
		f.apply(batch...)
		batch = nil
		for _, p := range all {
			batch = append(batch, f.finishing(p))
		}
		f.apply(batch...)
		for _, p := range all {
			f.wantSame("process", f.get(p.ID), p)
			if got := must(f.s.Events(f.ctx, p.ID, 0, 100))(f); len(got) != 6 {
				f.Fatalf("batch of %d: process %d has %d events, want 6", n, p.ID, len(got))
			}
		}
	}
}

// testAllOrNothing: a batch with one bad change anywhere leaves no trace.
func testAllOrNothing(f *fixture) {
	held := f.add(func(p *process.Process) { p.Ref = "held" })
	old := f.add()
	f.finish(old)
	before := f.everything()
	id, cursor := f.id, f.cursor

	good := func() []store.Change {
		run := old.Run
		next := *old
		next.State, next.Run = process.Queued, process.Run{Number: 2}
		return []store.Change{
			f.insertion(f.process(func(p *process.Process) { p.Ref, p.Tags = "fresh", []string{"t"} })),
			{Archive: &run, Update: &next, ID: old.ID, Events: f.events(old.ID, 2, process.ProcessQueued{},
				process.FindingEmitted{Finding: process.Finding{Severity: process.Info, Code: "c"}}),
				Approvals: []process.Approval{{ID: 1, Process: old.ID, State: process.ApprovalPending}},
				Messages:  []process.Message{FullMessage(1, 1)}},
		}
	}
	withRef := func(ref string) store.Change {
		return f.insertion(f.process(func(p *process.Process) { p.Ref = ref }))
	}
	unknown := &process.Process{ID: 99, State: process.Idle}
	for name, tt := range map[string]struct {
		bad  func() store.Change
		want error // nil: any
	}{
		"ref held":           {func() store.Change { return withRef("held") }, process.ErrRefConflict},
		"ref in the batch":   {func() store.Change { return withRef("fresh") }, process.ErrRefConflict},
		"update of unknown":  {func() store.Change { return store.Change{Update: unknown} }, process.ErrNotFound},
		"archive of unknown": {func() store.Change { return store.Change{ID: 99, Archive: &process.Run{Number: 1}} }, process.ErrNotFound},
		"events of unknown": {func() store.Change {
			return store.Change{ID: 99, Events: f.events(99, 1, process.ProcessQueued{})}
		}, process.ErrNotFound},
		"insert twice": {func() store.Change { return store.Change{Insert: held} }, nil},
		"two processes": {func() store.Change {
			return store.Change{ID: held.ID, Update: &process.Process{ID: old.ID, State: process.Idle}}
		}, nil},
		"another's event": {func() store.Change {
			return store.Change{ID: held.ID, Events: f.events(old.ID, 1, process.ProcessQueued{})}
		}, nil},
		"live event": {func() store.Change {
			return store.Change{ID: held.ID, Events: f.events(held.ID, 1, process.Lagged{Missed: 1})}
		}, nil},
		"output line": {func() store.Change {
			return store.Change{ID: held.ID, Events: f.events(held.ID, 1, process.OutputAppended{Line: "x"})}
		}, nil},
		"events out of order": {func() store.Change {
			evs := f.events(held.ID, 1, process.ProcessQueued{}, process.ProcessStarted{})
			evs[0], evs[1] = evs[1], evs[0]
			return store.Change{ID: held.ID, Events: evs}
		}, nil},
		"message of unknown": {func() store.Change {
			return store.Change{ID: 99, Messages: []process.Message{FullMessage(1, 1)}}
		}, process.ErrNotFound},
		"messages out of order": {func() store.Change {
			return store.Change{ID: held.ID, Messages: []process.Message{FullMessage(2, 1), FullMessage(2, 2)}}
		}, nil},
		"message without a number": {func() store.Change {
			return store.Change{ID: held.ID, Messages: []process.Message{FullMessage(0, 1)}}
		}, nil},
		"message with arguments that are no JSON": {func() store.Change {
			return store.Change{ID: held.ID, Messages: []process.Message{{Number: 1, Calls: []process.MessageCall{{Arguments: []byte("{")}}}}}
		}, nil},
		"approval of unknown": {func() store.Change {
			return store.Change{Approvals: []process.Approval{{ID: 9, Process: 99, State: process.ApprovalPending}}}
		}, process.ErrNotFound},
		"another's approval": {func() store.Change {
			return store.Change{ID: held.ID, Approvals: []process.Approval{{ID: 9, Process: old.ID, State: process.ApprovalPending}}}
		}, nil},
		"approval without a state": {func() store.Change {
			return store.Change{Approvals: []process.Approval{{ID: 9, Process: held.ID}}}
		}, nil},
		"approval without an id": {func() store.Change {
			return store.Change{Approvals: []process.Approval{{Process: held.ID, State: process.ApprovalPending}}}
		}, nil},
		"unknown state": {func() store.Change { return store.Change{Update: &process.Process{ID: held.ID}} }, nil},
		"no process":    {func() store.Change { return store.Change{} }, nil},
	} {
		for _, first := range []bool{true, false} {
			f.id, f.cursor = id, cursor
			batch := good()
			if first {
				batch = append([]store.Change{tt.bad()}, batch...)
			} else {
				batch = append(batch, tt.bad())
			}
			err := f.s.Apply(f.ctx, batch)
			switch {
			case err == nil:
				f.Fatalf("%s: applied", name)
			case tt.want != nil && !errors.Is(err, tt.want):
				f.Errorf("%s: got %v, want %v", name, err, tt.want)
			}
			f.wantSame("after "+name, f.everything(), before)
		}
	}
	f.id, f.cursor, f.seq[old.ID] = id, cursor, 6
	f.apply(good()...) // and the store still works
}

func testCancelledApply(f *fixture) {
	f.add()
	before := f.everything()
	ctx, cancel := context.WithCancel(f.ctx)
	cancel()
	var batch []store.Change
	for range 20 {
		batch = append(batch, f.insertion(f.process()))
	}
	f.wantErr("apply", f.s.Apply(ctx, batch), context.Canceled)
	f.wantErr("delete", f.s.Delete(ctx, 1), context.Canceled)
	f.wantSame("after a cancelled apply", f.everything(), before)

	// Whenever it is cancelled on the way, all or nothing is there.
	for n := 0; ; n++ {
		err := f.s.Apply(&fuse{Context: f.ctx, left: n}, batch)
		if err == nil {
			break
		}
		f.wantErr("apply", err, context.Canceled)
		f.wantSame("after a cancelled apply", f.everything(), before)
	}
	if got := len(f.list(process.Query{})); got != 21 {
		f.Errorf("%d processes, want 21", got)
	}
}

// fuse is a context that is cancelled when it was asked a number of times.
type fuse struct {
	context.Context
	left int
}

func (c *fuse) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func testRefConflict(f *fixture) {
	p := f.add(func(p *process.Process) { p.Ref = "nightly" })
	if id := must(f.s.FindRef(f.ctx, "nightly"))(f); id != p.ID {
		f.Errorf("found %d, want %d", id, p.ID)
	}
	err := f.s.Apply(f.ctx, []store.Change{f.insertion(f.process(func(p *process.Process) { p.Ref = "nightly" }))})
	f.wantErr("second holder", err, process.ErrRefConflict)
	if pe := new(process.Error); !errors.As(err, &pe) || pe.Field != "ref" {
		f.Errorf("the error does not name the field: %#v", err)
	}
	f.add() // no ref conflicts with nothing
	f.add(func(p *process.Process) { p.Ref = "Nightly" })

	// A finished holder still holds; a deleted one does not.
	f.finish(p)
	err = f.s.Apply(f.ctx, []store.Change{f.insertion(f.process(func(p *process.Process) { p.Ref = "nightly" }))})
	f.wantErr("holder finished", err, process.ErrRefConflict)
	if err := f.s.Delete(f.ctx, p.ID); err != nil {
		f.Fatal(err)
	}
	_, err = f.s.FindRef(f.ctx, "nightly")
	f.wantErr("find after delete", err, process.ErrNotFound)
	f.add(func(p *process.Process) { p.Ref = "nightly" })
}

func testMarks(f *fixture) {
	var last *process.Process
	for range 3 {
		last = f.add()
		f.finish(last)
	}
	want := store.Marks{ID: last.ID, Cursor: f.cursor}
	f.wantSame("marks", must(f.s.Marks(f.ctx))(f), want)
	for id := process.ID(1); id <= last.ID; id++ {
		if err := f.s.Delete(f.ctx, id); err != nil {
			f.Fatal(err)
		}
	}
	f.wantSame("marks after deleting all", must(f.s.Marks(f.ctx))(f), want)
	f.id-- // an id that was given out, late
	f.id = 2
	f.apply(f.insertion(f.process()))
	f.wantSame("marks after a late id", must(f.s.Marks(f.ctx))(f), store.Marks{ID: want.ID, Cursor: f.cursor})
}

func testKeys(f *fixture) {
	keyed := func(p *process.Process) { p.Key = process.Key{Name: "k", Request: "digest"} }
	_, err := f.s.FindKey(f.ctx, "k")
	f.wantErr("no holder", err, process.ErrNotFound)
	first := f.add(keyed)
	if id := must(f.s.FindKey(f.ctx, "k"))(f); id != first.ID {
		f.Errorf("found %d, want %d", id, first.ID)
	}
	if got := must(f.s.Process(f.ctx, first.ID))(f); got.Key != first.Key {
		f.Errorf("the key came back as %+v", got.Key)
	}
	second := f.add(keyed) // the kernel decides whether that may be
	f.finish(first)
	if err := f.s.Delete(f.ctx, first.ID); err != nil {
		f.Fatal(err)
	}
	if id := must(f.s.FindKey(f.ctx, "k"))(f); id != second.ID {
		f.Errorf("found %d, want the last one, %d", id, second.ID)
	}
	if err := f.s.Delete(f.ctx, second.ID); err != nil {
		f.Fatal(err)
	}
	_, err = f.s.FindKey(f.ctx, "k")
	f.wantErr("find after delete", err, process.ErrNotFound)
}
