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
)

const (
	sqlPutApproval = `INSERT OR REPLACE INTO approvals (id, process, state, requested_at, body, sealed) VALUES (?, ?, ?, ?, ?, ?)`

	approvalFields = `SELECT id, process, state, requested_at, body, sealed FROM approvals `
	sqlApproval    = approvalFields + `WHERE id = ?`

	// Walks along an index in the order of ids, as the lists of processes are.
	sqlApprovals          = approvalFields + `NOT INDEXED WHERE id < ? ORDER BY id DESC LIMIT ?`
	sqlApprovalsByState   = approvalFields + `INDEXED BY approvals_by_state WHERE state = ? AND id < ? ORDER BY id DESC LIMIT ?`
	sqlApprovalsByProcess = approvalFields + `INDEXED BY approvals_by_process
		WHERE process = ?1 AND id < ?2 AND (?3 < 0 OR state = ?3) ORDER BY id DESC LIMIT ?4`

	sqlPruneApprovals = `DELETE FROM approvals WHERE id IN (
		SELECT a.id FROM approvals a INDEXED BY approvals_by_time CROSS JOIN processes p ON p.id = a.process
			WHERE a.state > 0 AND a.requested_at < ?1 AND p.state IN (0, 4)
				AND NOT EXISTS (SELECT 1 FROM tags t WHERE t.tag = ?2 AND t.process = a.process)
			ORDER BY a.requested_at LIMIT ?3)`

	sqlDeleteApprovals = `DELETE FROM approvals WHERE process = ?`
)

// approvalCodes are the numbers of the states in the database, by place: add at
// the end only.
var approvalCodes = [...]process.ApprovalState{process.ApprovalPending, process.ApprovalApproved,
	process.ApprovalDenied, process.ApprovalExpired, process.ApprovalCanceled}

// approvalJSON is what approvals.body holds.
type approvalJSON struct {
	Run       int     `json:"run"`
	Call      int64   `json:"call"`
	Service   string  `json:"service"`
	Tool      string  `json:"tool"`
	ExpiresAt int64   `json:"expiresAt"`
	DecidedAt *int64  `json:"decidedAt,omitempty"`
	DecidedBy *string `json:"decidedBy,omitempty"`
	Reason    *string `json:"reason,omitempty"`
}

// approvalRows makes the rows of approvals. Their parameters may hold secrets
// and are sealed.
func (s *Store) approvalRows(approvals []process.Approval) (rows [][]driver.Value, err error) {
	for i := range approvals {
		a := &approvals[i]
		j := approvalJSON{Run: a.Run, Call: a.Call, Service: a.Service, Tool: a.Tool,
			ExpiresAt: nanos(a.ExpiresAt), DecidedBy: a.DecidedBy, Reason: a.Reason}
		if a.DecidedAt != nil {
			at := nanos(*a.DecidedAt)
			j.DecidedAt = &at
		}
		body, err := json.Marshal(j)
		if err != nil {
			return nil, err
		}
		row := []driver.Value{int64(a.ID), int64(a.Process), int64(slices.Index(approvalCodes[:], a.State)),
			nanos(a.RequestedAt), string(body), nil}
		if len(a.Params) > 0 {
			sealed, err := s.sealer.Seal(a.Params)
			if err != nil {
				return nil, fmt.Errorf("seal parameters: %w", err)
			}
			row[5] = sealed
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (s *Store) scanApproval(row scanner) (a process.Approval, err error) {
	var state, requested int64
	var body, sealed []byte
	if err := row.Scan(&a.ID, &a.Process, &state, &requested, &body, &sealed); err != nil {
		return a, err
	}
	if state < 0 || state >= int64(len(approvalCodes)) {
		return a, fmt.Errorf("approval %d: unknown state %d", a.ID, state)
	}
	var j approvalJSON
	if err := json.Unmarshal(body, &j); err != nil {
		return a, fmt.Errorf("approval %d: %w", a.ID, err)
	}
	a.State, a.RequestedAt = approvalCodes[state], fromNanos(requested)
	a.Run, a.Call, a.Service, a.Tool, a.ExpiresAt = j.Run, j.Call, j.Service, j.Tool, fromNanos(j.ExpiresAt)
	a.DecidedBy, a.Reason = j.DecidedBy, j.Reason
	if j.DecidedAt != nil {
		at := fromNanos(*j.DecidedAt)
		a.DecidedAt = &at
	}
	if len(sealed) > 0 {
		if a.Params, err = s.sealer.Open(sealed); err != nil {
			return a, fmt.Errorf("approval %d: open parameters: %w", a.ID, err)
		}
	}
	return a, nil
}

// Approval implements [store.Store].
func (s *Store) Approval(ctx context.Context, id process.ApprovalID) (*process.Approval, error) {
	a, err := s.scanApproval(s.db.QueryRowContext(ctx, sqlApproval, int64(id)))
	if errors.Is(err, sql.ErrNoRows) {
		err = process.Errorf(process.CodeNotFound, "no such approval: %d", id)
	}
	if err != nil {
		return nil, s.fail("read approval", err)
	}
	return &a, nil
}

// Approvals implements [store.Store].
func (s *Store) Approvals(ctx context.Context, q process.ApprovalQuery) ([]process.Approval, error) {
	before := int64(q.Before)
	if before == 0 {
		before = math.MaxInt64
	}
	state := slices.Index(approvalCodes[:], q.State) // -1: any
	query, args := sqlApprovals, []any{before, q.Limit}
	switch {
	case q.Process != 0:
		query, args = sqlApprovalsByProcess, []any{int64(q.Process), before, state, q.Limit}
	case q.State != "":
		query, args = sqlApprovalsByState, []any{state, before, q.Limit}
	}
	list, err := collect(ctx, s.db, s.scanApproval, query, args...)
	return list, s.fail("list approvals", err)
}

// PruneApprovals implements [store.Store].
func (s *Store) PruneApprovals(ctx context.Context, before time.Time, pinned string, limit int) (int, error) {
	if err := s.lock(); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	var n int64
	err := s.w.transaction(ctx, func() (err error) {
		n, err = s.w.pruneApprovals.exec(nanos(before), orNull(pinned), int64(max(limit, 0)))
		return err
	})
	if err != nil {
		n = 0
	}
	return int(n), s.fail("prune approvals", err)
}
