package tui

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
)

// noon is when all scripts happen.
var noon = time.Date(2026, 6, 24, 12, 0, 0, 0, time.UTC)

var errGone = errors.New("connection refused")

// script is a Source whose daemon is a test.
type script struct {
	mu        sync.Mutex
	records   map[process.ID]process.Record
	events    map[process.ID][]process.Event
	feed      []process.Event
	approvals []process.Approval
	messages  []process.Message
	usage     process.UsageSeries
	gone      bool
	changed   chan struct{} // closed and replaced with every change
	calls     []string
	refuse    error // what actions answer
	past      int   // pages asked for
}

func newScript(records ...process.Record) *script {
	s := &script{records: map[process.ID]process.Record{}, events: map[process.ID][]process.Event{}, changed: make(chan struct{})}
	for _, r := range records {
		s.records[r.ID] = r
	}
	return s
}

// change does something and tells all who wait.
func (s *script) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	close(s.changed)
	s.changed = make(chan struct{})
}

// set replaces a record and says so.
func (s *script) set(r process.Record) {
	s.change(func() {
		s.records[r.ID] = r
		s.feed = append(s.feed, process.Event{Cursor: int64(len(s.feed) + 1), Process: r.ID, Kind: process.KindResumed, Data: process.Resumed{}})
	})
}

// tell adds events to the log of a process.
func (s *script) tell(id process.ID, payloads ...process.Payload) {
	s.change(func() {
		for _, p := range payloads {
			ev := process.New(p)
			ev.Process, ev.Run, ev.Seq = id, 1, int64(len(s.events[id])+1)
			ev.At = noon.Add(time.Duration(ev.Seq-20) * time.Second)
			s.events[id] = append(s.events[id], ev)
		}
	})
}

func (s *script) say(id process.ID, lines ...string) {
	for _, line := range lines {
		s.tell(id, process.OutputAppended{Stream: process.Stdout, Line: line})
	}
}

func (s *script) called(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return errGone
	}
	s.calls = append(s.calls, name)
	return s.refuse
}

func (s *script) did(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.calls, name)
}

func (s *script) Overview(context.Context) (api.Overview, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return api.Overview{}, errGone
	}
	return api.Overview{Cursor: process.FormatCursor(int64(len(s.feed))), Total: len(s.records)}, nil
}

func (s *script) List(_ context.Context, q process.Query) (api.List, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return api.List{}, errGone
	}
	list := api.List{}
	for _, r := range s.records {
		list.Processes = append(list.Processes, r)
	}
	slices.SortFunc(list.Processes, func(a, b process.Record) int { return int(b.ID - a.ID) })
	before, _ := q.Before()
	list.Processes = slices.DeleteFunc(list.Processes, func(r process.Record) bool { return before > 0 && r.ID >= before })
	if len(list.Processes) > q.Limit {
		list.Processes = list.Processes[:q.Limit]
		next := list.Processes[q.Limit-1].ID.String()
		list.NextCursor = &next
	}
	return list, nil
}

func (s *script) Records(_ context.Context, ids []process.ID) (all []process.Record, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return nil, errGone
	}
	for _, id := range ids {
		if r, ok := s.records[id]; ok {
			all = append(all, r)
		}
	}
	return all, nil
}

func (s *script) Record(ctx context.Context, id process.ID) (process.Record, error) {
	all, err := s.Records(ctx, []process.ID{id})
	if err != nil || len(all) == 0 {
		return process.Record{}, errors.Join(err, process.ErrNotFound)
	}
	return all[0], nil
}

func (s *script) Runs(context.Context, process.ID) ([]process.RunRecord, error) { return nil, nil }

func (s *script) Usage(context.Context, process.ID, int) (process.UsageSeries, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.usage, nil
}

func (s *script) Messages(_ context.Context, _ process.ID, after int64) ([]process.Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.messages[min(int(after), len(s.messages)):], nil
}

// stream yields what is in a log, and what is added to it.
func (s *script) stream(ctx context.Context, log func() []process.Event, from int, over func() bool) iter.Seq2[process.Event, error] {
	return func(yield func(process.Event, error) bool) {
		for {
			s.mu.Lock()
			all, gone, changed := log(), s.gone, s.changed
			ended := over()
			s.mu.Unlock()
			if gone {
				yield(process.Event{}, errGone)
				return
			}
			for ; from < len(all); from++ {
				if !yield(all[from], nil) {
					return
				}
			}
			if ended {
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
				yield(process.Event{}, ctx.Err())
				return
			}
		}
	}
}

