package storetest

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// start is when the suite's clock begins.
var start = time.Date(2026, 6, 24, 12, 0, 0, 123456789, time.UTC)

// same ignores what a store may change: nil against empty.
var same = cmp.Options{cmpopts.EquateEmpty()}

// fixture plays the kernel: it hands out ids, seqs and cursors.
type fixture struct {
	*testing.T
	ctx    context.Context
	s      store.Store
	id     process.ID
	cursor int64
	seq    map[process.ID]int64
	now    time.Time
}

func newFixture(t *testing.T, s store.Store) *fixture {
	return &fixture{T: t, ctx: t.Context(), s: s, seq: map[process.ID]int64{}, now: start}
}

// tick moves the clock and returns the new time.
func (f *fixture) tick() time.Time {
	f.now = f.now.Add(time.Second)
	return f.now
}

// process makes a queued process with the next id; it is not stored.
func (f *fixture) process(edit ...func(*process.Process)) *process.Process {
	f.id++
	p := &process.Process{
		ID:        f.id,
		Spec:      process.Spec{Environment: process.EnvFunction},
		State:     process.Queued,
		CreatedAt: f.tick(),
		Run:       process.Run{Number: 1},
	}
	for _, e := range edit {
		e(p)
	}
	return p
}

// event numbers a payload as the next event of a process.
func (f *fixture) event(id process.ID, run int, d process.Payload) process.Event {
	f.seq[id]++
	f.cursor++
	e := process.New(d)
	e.Seq, e.Cursor, e.Process, e.Run, e.At = f.seq[id], f.cursor, id, run, f.tick()
	return e
}

// events numbers payloads as the next events of a process.
func (f *fixture) events(id process.ID, run int, ds ...process.Payload) []process.Event {
	out := make([]process.Event, len(ds))
	for i, d := range ds {
		out[i] = f.event(id, run, d)
	}
	return out
}

// insertion is the change that adds p with its first events.
func (f *fixture) insertion(p *process.Process) store.Change {
	return store.Change{Insert: p, ID: p.ID,
		Events: f.events(p.ID, p.Number, process.ProcessCreated{Environment: p.Environment}, process.ProcessQueued{})}
}

// add stores a new process.
func (f *fixture) add(edit ...func(*process.Process)) *process.Process {
	f.Helper()
	p := f.process(edit...)
	f.apply(f.insertion(p))
	return p
}

// finish stores the end of p's newest run.
func (f *fixture) finish(p *process.Process, edit ...func(*process.Process)) {
	f.Helper()
	f.apply(f.finishing(p, edit...))
}

// finishing ends p's newest run and returns the change that says so.
func (f *fixture) finishing(p *process.Process, edit ...func(*process.Process)) store.Change {
	o := process.Outcome{Kind: process.OutcomeSucceeded}
	p.State, p.Lifecycle, p.ExitState = process.Idle, process.LifecycleDead, process.ExitSuccess
	p.Exit = &process.Exit{Reason: process.ReasonCompleted}
	p.Outcome, p.Captured = &o, process.Persist
	p.StartedAt, p.CompletedAt = f.tick(), f.tick()
	for _, e := range edit {
		e(p)
	}
	evs := f.events(p.ID, p.Number, process.ProcessStarted{PID: 7}, process.Exited{},
		process.Reaped{Steps: []string{"cancel", "wait"}}, process.Finalized{Outcome: o})
	p.LastSeq = f.seq[p.ID]
	return store.Change{Update: p.Clone(), ID: p.ID, Events: evs}
}

// rerun stores a new queued run of p, and archives the one before.
func (f *fixture) rerun(p *process.Process) {
	f.Helper()
	old := p.Run
	p.Run = process.Run{Number: old.Number + 1}
	p.State = process.Queued
	f.apply(store.Change{Archive: &old, Update: p.Clone(), ID: p.ID,
		Events: f.events(p.ID, p.Number, process.ProcessQueued{})})
}

