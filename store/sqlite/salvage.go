package sqlite

import (
	"context"
	"database/sql/driver"
	"strings"

	"github.com/reeverun/reeve/process"
)

// salvage copies what can be read of the database that was kept aside, and makes
// it one that holds together.
func (r *Recovered) salvage(ctx context.Context, w *writer, used process.ID) error {
	// A statement that fails must not take those before it along, so each is a
	// transaction; what counts is that all is on the disk in the end.
	if err := w.exec("PRAGMA synchronous = OFF"); err != nil {
		return err
	}
	if err := w.attach(readOnly(r.Aside)); err != nil {
		r.Lost = salvaged
	} else {
		for _, table := range salvaged {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !w.salvageTable(table) {
				r.Lost = append(r.Lost, table)
			}
		}
		if err := w.exec("DETACH old"); err != nil {
			return err
		}
	}
	if err := w.exec("PRAGMA writable_schema = OFF; PRAGMA synchronous = FULL;" + sqlHoldTogether); err != nil {
		return err
	}
	return r.skip(w, used)
}

// attach makes a damaged database readable as old. One that is shorter than it
// should be is only read by those who may write schemas.
func (w *writer) attach(uri string) error {
	attach := "ATTACH '" + strings.ReplaceAll(uri, "'", "''") + "' AS old"
	if err := w.exec(attach); err == nil {
		if w.exec("SELECT count(*) FROM old.sqlite_schema") == nil {
			return nil
		}
		if err := w.exec("DETACH old"); err != nil {
			return err
		}
	}
	if err := w.exec("PRAGMA writable_schema = ON"); err != nil {
		return err
	}
	return w.exec(attach)
}

// salvaged are the tables that are copied, by rowid; the others follow from
// them.
var salvaged = []string{"marks", "processes", "specs", "runs", "events", "findings", "approvals", "messages", "notifications", "series"}

// sqlHoldTogether drops what lost its other half, and makes what can be made from
// the rest. A process that was queued may have been started since.
const sqlHoldTogether = `
	DELETE FROM processes WHERE NOT json_valid(body) OR id NOT IN (SELECT process FROM specs WHERE json_valid(spec));
	DELETE FROM specs WHERE process NOT IN (SELECT id FROM processes);
	DELETE FROM runs WHERE process NOT IN (SELECT id FROM processes);
	DELETE FROM events WHERE NOT json_valid(body) OR process NOT IN (SELECT id FROM processes);
	DELETE FROM findings WHERE process NOT IN (SELECT id FROM processes);
	DELETE FROM approvals WHERE process NOT IN (SELECT id FROM processes);
	DELETE FROM messages WHERE process NOT IN (SELECT id FROM processes);
	DELETE FROM notifications WHERE NOT json_valid(body) OR process NOT IN (SELECT id FROM processes);
	DELETE FROM series WHERE NOT json_valid(body) OR process NOT IN (SELECT id FROM processes);
	UPDATE processes SET parent = NULL WHERE parent IS NOT NULL AND parent NOT IN (SELECT id FROM processes);
	UPDATE processes SET body = json_remove(json_set(body, '$.claimed', json('true')), '$.ahead') WHERE state = 1;
	INSERT OR IGNORE INTO tags SELECT value, process FROM specs, json_each(specs.spec, '$.tags');
	INSERT OR REPLACE INTO keys SELECT json_extract(spec, '$.key'), process FROM specs
		WHERE json_extract(spec, '$.key') IS NOT NULL ORDER BY process;
	INSERT OR IGNORE INTO marks (one, id, cursor, created_high, created_skew, event_high, event_skew)
		VALUES (1, 0, 0, -9223372036854775808, 0, -9223372036854775808, 0);`

