package sqlite

import (
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"slices"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

const (
	// What is known of the run besides comes with it from the process it was
	// the newest run of, or stays if it was archived before.
	sqlArchiveRun = `INSERT INTO runs (process, run, exit_state, finalized, logs_at, logs_pruned, body)
		SELECT id, ?2, ?3,
			CASE run WHEN ?2 THEN finalized END,
			CASE WHEN run = ?2 AND logs_pruned THEN NULL ELSE ?4 END,
			CASE run WHEN ?2 THEN logs_pruned | ?5 ELSE ?5 END,
			?6
		FROM processes WHERE id = ?1
		ON CONFLICT (process, run) DO UPDATE SET
			exit_state = excluded.exit_state,
			finalized = coalesce(excluded.finalized, finalized),
			logs_at = CASE WHEN logs_pruned THEN NULL ELSE excluded.logs_at END,
			logs_pruned = logs_pruned | excluded.logs_pruned,
			body = excluded.body`

	sqlFinalizeNewest   = `UPDATE processes SET finalized = ? WHERE id = ? AND run = ?`
	sqlFinalizeArchived = `UPDATE runs SET finalized = ? WHERE process = ? AND run = ?`

	sqlArchived = `SELECT run, exit_state, logs_pruned, body FROM runs WHERE process = ? ORDER BY run DESC`

	sqlRunsAfter = `SELECT id, run FROM processes INDEXED BY processes_by_state
			WHERE state IN (1, 2, 3) AND run > 0
		UNION ALL SELECT id, run FROM processes INDEXED BY processes_by_finalized
			WHERE finalized > ?1 AND run > 0
		UNION ALL SELECT process, run FROM runs INDEXED BY runs_by_finalized
			WHERE finalized > ?1`
)

func archiveRow(enc *encoder, id process.ID, r *process.Run) ([]driver.Value, error) {
	body, err := enc.archived(r)
	if err != nil {
		return nil, err
	}
	return enc.row(int64(id), int64(r.Number), exitCode(r.ExitState), logsAt(r), boolCode(r.LogsPruned), body), nil
}

// Archived implements [store.Store].
func (s *Store) Archived(ctx context.Context, id process.ID) ([]process.Run, error) {
	rows, err := s.read.archived.QueryContext(ctx, int64(id))
	if err != nil {
		return nil, s.fail("read runs", err)
	}
	runs, err := collectRows(rows, scanRun)
	if err == nil && len(runs) == 0 {
		err = s.known(ctx, id)
	}
	return runs, s.fail("read runs", err)
}

func scanRun(row scanner) (r process.Run, err error) {
	var exit int64
	var body []byte
	if err := row.Scan(&r.Number, &exit, &r.LogsPruned, &body); err != nil {
		return r, err
	}
	if exit >= int64(len(exitCodes)) {
		return r, fmt.Errorf("run %d: unknown exit state %d", r.Number, exit)
	}
	r.ExitState = exitCodes[exit]
	err = decodeRun(body, &r)
	return r, err
}

// RunsAfter implements [store.Store].
func (s *Store) RunsAfter(ctx context.Context, cursor int64) ([]store.RunRef, error) {
	refs, err := collect(ctx, s.db, scanRunRef, sqlRunsAfter, cursor)
	slices.SortFunc(refs, func(a, b store.RunRef) int {
		return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(a.Run, b.Run))
	})
	return slices.Compact(refs), s.fail("read runs", err)
}

func scanRunRef(row scanner) (r store.RunRef, err error) {
	err = row.Scan(&r.Process, &r.Run)
	return r, err
}
