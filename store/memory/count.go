package memory

import (
	"cmp"
	"context"
	"slices"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// Count implements [store.Store].
func (s *Store) Count(ctx context.Context, a process.Activity) (func() (store.Counts, error), error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	c := store.Counts{States: map[process.State]int{}, ExitStates: map[process.ExitState]int{}, Environments: map[string]int{}, Activity: a}
	for _, e := range s.order {
		e.count(&c)
	}
	return func() (store.Counts, error) { return c, nil }, nil
}

func (e *entry) count(c *store.Counts) {
	c.States[e.p.State]++
	c.ExitStates[e.p.ExitState]++
	c.Environments[e.p.Environment]++
	if e.p.Paused && e.p.State != process.Idle {
		c.Paused++
	}
	if i, ok := c.Activity.Span(e.p.CreatedAt); ok {
		c.Activity.Created[i]++
	}
	ended(&c.Activity, &e.p.Run)
	for i := range e.archived {
		ended(&c.Activity, &e.archived[i].run)
	}
}

func ended(a *process.Activity, r *process.Run) {
	if i, ok := a.Span(r.CompletedAt); ok {
		a.Ended(r.ExitState)[i]++
	}
}

// Tags implements [store.Store].
func (s *Store) Tags(ctx context.Context, limit int) ([]process.TagCount, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for _, e := range s.order {
		for i, tag := range e.p.Tags {
			if !slices.Contains(e.p.Tags[:i], tag) {
				counts[tag]++
			}
		}
	}
	var all []process.TagCount
	for tag, n := range counts {
		all = append(all, process.TagCount{Tag: tag, Count: n})
	}
	slices.SortFunc(all, func(a, b process.TagCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Tag, b.Tag))
	})
	return all[:min(max(limit, 0), len(all))], nil
}

// PendingApprovals implements [store.Store].
func (s *Store) PendingApprovals(ctx context.Context) (n int, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, a := range s.approvals {
		if a.State == process.ApprovalPending {
			n++
		}
	}
	return n, s.usable(ctx)
}
