package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// notify adds notifications to a process, or replaces those of their runs.
func (s *Store) notify(e *entry, notifications []process.Notification) {
	for i := range notifications {
		n := cloneNotification(&notifications[i])
		at, known := e.notificationAt(n.Run)
		if known {
			s.undue(e.notifications[at])
			e.notifications[at] = &n
		} else {
			e.notifications = slices.Insert(e.notifications, at, &n)
		}
		s.makeDue(&n)
	}
}

// makeDue puts a pending notification in its receiver's queue.
func (s *Store) makeDue(n *process.Notification) {
	if n.DueAt.IsZero() {
		return
	}
	if s.due == nil {
		s.due = map[string][]*process.Notification{}
	}
	i, _ := slices.BinarySearchFunc(s.due[n.Host], n, byDue)
	s.due[n.Host] = slices.Insert(s.due[n.Host], i, n)
}

// undue takes it out again.
func (s *Store) undue(n *process.Notification) {
	queue := s.due[n.Host]
	i, ok := slices.BinarySearchFunc(queue, n, byDue)
	if !ok || n.DueAt.IsZero() {
		return
	}
	if queue = slices.Delete(queue, i, i+1); len(queue) == 0 {
		delete(s.due, n.Host)
		return
	}
	s.due[n.Host] = queue
}

func byDue(a, b *process.Notification) int {
	return cmp.Or(a.DueAt.Compare(b.DueAt), cmp.Compare(a.Process, b.Process), cmp.Compare(a.Run, b.Run))
}

func (e *entry) notificationAt(run int) (int, bool) {
	return slices.BinarySearchFunc(e.notifications, run,
		func(n *process.Notification, run int) int { return cmp.Compare(n.Run, run) })
}

func cloneNotification(n *process.Notification) process.Notification {
	c := *n
	c.Body = slices.Clone(n.Body)
	c.DueAt = n.DueAt.Round(0) // ordered by the wall clock alone
	return c
}

// Notification implements [store.Store].
func (s *Store) Notification(ctx context.Context, id process.ID, run int) (*process.Notification, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	if e := s.byID[id]; e != nil {
		if i, ok := e.notificationAt(run); ok {
			n := cloneNotification(e.notifications[i])
			return &n, nil
		}
	}
	return nil, store.NoNotification(id, run)
}

// Notifications implements [store.Store].
func (s *Store) Notifications(ctx context.Context, id process.ID, before, limit int) ([]process.Notification, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	e, err := s.find(id)
	if err != nil {
		return nil, err
	}
	end := len(e.notifications)
	if before != 0 {
		end, _ = e.notificationAt(before)
	}
	var page []process.Notification
	for _, n := range slices.Backward(e.notifications[:end]) {
		if len(page) >= limit {
			break
		}
		page = append(page, cloneNotification(n))
	}
	return page, nil
}

// DueNotifications implements [store.Store].
func (s *Store) DueNotifications(ctx context.Context, host string, limit int) ([]process.Notification, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	queue := s.due[host]
	var page []process.Notification
	for _, n := range queue[:min(max(limit, 0), len(queue))] {
		page = append(page, cloneNotification(n))
	}
	return page, nil
}

// Receivers implements [store.Store].
func (s *Store) Receivers(ctx context.Context) ([]store.Receiver, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	var all []store.Receiver
	for host, queue := range s.due {
		all = append(all, store.Receiver{Host: host, Pending: len(queue), DueAt: queue[0].DueAt})
	}
	return all, nil
}

// SaveNotifications implements [store.Store].
func (s *Store) SaveNotifications(ctx context.Context, notifications []process.Notification) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	for i := range notifications {
		n := &notifications[i]
		e := s.byID[n.Process]
		if e == nil {
			continue
		}
		at, ok := e.notificationAt(n.Run)
		if !ok {
			continue
		}
		kept := e.notifications[at]
		s.undue(kept)
		kept.State, kept.DueAt, kept.Attempts = n.State, n.DueAt.Round(0), n.Attempts
		kept.LastAt, kept.LastStatus, kept.LastError = n.LastAt, n.LastStatus, n.LastError
		s.makeDue(kept)
	}
	return nil
}

// PruneNotifications implements [store.Store].
func (s *Store) PruneNotifications(ctx context.Context, before time.Time, pinned string, limit int) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return 0, err
	}
	pruned := 0
	for _, e := range s.order {
		if len(e.notifications) == 0 || !s.prunable(e.p.ID, pinned) {
			continue
		}
		e.notifications = slices.DeleteFunc(e.notifications, func(n *process.Notification) bool {
			old := pruned < limit && n.State != process.NotificationPending && n.CreatedAt.Before(before)
			if old {
				pruned++
			}
			return old
		})
	}
	return pruned, nil
}
