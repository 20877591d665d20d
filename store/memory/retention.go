package memory

import (
	"context"
	"slices"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// PruneEvents implements [store.Store].
func (s *Store) PruneEvents(ctx context.Context, before time.Time, pinned string, limit int) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return 0, err
	}
	var old []*process.Event
	for _, it := range s.log.items {
		if len(old) >= limit {
			break
		}
		if it.event != nil && it.event.At.Before(before) && s.prunable(it.event.Process, pinned) {
			old = append(old, it.event)
		}
	}
	for _, ev := range old {
		e := s.byID[ev.Process]
		i := e.seqAfter(ev.Seq - 1)
		e.events = slices.Delete(e.events, i, i+1)
		s.log.drop(ev.Cursor)
	}
	return len(old), nil
}

func (s *Store) prunable(id process.ID, pinned string) bool {
	e := s.byID[id]
	return e.p.State == process.Idle && !e.pinned(pinned)
}

func (e *entry) pinned(tag string) bool { return tag != "" && e.p.HasTag(tag) }

// PrunableLogs implements [store.Store].
func (s *Store) PrunableLogs(ctx context.Context, before time.Time, pinned string, limit int) ([]store.RunRef, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	type candidate struct {
		at  time.Time
		ref store.RunRef
	}
	var all []candidate
	add := func(id process.ID, r *process.Run) {
		if !r.CompletedAt.IsZero() && r.CompletedAt.Before(before) && !r.LogsPruned && r.Captured != process.Disabled {
			all = append(all, candidate{r.CompletedAt, store.RunRef{Process: id, Run: r.Number}})
		}
	}
	for _, e := range s.order {
		if e.pinned(pinned) {
			continue
		}
		for i := range e.archived {
			add(e.p.ID, &e.archived[i].run)
		}
		add(e.p.ID, &e.p.Run)
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return a.at.Compare(b.at) })
	var refs []store.RunRef
	for _, c := range all[:min(max(limit, 0), len(all))] {
		refs = append(refs, c.ref)
	}
	return refs, nil
}

// LogsPruned implements [store.Store].
func (s *Store) LogsPruned(ctx context.Context, runs []store.RunRef) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	for _, r := range runs {
		if run := s.run(r); run != nil {
			run.LogsPruned = true
			delete(s.byID[r.Process].series, r.Run)
		}
	}
	return nil
}

// run returns the stored run of that name, or nil.
func (s *Store) run(r store.RunRef) *process.Run {
	e := s.byID[r.Process]
	switch {
	case e == nil:
		return nil
	case e.p.Number == r.Run:
		return &e.p.Run
	}
	if i, ok := e.archivedAt(r.Run); ok {
		return &e.archived[i].run
	}
	return nil
}