func (f *fixture) apply(changes ...store.Change) {
	f.Helper()
	if err := f.s.Apply(f.ctx, changes); err != nil {
		f.Fatalf("apply: %v", err)
	}
}

func (f *fixture) get(id process.ID) *process.Process {
	f.Helper()
	return must(f.s.Process(f.ctx, id))(f)
}

func (f *fixture) list(q process.Query) []process.Process {
	f.Helper()
	return must(f.s.Processes(f.ctx, must(q.Normalize())(f)))(f)
}

// must returns the value of a call that shall not fail.
func must[T any](v T, err error) func(*fixture) T {
	return func(f *fixture) T {
		f.Helper()
		if err != nil {
			f.Fatal(err)
		}
		return v
	}
}

func (f *fixture) wantErr(what string, err, target error) {
	f.Helper()
	if !errors.Is(err, target) {
		f.Errorf("%s: got %v, want %v", what, err, target)
	}
}

func (f *fixture) wantSame(what string, got, want any) {
	f.Helper()
	if reflect.DeepEqual(want, got) { // the slow comparison is for telling what differs
		return
	}
	if d := cmp.Diff(want, got, same); d != "" {
		f.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func ids(list []process.Process) []process.ID {
	out := make([]process.ID, len(list))
	for i := range list {
		out[i] = list[i].ID
	}
	return out
}

// redacted returns p as a list may show it.
func redacted(p *process.Process) process.Process {
	c := *p
	if c.Hidden != "" {
		c.Hidden = process.Redacted
	}
	if n := p.Notify; n != nil {
		c.Notify = &process.Notify{URL: process.Secret(n.Shown())}
		if n.Secret != "" {
			c.Notify.Secret = process.Redacted
		}
	}
	if p.Command == nil {
		return c
	}
	cmd := *p.Command
	cmd.Env = map[string]process.Secret{}
	for k := range p.Command.Env {
		cmd.Env[k] = process.Redacted
	}
	if cmd.StdinData != "" {
		cmd.StdinData = process.Redacted
	}
	c.Command = &cmd
	return c
}

// everything is all that a store shows: two of them are equal when nothing
// happened in between.
type everything struct {
	Marks     store.Marks
	Processes []process.Process
	Runs      map[process.ID][]process.Run
	Events    map[process.ID][]process.Event
	All       []process.Event
	Unsettled []*process.Process
	After     []store.RunRef
	Findings  []process.FoundFinding
	Approvals []process.Approval
	Messages  map[process.ID][]process.Message
	Notified  map[process.ID][]process.Notification
	Receivers []store.Receiver
}

func (f *fixture) everything() everything {
	f.Helper()
	const all = 1 << 20
	e := everything{
		Marks:     must(f.s.Marks(f.ctx))(f),
		Processes: f.list(process.Query{Limit: process.MaxLimit}),
		Runs:      map[process.ID][]process.Run{},
		Events:    map[process.ID][]process.Event{},
		All:       must(f.s.AllEvents(f.ctx, 0, all))(f),
		Unsettled: must(f.s.Unsettled(f.ctx))(f),
		After:     must(f.s.RunsAfter(f.ctx, 0))(f),
		Findings:  must(f.s.Findings(f.ctx, process.FindingQuery{}))(f),
		Approvals: f.approvals(process.ApprovalQuery{Limit: process.MaxLimit}),
		Messages:  map[process.ID][]process.Message{},
		Notified:  map[process.ID][]process.Notification{},
		Receivers: f.receivers(),
	}
	for _, p := range e.Processes {
		e.Runs[p.ID] = must(f.s.Archived(f.ctx, p.ID))(f)
		e.Events[p.ID] = must(f.s.Events(f.ctx, p.ID, 0, all))(f)
		e.Messages[p.ID] = must(f.s.Messages(f.ctx, p.ID, 0, all))(f)
		e.Notified[p.ID] = f.notifications(p.ID)
	}
	return e
}
