package sqlite

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/reeverun/reeve/store"
)

const (
	sqlLoadMarks = `SELECT id, cursor, created_high, created_skew, event_high, event_skew, approval FROM marks`
	sqlSaveMarks = `UPDATE marks SET id = ?, cursor = ?, created_high = ?, created_skew = ?, event_high = ?, event_skew = ?, approval = ?`
	sqlMarks     = `SELECT id, cursor, approval FROM marks`

	sqlEarliestCreated = `SELECT min(created_at) FROM processes WHERE id > ?`
	sqlEarliestEvent   = `SELECT min(first_at) FROM events WHERE cursor > ?`
)

// marks is the one row of the table of that name.
type marks struct {
	id, cursor      int64
	created, events drift
	approval        int64
}

func (w *writer) readMarks() (m marks, err error) {
	row, err := w.loadMarks.row(7)
	if err != nil {
		return m, err
	}
	if row == nil {
		return m, errors.New("the database has no marks: it is damaged")
	}
	n := func(i int) int64 { return row[i].(int64) }
	return marks{n(0), n(1), drift{n(2), n(3)}, drift{n(4), n(5)}, n(6)}, nil
}

// mark takes note of the numbers and times of changes that were just written,
// and stores it.
func (w *writer) mark(m *marks, changes []store.Change) error {
	var created, events []moment
	for i := range changes {
		if p := changes[i].Insert; p != nil {
			created = append(created, moment{int64(p.ID), nanos(p.CreatedAt)})
		}
		for _, e := range changes[i].Events {
			events = append(events, moment{e.Cursor, nanos(e.At)})
		}
		for _, a := range changes[i].Approvals {
			m.approval = max(m.approval, int64(a.ID))
		}
	}
	if err := m.created.observe(created, &m.id, w.earliestCreated, 0); err != nil {
		return err
	}
	if err := m.events.observe(events, &m.cursor, w.earliestEvent, maxSpan); err != nil {
		return err
	}
	_, err := w.saveMarks.exec(m.id, m.cursor, m.created.high, m.created.skew, m.events.high, m.events.skew, m.approval)
	return err
}

// moment is the time that belongs to an id or a cursor.
type moment struct{ key, at int64 }

// observe takes note of moments, and of the highest key. Keys come almost in
// order; for those that come late it asks for the earliest time stored after
// them, slack keys to be on the safe side.
func (d *drift) observe(moments []moment, last *int64, earliest *stmt, slack int64) error {
	order := func(a, b moment) int { return cmp.Compare(a.key, b.key) }
	if !slices.IsSortedFunc(moments, order) {
		slices.SortFunc(moments, order)
	}
	if len(moments) == 0 {
		return nil
	}
	first, latest := moments[0].key, int64(never) // the latest time of a late key
	for _, m := range moments {
		if m.key <= *last {
			latest = max(latest, m.at)
		}
		d.see(m.at)
	}
	late := first <= *last
	*last = max(*last, moments[len(moments)-1].key)
	if !late {
		return nil
	}
	row, err := earliest.row(1, first-slack)
	if err != nil {
		return err
	}
	if at, ok := row[0].(int64); ok && at < latest {
		d.skew = max(d.skew, minus(latest, at))
	}
	return nil
}

var _ store.Prober = (*Store)(nil)

// Probe implements [store.Prober]: it writes the marks as they are.
func (s *Store) Probe(ctx context.Context) error {
	if err := s.lock(); err != nil {
		return err
	}
	defer s.mu.Unlock()
	m := s.marks
	return s.fail("write", s.w.transaction(ctx, func() error { return s.w.mark(&m, nil) }))
}

// Marks implements [store.Store].
func (s *Store) Marks(ctx context.Context) (store.Marks, error) {
	var m store.Marks
	err := s.db.QueryRowContext(ctx, sqlMarks).Scan(&m.ID, &m.Cursor, &m.Approval)
	return m, s.fail("read marks", err)
}
