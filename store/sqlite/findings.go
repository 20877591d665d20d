package sqlite

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"strings"

	"github.com/reeverun/reeve/process"
)

const sqlInsertFinding = `INSERT INTO findings (cursor, process, run, severity, code, body) VALUES (?, ?, ?, ?, ?, ?)`

// findingRows makes a row of every finding among events.
func findingRows(events []process.Event) (rows [][]driver.Value, err error) {
	for i := range events {
		e := &events[i]
		d, ok := e.Data.(process.FindingEmitted)
		if !ok {
			continue
		}
		body, err := json.Marshal(d.Finding)
		if err != nil {
			return nil, err
		}
		rows = append(rows, []driver.Value{e.Cursor, int64(e.Process), int64(e.Run),
			string(d.Finding.Severity), d.Finding.Code, string(body)})
	}
	return rows, nil
}

// Findings implements [store.Store].
func (s *Store) Findings(ctx context.Context, q process.FindingQuery) ([]process.FoundFinding, error) {
	query, args := findingsQuery(q)
	list, err := collect(ctx, s.db, scanFinding, query, args...)
	return list, s.fail("read findings", err)
}

// findingsQuery walks along the index of the first filter that is set, which
// has the cursors in order.
func findingsQuery(q process.FindingQuery) (string, []any) {
	var filters []string
	var args []any
	index := " NOT INDEXED"
	where := func(column string, value any) {
		if len(filters) == 0 {
			index = " INDEXED BY findings_by_" + column
		}
		filters, args = append(filters, column+" = ?"), append(args, value)
	}
	if q.Process != 0 {
		where("process", int64(q.Process))
	}
	if q.Code != "" {
		where("code", q.Code)
	}
	if q.Severity != "" {
		where("severity", string(q.Severity))
	}
	query := "SELECT process, run, body FROM findings" + index
	if len(filters) > 0 {
		query += " WHERE " + strings.Join(filters, " AND ")
	}
	limit := q.Limit
	if limit <= 0 {
		limit = -1 // none
	}
	return query + " ORDER BY cursor DESC LIMIT ?", append(args, limit)
}

func scanFinding(row scanner) (f process.FoundFinding, err error) {
	var body []byte
	if err := row.Scan(&f.Process, &f.Run, &body); err != nil {
		return f, err
	}
	err = json.Unmarshal(body, &f.Finding)
	return f, err
}
