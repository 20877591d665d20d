package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"

	"github.com/reeverun/reeve/store"
)

// checkedWhole is the largest database that is checked page by page before it
// is opened: that takes about 9 ms for each MiB. Of a larger one both ends of
// each table are looked at, and Check finds out the rest.
const checkedWhole = 8 << 20

// checkEnds looks at both ends of each table.
func checkEnds(ctx context.Context, db *sql.DB, path string) error {
	for _, table := range []string{"marks", "processes", "specs", "runs", "events", "findings", "approvals", "messages", "notifications", "series"} {
		for _, order := range []string{"", " DESC"} {
			rows, err := db.QueryContext(ctx, "SELECT * FROM "+table+" ORDER BY rowid"+order+" LIMIT 1")
			if err == nil {
				rows.Next()
				err = errors.Join(rows.Err(), rows.Close())
			}
			if err != nil && !isMissing(err) { // an older schema has fewer tables
				return explain(path, err)
			}
		}
	}
	return nil
}

// checkAll looks at every page.
func checkAll(ctx context.Context, db *sql.DB, path string) error {
	var found string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&found); err != nil {
		return explain(path, err)
	}
	if found == "ok" {
		return nil
	}
	return &store.Unavailable{Reason: store.Damaged, Err: errors.New(found),
		Message: path + " is damaged: restore a backup, or see what can be saved with 'reeve serve --recover'; it was not replaced"}
}

func isMissing(err error) bool { return violates(err, 1) } // SQLITE_ERROR: no such table

// sizeOf is the size of a database with its log.
func sizeOf(path string) (size int64) {
	for _, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			size += info.Size()
		}
	}
	return size
}

// CheckFile looks at every page of a database that need not be open, and
// changes nothing. A damaged one is a store.Unavailable; one that does not exist
// is fs.ErrNotExist.
func CheckFile(ctx context.Context, path string) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", readOnly(path))
	if err != nil {
		return err
	}
	defer db.Close()
	return checkAll(ctx, db, path)
}

// Checked reports whether Open has looked at every page.
func (s *Store) Checked() bool { return s.checked }

// Check looks at every page while the store is used.
func (s *Store) Check(ctx context.Context) error {
	err := checkAll(ctx, s.db, s.path)
	if s.closed.Load() {
		return nil
	}
	return err
}
