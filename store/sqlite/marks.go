package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"math"

	"github.com/reeverun/reeve/store"
)

const (
	sqlLoadMarks = `SELECT id, cursor, created_high, created_skew, event_high, event_skew FROM marks`
	sqlSaveMarks = `UPDATE marks SET id = ?, cursor = ?, created_high = ?, created_skew = ?, event_high = ?, event_skew = ?`
	sqlMarks     = `SELECT id, cursor FROM marks`
)

// marks is the one row of the table of that name.
type marks struct {
	id, cursor      int64
	created, events drift
}

// drift says how far a clock ran against the order of ids or cursors: whatever
// was stored after something of a time t has a time of at least t - skew.
type drift struct {
	high int64 // the latest time seen
	skew int64 // how far a later one lay behind it
}

func (d *drift) see(t int64) {
	if t >= d.high {
		d.high = t
		return
	}
	d.skew = max(d.skew, minus(d.high, t))
}

// plus and minus stop at the ends of the numbers.
func plus(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func minus(a, b int64) int64 {
	switch {
	case b > 0 && a < math.MinInt64+b:
		return math.MinInt64
	case b < 0 && a > math.MaxInt64+b:
		return math.MaxInt64
	}
	return a - b
}

func (w *writer) readMarks() (m marks, err error) {
	row, err := w.loadMarks.row(6)
	if err != nil {
		return m, err
	}
	if row == nil {
		return m, errors.New("the database has no marks: it is damaged")
	}
	n := func(i int) int64 { return row[i].(int64) }
	return marks{n(0), n(1), drift{n(2), n(3)}, drift{n(4), n(5)}}, nil
}

func (m *marks) args() []driver.Value {
	return []driver.Value{m.id, m.cursor, m.created.high, m.created.skew, m.events.high, m.events.skew}
}

// Marks implements [store.Store].
func (s *Store) Marks(ctx context.Context) (store.Marks, error) {
	var m store.Marks
	err := s.db.QueryRowContext(ctx, sqlMarks).Scan(&m.ID, &m.Cursor)
	return m, s.fail("read marks", err)
}
