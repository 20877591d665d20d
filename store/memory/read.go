package memory

import (
	"context"
	"slices"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// Process implements [store.Store].
func (s *Store) Process(ctx context.Context, id process.ID) (*process.Process, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	e, err := s.find(id)
	if err != nil {
		return nil, err
	}
	p := cloneProcess(&e.p)
	return &p, nil
}

// Processes implements [store.Store].
func (s *Store) Processes(ctx context.Context, q process.Query) ([]process.Process, error) {
	before, err := q.Before()
	if err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	list := s.candidates(q)
	if before != 0 {
		i, _ := position(list, before)
		list = list[:i]
	}
	page := make([]process.Process, 0, min(q.Limit, len(list), 64))
	for i := len(list) - 1; i >= 0 && len(page) < q.Limit; i-- {
		if q.Matches(&list[i].p) {
			page = append(page, cloneProcess(&list[i].p))
		}
	}
	return page, nil
}

// candidates returns the shortest list at hand that holds every match.
func (s *Store) candidates(q process.Query) []*entry {
	switch {
	case len(q.IDs) > 0:
		return s.named(q.IDs)
	case q.Ref != "":
		if e := s.byRef[q.Ref]; e != nil {
			return []*entry{e}
		}
		return nil
	case q.Parent != 0:
		return s.children[q.Parent]
	}
	return s.order
}

// named returns the processes with these ids that there are, in order.
func (s *Store) named(ids []process.ID) (list []*entry) {
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if e := s.byID[id]; e != nil {
			list = append(list, e)
		}
	}
	return list
}

// FindRef implements [store.Store].
func (s *Store) FindRef(ctx context.Context, ref string) (process.ID, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return 0, err
	}
	if e := s.byRef[ref]; e != nil {
		return e.p.ID, nil
	}
	return 0, process.Errorf(process.CodeNotFound, "no process carries the ref %q", ref)
}

// FindKey implements [store.Store].
func (s *Store) FindKey(ctx context.Context, name string) (process.ID, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return 0, err
	}
	if e := s.byKey[name]; e != nil {
		return e.p.ID, nil
	}
	return 0, process.Errorf(process.CodeNotFound, "no process carries the key %q", name)
}

// Unsettled implements [store.Store].
func (s *Store) Unsettled(ctx context.Context) ([]*process.Process, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	var out []*process.Process
	for _, e := range s.order {
		if e.unsettled() {
			p := cloneProcess(&e.p)
			out = append(out, &p)
		}
	}
	return out, nil
}

// LastSeqs implements [store.Store].
func (s *Store) LastSeqs(ctx context.Context) (map[process.ID]int64, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	last := map[process.ID]int64{}
	for _, e := range s.order {
		if n := len(e.events); n > 0 && e.unsettled() {
			last[e.p.ID] = e.events[n-1].Seq
		}
	}
	return last, nil
}

func (e *entry) unsettled() bool {
	return e.p.State != process.Idle || e.p.Lifecycle == process.LifecycleZombie
}

// Archived implements [store.Store].
func (s *Store) Archived(ctx context.Context, id process.ID) ([]process.Run, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	e, err := s.find(id)
	if err != nil {
		return nil, err
	}
	var runs []process.Run
	for i := len(e.archived) - 1; i >= 0; i-- {
		runs = append(runs, cloneRun(&e.archived[i].run))
	}
	return runs, nil
}

// RunsAfter implements [store.Store].
func (s *Store) RunsAfter(ctx context.Context, cursor int64) ([]store.RunRef, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	var refs []store.RunRef
	for _, e := range s.order {
		for i := range e.archived {
			if e.archived[i].finalized > cursor {
				refs = append(refs, store.RunRef{Process: e.p.ID, Run: e.archived[i].run.Number})
			}
		}
		if e.p.Number > 0 && (e.p.State != process.Idle || e.finalized > cursor) {
			refs = append(refs, store.RunRef{Process: e.p.ID, Run: e.p.Number})
		}
	}
	return refs, nil
}
