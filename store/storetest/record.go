package storetest

import (
	"reflect"
	"strings"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

func testEmpty(f *fixture) {
	f.wantSame("an empty store", f.everything(), everything{})
	if n := must(f.s.PruneEvents(f.ctx, f.now, "", 10))(f); n != 0 {
		f.Errorf("pruned %d events", n)
	}
	f.wantSame("prunable logs", must(f.s.PrunableLogs(f.ctx, f.now, "", 10))(f), []store.RunRef(nil))
	f.apply() // nothing to do is no error
}

func testUnknown(f *fixture) {
	f.add()
	_, err := f.s.Process(f.ctx, 99)
	f.wantErr("process", err, process.ErrNotFound)
	_, err = f.s.FindRef(f.ctx, "nobody")
	f.wantErr("find ref", err, process.ErrNotFound)
	_, err = f.s.Archived(f.ctx, 99)
	f.wantErr("archived", err, process.ErrNotFound)
	_, err = f.s.EventsBefore(f.ctx, 99, 9, 10)
	f.wantErr("events before", err, process.ErrNotFound)
	_, err = f.s.Events(f.ctx, 99, 0, 10)
	f.wantErr("events", err, process.ErrNotFound)
	f.wantErr("delete", f.s.Delete(f.ctx, 99), process.ErrNotFound)
	if err := f.s.LogsPruned(f.ctx, []store.RunRef{{Process: 99, Run: 1}}); err != nil {
		f.Errorf("logs pruned: %v", err)
	}
}

func testClosed(f *fixture) {
	p := f.add()
	if err := f.s.Close(); err != nil {
		f.Fatal(err)
	}
	_, err := f.s.Process(f.ctx, p.ID)
	f.wantErr("process", err, process.ErrClosed)
	_, err = f.s.Processes(f.ctx, process.Query{Limit: 1})
	f.wantErr("processes", err, process.ErrClosed)
	_, err = f.s.Marks(f.ctx)
	f.wantErr("marks", err, process.ErrClosed)
	_, err = f.s.Approval(f.ctx, 1)
	f.wantErr("approval", err, process.ErrClosed)
	_, err = f.s.Approvals(f.ctx, process.ApprovalQuery{Limit: 1})
	f.wantErr("approvals", err, process.ErrClosed)
	_, err = f.s.PruneApprovals(f.ctx, f.now, "", 1)
	f.wantErr("prune approvals", err, process.ErrClosed)
	_, err = f.s.Messages(f.ctx, p.ID, 0, 1)
	f.wantErr("messages", err, process.ErrClosed)
	_, err = f.s.Notification(f.ctx, p.ID, 1)
	f.wantErr("notification", err, process.ErrClosed)
	_, err = f.s.Notifications(f.ctx, p.ID, 0, 1)
	f.wantErr("notifications", err, process.ErrClosed)
	_, err = f.s.Receivers(f.ctx)
	f.wantErr("receivers", err, process.ErrClosed)
	_, err = f.s.DueNotifications(f.ctx, "h", 1)
	f.wantErr("due notifications", err, process.ErrClosed)
	f.wantErr("save notifications", f.s.SaveNotifications(f.ctx, nil), process.ErrClosed)
	_, err = f.s.PruneNotifications(f.ctx, f.now, "", 1)
	f.wantErr("prune notifications", err, process.ErrClosed)
	_, err = f.s.AllEvents(f.ctx, 0, 1)
	f.wantErr("all events", err, process.ErrClosed)
	f.wantErr("apply", f.s.Apply(f.ctx, []store.Change{f.insertion(f.process())}), process.ErrClosed)
	f.wantErr("delete", f.s.Delete(f.ctx, p.ID), process.ErrClosed)
}

// wantStored compares every way of reading a process with what it should be.
func (f *fixture) wantStored(want *process.Process) {
	f.Helper()
	f.wantSame("process", f.get(want.ID), want)
	for _, got := range f.list(process.Query{Limit: process.MaxLimit}) {
		if got.ID == want.ID {
			f.wantSame("listed process", redacted(&got), redacted(want))
		}
	}
	for _, got := range must(f.s.Unsettled(f.ctx))(f) {
		if got.ID == want.ID {
			f.wantSame("unsettled process", got, want)
		}
	}
}

func testEveryField(f *fixture) {
	for seed := range 4 {
		p := Full(process.ID(seed+1), seed)
		f.apply(store.Change{Insert: p, ID: p.ID})
		f.wantStored(p)
	}
	child := Full(5, 5)
	child.Parent = 2
	f.apply(store.Change{Insert: child})
	f.wantStored(child)
	bare := &process.Process{ID: 6, State: process.Idle, Spec: process.Spec{Environment: "x"}, CreatedAt: start}
	f.apply(store.Change{Insert: bare})
	f.wantStored(bare)
}

func testUpdateKeepsSpec(f *fixture) {
	p := Full(1, 1)
	f.apply(store.Change{Insert: p})
	next := Full(1, 2) // differs in every field
	f.apply(store.Change{Update: next})
	next.Spec, next.CreatedAt = p.Spec, p.CreatedAt
	next.LogsPruned = true
	f.wantStored(next)

	zero := &process.Process{ID: 1, State: process.Idle}
	f.apply(store.Change{Update: zero})
	zero.Spec, zero.CreatedAt = p.Spec, p.CreatedAt
	f.wantStored(zero)
}

func testVariants(f *fixture) {
	reasons := []process.FailureReason{
		{Kind: process.FailSpawn, Error: "no such file"},
		{Kind: process.FailTimeout},
		{Kind: process.FailKnownError, Code: "x.err", Message: "boom"},
		{Kind: process.FailSignal, Signal: "SIGKILL"},
		{Kind: process.FailExitCode, ExitCode: 7},
	}
	progress := []process.Progress{
		{}, {Kind: process.ProgressIndeterminate, Hint: "thinking"}, process.Fraction(0.42),
		{Kind: process.ProgressDeterminate, Unit: process.UnitCount, Done: 3, Total: 10},
		{Kind: process.ProgressDeterminate, Unit: process.UnitBytes, Done: 3},
	}
	for i, r := range reasons {
		p := f.add()
		f.finish(p, func(p *process.Process) {
			p.Outcome = &process.Outcome{Kind: process.OutcomeFailed, Reason: &r}
			p.Progress = progress[i]
		})
		f.wantStored(p)
	}
	for _, o := range []process.Options{{}, {Timeout: process.NoTimeout}, {Timeout: 1, Grace: 2, Drain: 3},
		{Sandbox: process.Confined, Require: []string{process.TreeKill, "landlock"}, Limits: process.Limits{MemoryBytes: 1, PIDs: 2, CPUMS: 3, OutputBytes: 4, OpenFiles: 5}}} {
		f.wantStored(f.add(func(p *process.Process) { p.Options = o }))
	}
	for _, c := range []process.Command{
		{Program: "a"},
		{Program: "a", Stdin: process.StdinBytes},
		{Program: "a", Stdin: process.StdinBytes, StdinData: "only stdin"},
		{Program: "a", Env: map[string]process.Secret{"EMPTY": "", "A": "b"}},
	} {
		f.wantStored(f.add(func(p *process.Process) { p.Command = &c }))
	}
}

// testOddBytes: arguments and stdin are bytes to the operating system, and
// code may be anything.
func testOddBytes(f *fixture) {
	odd := "a\x00b\xff\xfe ü \u2028 \"' <é>"
	f.wantStored(f.add(func(p *process.Process) {
		p.Code = odd + strings.Repeat("long line\n", 100_000)
		p.Command = &process.Command{
			Program: "/bin/\xff", Args: []string{odd, "", "plain"}, Dir: "/tmp/\xfe",
			Env:   map[string]process.Secret{"K\xff": process.Secret(odd), "P": "v"},
			Stdin: process.StdinBytes, StdinData: process.Secret(odd + strings.Repeat("\x00\x01", 50_000)),
		}
	}))
}

func testNothingShared(f *fixture) {
	f.add() // so that a parent exists
	change := func() store.Change {
		f.seq = map[process.ID]int64{}
		run := Full(2, 3).Run
		run.Number = 1
		return store.Change{Insert: Full(2, 1), Archive: &run, Update: Full(2, 2), ID: 2,
			Events: f.events(2, 1, payloads()...), Approvals: []process.Approval{FullApproval(1, 2, 1)}, Messages: []process.Message{FullMessage(1, 1)}}
	}
	c := change()
	f.apply(c)
	before := f.everything()
	want := f.get(2)
	scramble(reflect.ValueOf(&c).Elem())
	f.wantSame("after the caller changed its own copy", f.everything(), before)
	f.wantSame("after the caller changed its own copy", f.get(2), want)

	got := f.everything()
	scramble(reflect.ValueOf(&got).Elem())
	scramble(reflect.ValueOf(f.get(2)).Elem())
	f.wantSame("after a reader changed its copy", f.everything(), before)
	f.wantSame("after a reader changed its copy", f.get(2), want)
}