// Clocks may have gone anywhere: what is known is how far times lie apart.
const sqlSkip = `UPDATE marks SET
	id = max(id, ?1, coalesce((SELECT max(id) FROM processes), 0)) + ?2,
	cursor = max(cursor, coalesce((SELECT max(cursor + span) FROM events), 0)) + ?3,
	approval = max(approval, coalesce((SELECT max(id) FROM approvals), 0)) + ?2,
	created_high = coalesce((SELECT max(created_at) FROM processes), created_high),
	created_skew = coalesce((SELECT max(created_at) - min(created_at) FROM processes WHERE created_at > -9223372036854775808), 0),
	event_high = coalesce((SELECT max(last_at) FROM events), event_high),
	event_skew = coalesce((SELECT max(last_at) - min(first_at) FROM events), 0)`

// skip has all numbers go on after those that were used.
func (r *Recovered) skip(w *writer, used process.ID) error {
	st, err := w.prepare(sqlSkip)
	if err != nil {
		return err
	}
	defer st.close()
	if _, err := st.exec(int64(used), int64(skippedIDs), int64(skippedCursors)); err != nil {
		return err
	}
	count, err := w.prepare("SELECT id, (SELECT count(*) FROM processes) FROM marks")
	if err != nil {
		return err
	}
	defer count.close()
	row, err := count.row(2)
	if err == nil {
		r.ID, r.Processes = process.ID(row[0].(int64)), row[1].(int64)
	}
	return err
}

// maxFailures bounds the search for what can be read of a table: a page that
// leads to most others may be the damaged one.
const maxFailures = 5_000

// salvageTable copies the rows of a table that can be read, and reports whether
// that was all.
func (w *writer) salvageTable(table string) (all bool) {
	columns, err := w.sharedColumns(table)
	if err != nil || columns == "" {
		return err == nil && isYoung(table)
	}
	st, err := w.prepare("INSERT OR REPLACE INTO main." + table + " (" + columns + ") SELECT " + columns + " FROM old." + table + " WHERE rowid BETWEEN ? AND ?")
	if err != nil {
		return false
	}
	defer st.close()
	low, high, sure := w.ends(table)
	failures := 0
	var try func(low, high int64)
	try = func(low, high int64) {
		if low > high || failures >= maxFailures {
			return
		}
		if _, err := st.exec(low, high); err == nil {
			return
		}
		if failures++; low == high {
			return
		}
		mid := low + (high-low)/2
		try(low, mid)
		try(mid+1, high)
	}
	try(low, high)
	return failures == 0 && sure
}

// isYoung reports whether an older schema has no such table.
func isYoung(table string) bool {
	return table == "approvals" || table == "messages" || table == "notifications" || table == "series"
}

// ends are the first and the last rowid of a table. What cannot be read is taken
// for the widest there can be: no number is higher than those of the marks.
func (w *writer) ends(table string) (low, high int64, sure bool) {
	low, high, sure = 0, 1<<32, true
	if m, err := w.readMarks(); err == nil && m.id > 0 {
		high = max(m.id, m.cursor, m.approval)
	}
	for i, order := range []string{"", " DESC"} {
		st, err := w.prepare("SELECT rowid FROM old." + table + " ORDER BY rowid" + order + " LIMIT 1")
		if err != nil {
			return low, high, false
		}
		row, err := st.row(1)
		st.close()
		switch {
		case err != nil:
			sure = false
		case row == nil:
			return 1, 0, true // it is empty
		case i == 0:
			low = row[0].(int64)
		default:
			high = row[0].(int64)
		}
	}
	return low, max(low, high), sure
}

// sharedColumns are those that both databases have; a schema may be older.
func (w *writer) sharedColumns(table string) (string, error) {
	st, err := w.prepare("SELECT n.name FROM pragma_table_info(?, 'main') n JOIN pragma_table_info(?, 'old') o ON o.name = n.name")
	if err != nil {
		return "", err
	}
	defer st.close()
	var names []string
	err = st.query(1, func(row []driver.Value) error {
		names = append(names, row[0].(string))
		return nil
	}, table, table)
	return strings.Join(names, ", "), err
}
