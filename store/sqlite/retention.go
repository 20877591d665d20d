package sqlite

import (
	"context"
	"database/sql/driver"
	"slices"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

const (
	sqlLastEvent = `SELECT coalesce((SELECT min(cursor) FROM events), 1), coalesce((SELECT max(cursor) FROM events), 0)`
	sqlEventTime = `SELECT cursor, first_at FROM events WHERE cursor >= ? ORDER BY cursor LIMIT 1`

	// Oldest first, from the hint up to where younger ones begin.
	sqlOldChunks = `SELECT e.cursor, e.process, e.first_at, e.body, e.count, e.last_at FROM events e NOT INDEXED
		CROSS JOIN processes p ON p.id = e.process
		WHERE e.cursor >= ?1 AND e.cursor < ?2 AND e.first_at < ?3 AND p.state IN (0, 4)
			AND NOT EXISTS (SELECT 1 FROM tags t WHERE t.tag = ?4 AND t.process = e.process)
		ORDER BY e.cursor LIMIT ?5`

	sqlDropChunk = `DELETE FROM events WHERE cursor = ?`

	// Two walks, merged.
	sqlPrunableLogs = `SELECT id, run, logs_at FROM processes p INDEXED BY processes_by_logs
			WHERE logs_at < ?1 AND NOT EXISTS (SELECT 1 FROM tags WHERE tag = ?2 AND process = p.id)
		UNION ALL SELECT process, run, logs_at FROM runs r INDEXED BY runs_by_logs
			WHERE logs_at < ?1 AND NOT EXISTS (SELECT 1 FROM tags WHERE tag = ?2 AND process = r.process)
		ORDER BY 3 LIMIT ?3`

	sqlLogsPrunedNewest   = `UPDATE processes SET logs_pruned = 1, logs_at = NULL WHERE id = ? AND run = ?`
	sqlLogsPrunedArchived = `UPDATE runs SET logs_pruned = 1, logs_at = NULL WHERE process = ? AND run = ?`
)

// pruneHint is where the next of a row of equal calls goes on: what lies before
// is pinned or not idle, and looking at it again for every batch would cost
// more than the pruning. A call that finds nothing looks at all of it before
// it says so.
type pruneHint struct {
	before int64
	pinned string
	from   int64 // cursor
}

// PruneEvents implements [store.Store].
func (s *Store) PruneEvents(ctx context.Context, before time.Time, pinned string, limit int) (int, error) {
	if limit <= 0 {
		return 0, nil
	}
	if err := s.lock(); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	at := nanos(before)
	if s.prune.pinned != pinned || s.prune.before != at {
		s.prune = pruneHint{before: at, pinned: pinned}
	}
	n, err := s.pruneOnce(ctx, limit)
	if err == nil && n == 0 && s.prune.from > 0 {
		s.prune.from = 0
		n, err = s.pruneOnce(ctx, limit)
	}
	return n, s.fail("prune events", err)
}

// pruneOnce prunes from the hint on, and moves it.
func (s *Store) pruneOnce(ctx context.Context, limit int) (pruned int, err error) {
	old, err := s.oldChunks(limit)
	if err != nil || len(old) == 0 {
		return 0, err
	}
	err = s.w.transaction(ctx, func() error {
		defer s.w.forget()
		for i := range old {
			n, err := s.w.dropEvents(&old[i], s.prune.before, limit-pruned)
			if err != nil {
				return err
			}
			if pruned += n; pruned == limit {
				break
			}
		}
		return s.w.insertEvents.flush()
	})
	if err != nil {
		return 0, err
	}
	s.prune.from = old[0].cursor
	return pruned, nil
}

// oldChunk is a chunk with events that are old enough.
type oldChunk struct {
	chunkRow
	count, lastAt int64
}

// oldChunks returns as many as hold limit events, or all. The writer itself
// reads them: nothing may come in between.
func (s *Store) oldChunks(limit int) (old []oldChunk, err error) {
	end, err := s.w.cursorAt(plus(s.prune.before, s.marks.events.skew))
	if err != nil {
		return nil, err
	}
	var sure int64 // how many events can go
	err = s.w.oldChunks.query(6, func(row []driver.Value) error {
		n := func(i int) int64 { return row[i].(int64) }
		c := oldChunk{chunkRow{n(0), n(1), n(2), []byte(row[3].(string))}, n(4), n(5)}
		old = append(old, c)
		if c.lastAt < s.prune.before {
			sure += c.count
		}
		if sure >= int64(limit) {
			return errEnough
		}
		return nil
	}, s.prune.from, end, s.prune.before, orNull(s.prune.pinned), int64(limit))
	return old, err
}

// cursorAt returns the cursor from which on no event is older than a time.
func (w *writer) cursorAt(t int64) (int64, error) {
	row, err := w.lastEvent.row(2)
	if err != nil {
		return 0, err
	}
	tl := timeline{first: row[0].(int64), last: row[1].(int64), at: func(cursor int64) (int64, int64, error) {
		row, err := w.eventTime.row(2, cursor)
		if err != nil || row == nil {
			return cursor, never, err
		}
		return row[0].(int64), row[1].(int64), nil
	}}
	return tl.search(t)
}

// dropEvents removes up to limit events of a chunk that are older than a time,
// and returns how many.
func (w *writer) dropEvents(c *oldChunk, before int64, limit int) (int, error) {
	if _, err := w.dropChunk.exec(c.cursor); err != nil {
		return 0, err
	}
	if c.lastAt < before && c.count <= int64(limit) {
		return int(c.count), nil
	}
	events, err := c.decode(nil, 0, 0)
	if err != nil {
		return 0, err
	}
	var left []process.Event
	pruned := 0
	for _, e := range events {
		if pruned < limit && nanos(e.At) < before {
			pruned++
			continue
		}
		left = append(left, e)
	}
	rows, err := (&encoder{}).chunks(left)
	if err != nil {
		return 0, err
	}
	for row := range slices.Chunk(rows, chunkColumns) {
		if err := w.insertEvents.add(row...); err != nil {
			return 0, err
		}
	}
	return pruned, nil
}

// PrunableLogs implements [store.Store].
func (s *Store) PrunableLogs(ctx context.Context, before time.Time, pinned string, limit int) ([]store.RunRef, error) {
	refs, err := collect(ctx, s.db, scanPrunable, sqlPrunableLogs, nanos(before), orNull(pinned), max(limit, 0))
	return refs, s.fail("read prunable logs", err)
}

func scanPrunable(row scanner) (r store.RunRef, err error) {
	var at int64
	err = row.Scan(&r.Process, &r.Run, &at)
	return r, err
}

// LogsPruned implements [store.Store].
func (s *Store) LogsPruned(ctx context.Context, runs []store.RunRef) error {
	if err := s.lock(); err != nil {
		return err
	}
	defer s.mu.Unlock()
	return s.fail("record pruned logs", s.w.transaction(ctx, func() error {
		for _, r := range runs {
			for _, st := range []*stmt{s.w.logsPrunedNewest, s.w.logsPrunedArchived, s.w.dropSeries} {
				if _, err := st.exec(int64(r.Process), int64(r.Run)); err != nil {
					return err
				}
			}
		}
		return nil
	}))
}