func (s *script) Changes(ctx context.Context, after string) iter.Seq2[process.Event, error] {
	from, _ := process.ParseCursor(after)
	return s.stream(ctx, func() []process.Event { return s.feed }, int(from), func() bool { return false })
}

func (s *script) Past(_ context.Context, id process.ID, kinds Kinds, before int64, limit int) (page []process.Event, last int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.past++
	if s.gone {
		return nil, 0, errGone
	}
	for _, ev := range s.events[id] {
		if kinds.has(ev.Kind) && (before == 0 || ev.Seq < before) {
			page = append(page, ev)
		}
		last = ev.Seq
	}
	return page[max(0, len(page)-limit):], last, nil
}

func (k Kinds) has(kind process.Kind) bool {
	f := k.filter()
	return f.Keeps(kind)
}

func (s *script) Follow(ctx context.Context, id process.ID, kinds Kinds, after int64) iter.Seq2[process.Event, error] {
	all := s.stream(ctx, func() []process.Event { return s.events[id] }, int(after), func() bool { return s.records[id].State == process.Idle })
	return func(yield func(process.Event, error) bool) {
		for ev, err := range all {
			if (err != nil || kinds.has(ev.Kind)) && !yield(ev, err) {
				return
			}
		}
	}
}

func (s *script) Create(_ context.Context, body api.Create) (process.Record, error) {
	r := running(99, *body.Code)
	s.set(r)
	return r, s.called("create " + *body.Code)
}

func (s *script) Start(_ context.Context, id process.ID, body api.Run) (process.Record, error) {
	return process.Record{}, s.called(fmt.Sprintf("start %s %+v", id, body))
}

func (s *script) Signal(_ context.Context, id process.ID, sig process.Signal, body api.Signal) (api.Signaled, error) {
	if err := s.called(sig.String() + " " + id.String()); err != nil {
		return api.Signaled{}, err
	}
	s.mu.Lock()
	r := s.records[id]
	s.mu.Unlock()
	r.Paused = sig == process.SIGPAUSE
	s.set(r)
	return api.Signaled{Affected: 1, Process: r}, nil
}

func (s *script) End(_ context.Context, ids []process.ID, body api.Kill, refused func(error)) (client.Ended, error) {
	for _, id := range ids {
		if err := s.called("kill " + id.String()); err != nil {
			return client.Ended{}, err
		}
	}
	return client.Ended{Named: ids, Processes: 12}, nil
}

func (s *script) Delete(_ context.Context, id process.ID) (process.Record, error) {
	s.change(func() { delete(s.records, id) })
	return process.Record{}, s.called("delete " + id.String())
}

func (s *script) Approvals(context.Context, process.ApprovalQuery) (api.Approvals, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return api.Approvals{Approvals: slices.Clone(s.approvals)}, nil
}

func (s *script) Approve(_ context.Context, id process.ApprovalID, body api.Decision) (process.Approval, error) {
	return process.Approval{}, s.called("approve " + id.String())
}

func (s *script) Deny(_ context.Context, id process.ApprovalID, body api.Decision) (process.Approval, error) {
	return process.Approval{}, s.called("deny " + id.String() + " " + body.Reason)
}

// running is a record of a command that runs since a minute.
func running(id process.ID, program string, args ...string) process.Record {
	started := process.Stamp{Time: noon.Add(-time.Minute)}
	return process.Record{ID: id, Environment: process.EnvCommand, State: process.Running, Lifecycle: process.LifecycleRunning, Run: 1,
		Command: &process.CommandRecord{Program: program, Args: args}, CreatedAt: started, StartedAt: &started,
		Usage: process.Usage{WallMS: 60_000, CPUMS: 30_000}}
}

// ended is a record of a command that has ended.
func ended(id process.ID, state process.ExitState, program string, args ...string) process.Record {
	r := running(id, program, args...)
	done := process.Stamp{Time: noon.Add(-30 * time.Second)}
	r.State, r.Lifecycle, r.ExitState, r.CompletedAt, r.StdoutBytes = process.Idle, process.LifecycleDead, &state, &done, 5
	r.Usage.WallMS = 1500
	return r
}

func below(parent process.ID, r process.Record) process.Record {
	r.Parent = &parent
	return r
}
