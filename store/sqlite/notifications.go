package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

const (
	sqlPutNotification = `INSERT OR REPLACE INTO notifications (process, run, state, host, due, created_at, body, payload)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
	sqlSaveNotification = `UPDATE notifications SET state = ?, due = ?, body = ? WHERE process = ? AND run = ?`

	notificationFields = `SELECT process, run, state, host, due, created_at, body, payload FROM notifications `
	sqlNotification    = notificationFields + `INDEXED BY notifications_by_run WHERE process = ? AND run = ?`
	sqlNotifications   = notificationFields + `INDEXED BY notifications_by_run
		WHERE process = ? AND run < ? ORDER BY run DESC LIMIT ?`

	sqlDueNotifications = notificationFields + `INDEXED BY notifications_by_due
		WHERE host = ? AND due IS NOT NULL ORDER BY due LIMIT ?`
	sqlReceivers = `SELECT host, count(*), min(due) FROM notifications INDEXED BY notifications_by_due
		WHERE due IS NOT NULL GROUP BY host`

	sqlPruneNotifications = `DELETE FROM notifications WHERE rowid IN (
		SELECT n.rowid FROM notifications n INDEXED BY notifications_by_time CROSS JOIN processes p ON p.id = n.process
			WHERE n.due IS NULL AND n.created_at < ?1 AND p.state IN (0, 4)
				AND NOT EXISTS (SELECT 1 FROM tags t WHERE t.tag = ?2 AND t.process = n.process)
			ORDER BY n.created_at LIMIT ?3)`

	sqlDeleteNotifications = `DELETE FROM notifications WHERE process = ?`
)

// notificationCodes are the numbers of the states in the database, by place:
// add at the end only.
var notificationCodes = [...]process.NotificationState{process.NotificationPending,
	process.NotificationDelivered, process.NotificationFailed}

// notificationJSON is what notifications.body holds.
type notificationJSON struct {
	ID         string `json:"id"`
	Attempts   int    `json:"attempts,omitempty"`
	LastAt     *int64 `json:"lastAt,omitempty"`
	LastStatus int    `json:"lastStatus,omitempty"`
	LastError  string `json:"lastError,omitempty"`
}

// notificationColumns are those that change.
func notificationColumns(n *process.Notification) (state int64, due driver.Value, body string, err error) {
	j := notificationJSON{ID: n.ID, Attempts: n.Attempts, LastStatus: n.LastStatus, LastError: n.LastError}
	if !n.LastAt.IsZero() {
		at := nanos(n.LastAt)
		j.LastAt = &at
	}
	if !n.DueAt.IsZero() {
		due = nanos(n.DueAt)
	}
	text, err := json.Marshal(j)
	return int64(slices.Index(notificationCodes[:], n.State)), due, string(text), err
}

func notificationRows(notifications []process.Notification) (rows [][]driver.Value, err error) {
	for i := range notifications {
		n := &notifications[i]
		state, due, body, err := notificationColumns(n)
		if err != nil {
			return nil, err
		}
		rows = append(rows, []driver.Value{int64(n.Process), int64(n.Run), state, n.Host, due, nanos(n.CreatedAt), body, string(n.Body)})
	}
	return rows, nil
}

func scanNotification(row scanner) (n process.Notification, err error) {
	var state, created int64
	var due sql.NullInt64
	var body []byte
	if err := row.Scan(&n.Process, &n.Run, &state, &n.Host, &due, &created, &body, &n.Body); err != nil {
		return n, err
	}
	if state < 0 || state >= int64(len(notificationCodes)) {
		return n, fmt.Errorf("notification of run %d of process %d: unknown state %d", n.Run, n.Process, state)
	}
	var j notificationJSON
	if err := json.Unmarshal(body, &j); err != nil {
		return n, fmt.Errorf("notification of run %d of process %d: %w", n.Run, n.Process, err)
	}
	n.State, n.CreatedAt = notificationCodes[state], fromNanos(created)
	n.ID, n.Attempts, n.LastStatus, n.LastError = j.ID, j.Attempts, j.LastStatus, j.LastError
	if due.Valid {
		n.DueAt = fromNanos(due.Int64)
	}
	if j.LastAt != nil {
		n.LastAt = fromNanos(*j.LastAt)
	}
	return n, nil
}

// Notification implements [store.Store].
func (s *Store) Notification(ctx context.Context, id process.ID, run int) (*process.Notification, error) {
	n, err := scanNotification(s.db.QueryRowContext(ctx, sqlNotification, int64(id), run))
	if errors.Is(err, sql.ErrNoRows) {
		err = store.NoNotification(id, run)
	}
	if err != nil {
		return nil, s.fail("read notification", err)
	}
	return &n, nil
}

// Notifications implements [store.Store].
func (s *Store) Notifications(ctx context.Context, id process.ID, before, limit int) ([]process.Notification, error) {
	if before == 0 {
		before = math.MaxInt
	}
	page, err := collect(ctx, s.db, scanNotification, sqlNotifications, int64(id), before, max(limit, 0))
	if err == nil && len(page) == 0 {
		err = s.known(ctx, id)
	}
	return page, s.fail("list notifications", err)
}

// DueNotifications implements [store.Store].
func (s *Store) DueNotifications(ctx context.Context, host string, limit int) ([]process.Notification, error) {
	page, err := collect(ctx, s.db, scanNotification, sqlDueNotifications, host, max(limit, 0))
	return page, s.fail("read due notifications", err)
}

// Receivers implements [store.Store].
func (s *Store) Receivers(ctx context.Context) ([]store.Receiver, error) {
	all, err := collect(ctx, s.db, func(row scanner) (r store.Receiver, err error) {
		var due int64
		err = row.Scan(&r.Host, &r.Pending, &due)
		r.DueAt = fromNanos(due)
		return r, err
	}, sqlReceivers)
	return all, s.fail("read receivers", err)
}

// SaveNotifications implements [store.Store].
func (s *Store) SaveNotifications(ctx context.Context, notifications []process.Notification) error {
	if err := s.lock(); err != nil {
		return err
	}
	defer s.mu.Unlock()
	return s.fail("save notifications", s.w.transaction(ctx, func() error {
		for i := range notifications {
			n := &notifications[i]
			state, due, body, err := notificationColumns(n)
			if err != nil {
				return err
			}
			if _, err := s.w.saveNotification.exec(state, due, body, int64(n.Process), int64(n.Run)); err != nil {
				return err
			}
		}
		return nil
	}))
}

// PruneNotifications implements [store.Store].
func (s *Store) PruneNotifications(ctx context.Context, before time.Time, pinned string, limit int) (int, error) {
	if err := s.lock(); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	var n int64
	err := s.w.transaction(ctx, func() (err error) {
		n, err = s.w.pruneNotifications.exec(nanos(before), orNull(pinned), int64(max(limit, 0)))
		return err
	})
	if err != nil {
		n = 0
	}
	return int(n), s.fail("prune notifications", err)
}
