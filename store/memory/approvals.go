package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/reeverun/reeve/process"
)

// putApproval adds an approval, or replaces the one of its id.
func (s *Store) putApproval(a *process.Approval) {
	c := a.Clone()
	i, ok := s.approvalAt(a.ID)
	if ok {
		s.approvals[i] = &c
		return
	}
	s.approvals = slices.Insert(s.approvals, i, &c)
	s.marks.Approval = max(s.marks.Approval, a.ID)
}

// approvalAt returns the place of an approval, and whether it is there.
func (s *Store) approvalAt(id process.ApprovalID) (int, bool) {
	return slices.BinarySearchFunc(s.approvals, id,
		func(a *process.Approval, id process.ApprovalID) int { return cmp.Compare(a.ID, id) })
}

// Approval implements [store.Store].
func (s *Store) Approval(ctx context.Context, id process.ApprovalID) (*process.Approval, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	i, ok := s.approvalAt(id)
	if !ok {
		return nil, process.Errorf(process.CodeNotFound, "no such approval: %d", id)
	}
	a := s.approvals[i].Clone()
	return &a, nil
}

// Approvals implements [store.Store].
func (s *Store) Approvals(ctx context.Context, q process.ApprovalQuery) ([]process.Approval, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	end := len(s.approvals)
	if q.Before != 0 {
		end, _ = s.approvalAt(q.Before)
	}
	var page []process.Approval
	for _, a := range slices.Backward(s.approvals[:end]) {
		if len(page) >= q.Limit {
			break
		}
		if q.Matches(a) {
			page = append(page, a.Clone())
		}
	}
	return page, nil
}

// PruneApprovals implements [store.Store].
func (s *Store) PruneApprovals(ctx context.Context, before time.Time, pinned string, limit int) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return 0, err
	}
	n := 0
	s.approvals = slices.DeleteFunc(s.approvals, func(a *process.Approval) bool {
		old := n < limit && a.State != process.ApprovalPending && a.RequestedAt.Before(before) && s.prunable(a.Process, pinned)
		if old {
			n++
		}
		return old
	})
	return n, nil
}
