package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"

	"github.com/reeverun/reeve/process"
)

const (
	processColumns   = 12
	sqlInsertProcess = `INSERT INTO processes (id, ref, parent, environment, state, exit_state, created_at,
		run, finalized, logs_at, logs_pruned, body) VALUES `

	specColumns   = 4
	sqlInsertSpec = `INSERT INTO specs (process, spec, code, sealed) VALUES `

	tagColumns   = 2
	sqlInsertTag = `INSERT OR IGNORE INTO tags (tag, process) VALUES `

	// An update, as an insert of what exists: unlike UPDATE that takes many
	// rows, in order. What is known of the newest run besides stays as long
	// as it is the newest.
	updateColumns    = 8
	sqlUpdateProcess = `INSERT INTO processes (id, state, exit_state, run, finalized, logs_at, logs_pruned, body,
		environment, created_at) VALUES `
	sqlUpdateRow = `(?, ?, ?, ?, ?, ?, ?, ?, '', 0)`
	sqlUpdateSet = ` ON CONFLICT (id) DO UPDATE SET
		state = excluded.state, exit_state = excluded.exit_state, run = excluded.run, body = excluded.body,
		finalized = coalesce(excluded.finalized, CASE run WHEN excluded.run THEN finalized END),
		logs_at = CASE WHEN run = excluded.run AND logs_pruned THEN NULL ELSE excluded.logs_at END,
		logs_pruned = excluded.logs_pruned | CASE run WHEN excluded.run THEN logs_pruned ELSE 0 END`

	processFields = `p.id, p.ref, p.parent, p.environment, p.state, p.exit_state, p.created_at,
		p.run, p.logs_pruned, p.body, s.spec, s.code`

	sqlProcess = `SELECT ` + processFields + `, s.sealed
		FROM processes p JOIN specs s ON s.process = p.id WHERE p.id = ?`

	sqlUnsettled = `SELECT ` + processFields + `, s.sealed
		FROM processes p INDEXED BY processes_by_state JOIN specs s ON s.process = p.id
		WHERE p.state > 0`

	sqlLastSeqs = `SELECT p.id, (SELECT max(last_seq) FROM events INDEXED BY events_by_process WHERE process = p.id)
		FROM processes p INDEXED BY processes_by_state WHERE p.state > 0`

	sqlExists     = `SELECT 1 FROM processes WHERE id = ?`
	sqlCountKnown = `SELECT count(*) FROM processes WHERE id IN `
	sqlFindRef    = `SELECT id FROM processes WHERE ref = ?`
	sqlFindKey    = `SELECT process FROM keys WHERE name = ?`
	sqlSaveKey    = `INSERT OR REPLACE INTO keys (name, process) VALUES (?, ?)`
)

// processRow makes the rows of a new process. finalized is the cursor of its
// newest run's end, nil if there is none.
func (s *Store) processRow(enc *encoder, p *process.Process, finalized driver.Value) (row, spec []driver.Value, err error) {
	body, err := enc.body(p)
	if err != nil {
		return nil, nil, err
	}
	text, err := enc.spec(&p.Spec)
	if err != nil {
		return nil, nil, err
	}
	sealed, err := s.seal(&p.Spec)
	if err != nil {
		return nil, nil, fmt.Errorf("seal secrets: %w", err)
	}
	row = enc.row(int64(p.ID), orNull(p.Ref), orNull(int64(p.Parent)), p.Environment, stateCode(p), exitCode(p.ExitState),
		nanos(p.CreatedAt), int64(p.Number), finalized, logsAt(&p.Run), boolCode(p.LogsPruned), body)
	spec = enc.row(int64(p.ID), text, orNull(p.Code), nil)
	if sealed != nil {
		spec[3] = sealed
	}
	return row, spec, nil
}

// updateRow makes the row of an update.
func updateRow(enc *encoder, p *process.Process, finalized driver.Value) ([]driver.Value, error) {
	body, err := enc.body(p)
	return enc.row(int64(p.ID), stateCode(p), exitCode(p.ExitState), int64(p.Number), finalized,
		logsAt(&p.Run), boolCode(p.LogsPruned), body), err
}

// logsAt is when retention starts to count for a run's logs; NULL while it
// does not.
func logsAt(r *process.Run) driver.Value {
	if r.CompletedAt.IsZero() || r.LogsPruned || r.Captured == process.Disabled {
		return nil
	}
	return nanos(r.CompletedAt)
}

