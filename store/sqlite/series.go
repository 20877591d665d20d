package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/reeverun/reeve/process"
)

const (
	sqlPutSeries = `INSERT INTO series (process, run, step, body) VALUES (?, ?, ?, ?)
		ON CONFLICT (process, run) DO UPDATE SET step = excluded.step, body = excluded.body`

	sqlSeries = `SELECT step, body FROM series INDEXED BY series_by_run WHERE process = ? AND run = ?`

	sqlDropSeries   = `DELETE FROM series WHERE process = ? AND run = ?`
	sqlDeleteSeries = `DELETE FROM series WHERE process = ?`
)

// seriesRows makes the rows of series.
func seriesRows(id process.ID, all []process.UsageSeries) (rows [][]driver.Value) {
	for i := range all {
		s := &all[i]
		b := []byte{'['}
		for j := range s.Samples {
			b = appendSample(b, &s.Samples[j])
		}
		rows = append(rows, []driver.Value{int64(id), int64(s.Run), s.StepMS, string(append(b, ']'))})
	}
	return rows
}

func appendSample(b []byte, s *process.UsageSample) []byte {
	if len(b) > 1 {
		b = append(b, ',')
	}
	for i, n := range []int64{s.At.UnixMilli(), s.CPUMS, s.RSSBytes, int64(s.PIDs), s.Tokens} {
		b = append(b, "[,,,,"[i])
		b = strconv.AppendInt(b, n, 10)
	}
	return append(b, ']')
}

// Series implements [store.Store].
func (s *Store) Series(ctx context.Context, id process.ID, run int) (process.UsageSeries, error) {
	found := process.UsageSeries{Run: run}
	var body []byte
	err := s.db.QueryRowContext(ctx, sqlSeries, int64(id), run).Scan(&found.StepMS, &body)
	if errors.Is(err, sql.ErrNoRows) {
		return found, s.fail("read usage", s.known(ctx, id))
	}
	var rows [][5]int64
	if err == nil {
		err = json.Unmarshal(body, &rows)
	}
	if err != nil {
		return found, s.fail("read usage", fmt.Errorf("of run %d of process %d: %w", run, id, err))
	}
	for _, r := range rows {
		found.Samples = append(found.Samples, process.UsageSample{At: process.Stamp{Time: time.UnixMilli(r[0]).UTC()},
			CPUMS: r[1], RSSBytes: r[2], PIDs: int(r[3]), Tokens: r[4]})
	}
	return found, nil
}
