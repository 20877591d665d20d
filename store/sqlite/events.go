package sqlite

import (
	"cmp"
	"context"
	"slices"

	"github.com/reeverun/reeve/process"
)

const (
	chunkFields = `cursor, process, first_at, body`

	sqlEvents = `SELECT ` + chunkFields + ` FROM events INDEXED BY events_by_process
		WHERE process = ? AND last_seq > ? ORDER BY last_seq`

	// The chunk that a seq falls into may begin below it; later ones do not.
	sqlEventsBefore = `SELECT ` + chunkFields + ` FROM events INDEXED BY events_by_process
		WHERE process = ?1 AND last_seq <= coalesce((SELECT last_seq FROM events INDEXED BY events_by_process
			WHERE process = ?1 AND last_seq >= ?2 ORDER BY last_seq LIMIT 1), ?2) ORDER BY last_seq DESC`

	// A chunk that begins before the cursor may end after it, but not if it
	// begins maxSpan before.
	sqlAllEvents = `SELECT ` + chunkFields + ` FROM events NOT INDEXED
		WHERE cursor >= ? AND cursor + span > ? ORDER BY cursor`
)

func scanChunk(row scanner) (c chunkRow, err error) {
	err = row.Scan(&c.cursor, &c.process, &c.firstAt, &c.body)
	return c, err
}

// Events implements [store.Store].
func (s *Store) Events(ctx context.Context, id process.ID, after int64, limit int) ([]process.Event, error) {
	events, err := s.eventsBySeq(ctx, id, after, limit)
	return events, s.fail("read events", err)
}

func (s *Store) eventsBySeq(ctx context.Context, id process.ID, after int64, limit int) (events []process.Event, err error) {
	rows, err := s.read.events.QueryContext(ctx, int64(id), after)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for len(events) < limit && rows.Next() {
		c, err := scanChunk(rows)
		if err != nil {
			return nil, err
		}
		if events, err = c.decode(events, after, 0); err != nil {
			return nil, err
		}
	}
	if err := rows.Err(); err != nil || len(events) > 0 {
		return events[:min(limit, len(events))], err
	}
	rows.Close() // the next question may need the connection
	return nil, s.known(ctx, id)
}

// EventsBefore implements [store.Store].
func (s *Store) EventsBefore(ctx context.Context, id process.ID, before int64, limit int) ([]process.Event, error) {
	events, err := s.eventsBackward(ctx, id, before, limit)
	return events, s.fail("read events", err)
}

// eventsBackward reads chunk by chunk, the newest first.
func (s *Store) eventsBackward(ctx context.Context, id process.ID, before int64, limit int) ([]process.Event, error) {
	rows, err := s.read.eventsBefore.QueryContext(ctx, int64(id), before)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var chunks [][]process.Event
	for n := 0; n < limit && rows.Next(); {
		c, err := scanChunk(rows)
		if err != nil {
			return nil, err
		}
		events, err := c.decode(nil, 0, 0)
		if err != nil {
			return nil, err
		}
		events = slices.DeleteFunc(events, func(e process.Event) bool { return e.Seq >= before })
		chunks = append(chunks, events)
		n += len(events)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	slices.Reverse(chunks)
	if events := slices.Concat(chunks...); len(events) > 0 {
		return events[max(0, len(events)-limit):], nil
	}
	rows.Close() // the next question may need the connection
	return nil, s.known(ctx, id)
}

// AllEvents implements [store.Store].
func (s *Store) AllEvents(ctx context.Context, after int64, limit int) ([]process.Event, error) {
	events, err := s.eventsByCursor(ctx, after, limit)
	return events, s.fail("read events", err)
}

// eventsByCursor reads chunks in the order of their first cursors. Chunks may
// interleave, so the events of the page are certain only when a chunk begins
// behind them.
func (s *Store) eventsByCursor(ctx context.Context, after int64, limit int) ([]process.Event, error) {
	rows, err := s.read.allEvents.QueryContext(ctx, after-maxSpan, after)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var p page
	for rows.Next() {
		c, err := scanChunk(rows)
		if err != nil {
			return nil, err
		}
		if p.certain(limit, c.cursor) {
			break
		}
		n := len(p.events)
		if p.events, err = c.decode(p.events, 0, after); err != nil {
			return nil, err
		}
		p.settle(n)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return p.events[:min(limit, len(p.events))], nil
}

// page holds events in the order of their cursors.
type page struct{ events []process.Event }

// certain reports whether the first limit events come before a cursor.
func (p *page) certain(limit int, cursor int64) bool {
	return len(p.events) >= limit && (limit == 0 || p.events[limit-1].Cursor < cursor)
}

// settle brings the events from n on into order with the rest.
func (p *page) settle(n int) {
	if n > 0 && n < len(p.events) && p.events[n].Cursor < p.events[n-1].Cursor {
		slices.SortFunc(p.events, func(a, b process.Event) int { return cmp.Compare(a.Cursor, b.Cursor) })
	}
}
