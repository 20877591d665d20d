package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// Each of these goes along one index and reads nothing else, or only what is
// active, or what has happened of late.
const (
	sqlCountStates = `SELECT state, exit_state, count(*) FROM processes INDEXED BY processes_by_state GROUP BY state, exit_state`

	sqlCountEnvironments = `SELECT environment, count(*) FROM processes INDEXED BY processes_by_environment GROUP BY environment`

	sqlCountPaused = `SELECT count(*) FROM processes INDEXED BY processes_by_state
		WHERE state IN (1, 2, 3) AND json_extract(body, '$.paused')`

	sqlCountCreated = `SELECT (created_at - ?1) / ?2, count(*) FROM processes NOT INDEXED
		WHERE id >= ?4 AND created_at >= ?1 AND created_at < ?3 GROUP BY 1`

	sqlCountEnded = `SELECT (at - ?1) / ?2, exit_state, count(*) FROM (
			SELECT coalesce(logs_at, json_extract(body, '$.completedAt')) AS at, exit_state FROM processes INDEXED BY processes_by_finalized WHERE finalized >= ?4
			UNION ALL SELECT coalesce(logs_at, json_extract(body, '$.completedAt')), exit_state FROM runs INDEXED BY runs_by_finalized WHERE finalized >= ?4)
		WHERE at >= ?1 AND at < ?3 GROUP BY 1, 2`

	sqlTags = `SELECT tag, count(*) FROM tags GROUP BY tag ORDER BY 2 DESC, tag LIMIT ?`

	sqlPendingApprovals = `SELECT count(*) FROM approvals INDEXED BY approvals_by_state WHERE state = 0`

	sqlEventSkew = `SELECT event_skew FROM marks`
)

// Count implements [store.Store]. The transaction keeps the state of the database
// in which it first reads.
func (s *Store) Count(ctx context.Context, a process.Activity) (func() (store.Counts, error), error) {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, s.fail("count", err)
	}
	c := &counter{tx: tx, a: a}
	if err := tx.QueryRowContext(ctx, sqlEventSkew).Scan(&c.skew); err != nil {
		return nil, s.fail("count", errors.Join(err, tx.Rollback()))
	}
	return func() (store.Counts, error) {
		defer tx.Rollback()
		counts, err := c.count(ctx)
		return counts, s.fail("count", err)
	}, nil
}

// counter counts in one transaction, and lives no longer than it.
type counter struct {
	tx   *sql.Tx
	a    process.Activity
	skew int64 // of the events
}

func (c *counter) count(ctx context.Context) (store.Counts, error) {
	all := store.Counts{States: map[process.State]int{}, ExitStates: map[process.ExitState]int{}, Environments: map[string]int{}, Activity: c.a}
	err := errors.Join(
		each(ctx, c, sqlCountStates, nil, func(state, exit, n int) {
			all.States[stateCodes[state]] += n
			all.ExitStates[exitCodes[exit]] += n
		}),
		c.environments(ctx, all.Environments),
		c.tx.QueryRowContext(ctx, sqlCountPaused).Scan(&all.Paused),
		c.created(ctx), c.ended(ctx))
	return all, err
}

func (c *counter) environments(ctx context.Context, into map[string]int) error {
	_, err := collect(ctx, c.tx, func(row scanner) (struct{}, error) {
		var name string
		var n int
		err := row.Scan(&name, &n)
		into[name] = n
		return struct{}{}, err
	}, sqlCountEnvironments)
	return err
}

// created counts what was created in the spans.
func (c *counter) created(ctx context.Context) error {
	b, err := idBounds(ctx, c.tx)
	if err != nil {
		return err
	}
	first, err := b.search(minus(nanos(c.a.From), b.skew))
	if err != nil {
		return err
	}
	return each(ctx, c, sqlCountCreated, append(c.spans(), first), func(span, n, _ int) { c.a.Created[span] = n })
}

// ended counts the runs that ended in the spans.
func (c *counter) ended(ctx context.Context) error {
	first, err := c.cursorAt(ctx, minus(nanos(c.a.From), c.skew))
	if err != nil {
		return err
	}
	return each(ctx, c, sqlCountEnded, append(c.spans(), first), func(span, exit, n int) { c.a.Ended(exitCodes[exit])[span] += n })
}

// spans are the beginning, the length of one and the end.
func (c *counter) spans() []any {
	from := nanos(c.a.From)
	return []any{from, int64(c.a.Step), plus(from, int64(c.a.Step)*int64(len(c.a.Created)))}
}

// cursorAt returns a cursor that the events from a time on, less the skew, do not
// lie before.
func (c *counter) cursorAt(ctx context.Context, t int64) (int64, error) {
	var tl timeline
	if err := c.tx.QueryRowContext(ctx, sqlLastEvent).Scan(&tl.first, &tl.last); err != nil {
		return 0, err
	}
	tl.at = func(cursor int64) (key, at int64, err error) {
		err = c.tx.QueryRowContext(ctx, sqlEventTime, cursor).Scan(&key, &at)
		if errors.Is(err, sql.ErrNoRows) {
			return cursor, never, nil
		}
		return key, at, err
	}
	return tl.search(t)
}

// each calls f with the numbers of each row, of which there are two or three.
func each(ctx context.Context, c *counter, query string, args []any, f func(a, b, d int)) error {
	rows, err := c.tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	for rows.Next() {
		var n [3]int
		if err := rows.Scan([]any{&n[0], &n[1], &n[2]}[:len(columns)]...); err != nil {
			return err
		}
		f(n[0], n[1], n[2])
	}
	return rows.Err()
}

// Tags implements [store.Store].
func (s *Store) Tags(ctx context.Context, limit int) ([]process.TagCount, error) {
	all, err := collect(ctx, s.db, func(row scanner) (t process.TagCount, err error) {
		err = row.Scan(&t.Tag, &t.Count)
		return t, err
	}, sqlTags, max(limit, 0))
	return all, s.fail("count tags", err)
}

// PendingApprovals implements [store.Store].
func (s *Store) PendingApprovals(ctx context.Context) (n int, err error) {
	err = s.db.QueryRowContext(ctx, sqlPendingApprovals).Scan(&n)
	return n, s.fail("count approvals", err)
}
