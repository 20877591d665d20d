package sqlite

import (
	"embed"
	"fmt"
	"io/fs"
	"strconv"
)

// migrations holds one script for each step, named by the schema it leads to.
// A script that was released is never changed.
//
//go:embed migrations/*.sql
var migrations embed.FS

// latest is the schema this program writes: the number of scripts.
func latest() int {
	names, _ := fs.Glob(migrations, "migrations/*.sql")
	return len(names)
}

func script(version int) (string, error) {
	names, err := fs.Glob(migrations, fmt.Sprintf("migrations/%04d_*.sql", version))
	if err != nil || len(names) != 1 {
		return "", fmt.Errorf("schema %d has %d scripts", version, len(names))
	}
	b, err := migrations.ReadFile(names[0])
	return string(b), err
}

// migrate brings the database forward, each step in a transaction of its own.
func (w *writer) migrate() error {
	for {
		done, err := w.migrateOnce()
		if err != nil || done {
			return err
		}
	}
}

// migrateOnce takes one step. The version is read under the write lock, so two
// programs cannot both take it.
func (w *writer) migrateOnce() (done bool, err error) {
	if err := w.exec("BEGIN IMMEDIATE"); err != nil {
		return false, err
	}
	defer func() {
		if err != nil || done {
			_ = w.exec("ROLLBACK")
		}
	}()
	version, err := w.schema()
	if err != nil || version >= latest() {
		return true, err
	}
	sql, err := script(version + 1)
	if err != nil {
		return false, err
	}
	if err := w.exec(sql); err != nil {
		return false, fmt.Errorf("migrate to schema %d: %w", version+1, err)
	}
	if err := w.exec("PRAGMA user_version = " + strconv.Itoa(version+1)); err != nil {
		return false, err
	}
	return false, w.exec("COMMIT")
}

func (w *writer) schema() (int, error) {
	st, err := w.prepare("PRAGMA user_version")
	if err != nil {
		return 0, err
	}
	defer st.close()
	row, err := st.row(1)
	if err != nil {
		return 0, err
	}
	return int(row[0].(int64)), nil
}
