package memory

import (
	"cmp"
	"context"
	"slices"

	"github.com/reeverun/reeve/process"
)

// eventLog holds the events of all processes by cursor. Removed ones leave an
// empty place, so that removing is cheap; when most places are empty the log
// is packed.
type eventLog struct {
	items []logItem
	dead  int
}

type logItem struct {
	cursor int64
	event  *process.Event // nil: removed
}

func (l *eventLog) add(e *process.Event) {
	item := logItem{e.Cursor, e}
	if n := len(l.items); n == 0 || l.items[n-1].cursor < e.Cursor {
		l.items = append(l.items, item)
		return
	}
	i := l.after(e.Cursor)
	l.items = slices.Insert(l.items, i, item)
}

// after returns the place of the first event behind a cursor.
func (l *eventLog) after(cursor int64) int {
	i, _ := slices.BinarySearchFunc(l.items, cursor+1, func(it logItem, c int64) int { return cmp.Compare(it.cursor, c) })
	return i
}

// drop removes an event. It may move the others.
func (l *eventLog) drop(cursor int64) {
	i := l.after(cursor - 1)
	if i == len(l.items) || l.items[i].cursor != cursor || l.items[i].event == nil {
		return
	}
	l.items[i].event = nil
	l.dead++
	if l.dead > 64 && l.dead*2 > len(l.items) {
		l.items = slices.DeleteFunc(l.items, func(it logItem) bool { return it.event == nil })
		l.dead = 0
	}
}

// Events implements [store.Store].
func (s *Store) Events(ctx context.Context, id process.ID, after int64, limit int) ([]process.Event, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	e, err := s.find(id)
	if err != nil {
		return nil, err
	}
	from := e.seqAfter(after)
	var page []process.Event
	for _, ev := range e.events[from:] {
		if len(page) >= limit {
			break
		}
		page = append(page, cloneEvent(ev))
	}
	return page, nil
}

// EventsBefore implements [store.Store].
func (s *Store) EventsBefore(ctx context.Context, id process.ID, before int64, limit int) ([]process.Event, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	e, err := s.find(id)
	if err != nil {
		return nil, err
	}
	to := e.seqAfter(before - 1)
	var page []process.Event
	for _, ev := range e.events[max(0, to-max(limit, 0)):to] {
		page = append(page, cloneEvent(ev))
	}
	return page, nil
}

// seqAfter returns the place of the first event behind a seq.
func (e *entry) seqAfter(seq int64) int {
	i, _ := slices.BinarySearchFunc(e.events, seq+1, func(ev *process.Event, n int64) int { return cmp.Compare(ev.Seq, n) })
	return i
}

// AllEvents implements [store.Store].
func (s *Store) AllEvents(ctx context.Context, after int64, limit int) ([]process.Event, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	var page []process.Event
	for _, it := range s.log.items[s.log.after(after):] {
		if len(page) >= limit {
			break
		}
		if it.event != nil {
			page = append(page, cloneEvent(it.event))
		}
	}
	return page, nil
}

// found is a finding with the cursor of the event that told it.
type found struct {
	process.FoundFinding
	cursor int64
}

func (s *Store) keepFinding(ev *process.Event, f process.Finding) {
	item := found{process.FoundFinding{Process: ev.Process, Run: ev.Run, Finding: cloneFinding(f)}, ev.Cursor}
	i, _ := slices.BinarySearchFunc(s.findings, ev.Cursor, func(f found, c int64) int { return cmp.Compare(f.cursor, c) })
	s.findings = slices.Insert(s.findings, i, item)
}

// Findings implements [store.Store].
func (s *Store) Findings(ctx context.Context, q process.FindingQuery) ([]process.FoundFinding, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	var out []process.FoundFinding
	for _, f := range slices.Backward(s.findings) {
		if q.Limit > 0 && len(out) == q.Limit {
			break
		}
		if matches(q, f.FoundFinding) {
			f.Finding = cloneFinding(f.Finding)
			out = append(out, f.FoundFinding)
		}
	}
	return out, nil
}

func matches(q process.FindingQuery, f process.FoundFinding) bool {
	return (q.Process == 0 || f.Process == q.Process) &&
		(q.Severity == "" || f.Severity == q.Severity) &&
		(q.Code == "" || f.Code == q.Code)
}