// orNull makes NULL of a zero value.
func orNull[T string | int64](v T) driver.Value {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

func boolCode(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// scanner is a row to read, as database/sql has it.
type scanner interface{ Scan(dest ...any) error }

// scanProcess reads processFields. With more it reads further columns.
func scanProcess(row scanner, p *process.Process, more ...any) error {
	var ref, code sql.NullString
	var parent sql.NullInt64
	var state, exit, created int64
	var body, spec []byte
	dest := []any{&p.ID, &ref, &parent, &p.Environment, &state, &exit, &created,
		&p.Number, &p.LogsPruned, &body, &spec, &code}
	if err := row.Scan(append(dest, more...)...); err != nil {
		return err
	}
	if state >= int64(len(stateCodes)) || exit >= int64(len(exitCodes)) {
		return fmt.Errorf("process %d: unknown state %d or exit state %d", p.ID, state, exit)
	}
	if err := decodeSpec(spec, &p.Spec); err != nil {
		return fmt.Errorf("process %d: %w", p.ID, err)
	}
	if err := decodeBody(body, p); err != nil {
		return fmt.Errorf("process %d: %w", p.ID, err)
	}
	p.Ref, p.Code, p.Parent = ref.String, code.String, process.ID(parent.Int64)
	p.State, p.ExitState, p.CreatedAt = stateCodes[state], exitCodes[exit], fromNanos(created)
	return nil
}

// scanWhole reads processFields and the secrets.
func (s *Store) scanWhole(row scanner) (*process.Process, error) {
	p := &process.Process{}
	var sealed []byte
	if err := scanProcess(row, p, &sealed); err != nil {
		return nil, err
	}
	if err := s.unseal(&p.Spec, sealed); err != nil {
		return nil, fmt.Errorf("process %d: %w", p.ID, err)
	}
	return p, nil
}

// Process implements [store.Store].
func (s *Store) Process(ctx context.Context, id process.ID) (*process.Process, error) {
	p, err := s.scanWhole(s.read.process.QueryRowContext(ctx, int64(id)))
	if errors.Is(err, sql.ErrNoRows) {
		err = notFound(id)
	}
	if err != nil {
		return nil, s.fail("read process", err)
	}
	return p, nil
}

// Unsettled implements [store.Store].
func (s *Store) Unsettled(ctx context.Context) ([]*process.Process, error) {
	list, err := collect(ctx, s.db, s.scanWhole, sqlUnsettled)
	slices.SortFunc(list, func(a, b *process.Process) int { return cmp.Compare(a.ID, b.ID) })
	return list, s.fail("read unsettled processes", err)
}

// LastSeqs implements [store.Store].
func (s *Store) LastSeqs(ctx context.Context) (map[process.ID]int64, error) {
	last := map[process.ID]int64{}
	_, err := collect(ctx, s.db, func(row scanner) (none struct{}, err error) {
		var id process.ID
		var seq sql.NullInt64
		if err = row.Scan(&id, &seq); err == nil && seq.Valid {
			last[id] = seq.Int64
		}
		return none, err
	}, sqlLastSeqs)
	return last, s.fail("read last events", err)
}

// FindRef implements [store.Store].
func (s *Store) FindRef(ctx context.Context, ref string) (process.ID, error) {
	return s.find(ctx, s.read.findRef, "ref", ref)
}

// FindKey implements [store.Store].
func (s *Store) FindKey(ctx context.Context, name string) (process.ID, error) {
	return s.find(ctx, s.read.findKey, "key", name)
}

func (s *Store) find(ctx context.Context, st *sql.Stmt, what, name string) (process.ID, error) {
	var id process.ID
	err := st.QueryRowContext(ctx, name).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		err = process.Errorf(process.CodeNotFound, "no process carries the %s %q", what, name)
	}
	return id, s.fail("find "+what, err)
}

// known reports process.ErrNotFound for an id that is not stored.
func (s *Store) known(ctx context.Context, id process.ID) error {
	var one int
	err := s.read.exists.QueryRowContext(ctx, int64(id)).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return notFound(id)
	}
	return err
}

// querier is a database, a connection or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// collect returns what scan makes of every row of a query.
func collect[T any](ctx context.Context, q querier, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return collectRows(rows, scan)
}

func collectRows[T any](rows *sql.Rows, scan func(scanner) (T, error)) ([]T, error) {
	defer rows.Close()
	var list []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}
