package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// applicationID marks a database as Reeve's; it is set by the first migration.
const applicationID = 0x52656576

// minSize is the smallest a database with anything in it can be.
const minSize = 512

// busyTimeout is how long to wait for another program that looks into the
// file, in milliseconds. Reeve itself has one writer. A create that waits this
// long is refused.
const busyTimeout = 5_000

// dsn names a database for the driver: as a URI, since paths may hold anything.
func dsn(path, mode string, pragmas ...string) string {
	pragmas = append([]string{fmt.Sprintf("busy_timeout(%d)", busyTimeout)}, pragmas...)
	return uri(path, url.Values{"mode": {mode}, "_pragma": pragmas})
}

func uri(path string, q url.Values) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // C:/...
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

// readOnly names a database so that looking into it leaves no trace. Without a
// log beside it the file is all there is, and SQLite need not make one.
func readOnly(path string) string {
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		return dsn(path, "ro")
	}
	return uri(path, url.Values{"mode": {"ro"}, "immutable": {"1"}})
}

// prepareFile makes sure that there is a file this program may write: a new
// one, or one that a look through a read-only connection finds to be ours. The
// file is never opened by other means than SQLite's: closing it would drop the
// locks of every connection this process has to it.
func prepareFile(ctx context.Context, path string, whole int64) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return createFile(path)
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file: move it away, or choose another data directory", path)
	case info.Size() == 0:
		return nil // created and never written: as good as new
	case info.Size() < minSize: // SQLite would take it for an empty one
		return &store.Unavailable{Reason: store.Damaged, Err: fmt.Errorf("it has %d bytes", info.Size()),
			Message: path + " is not a database: restore a backup, or move it away to start anew; it was not changed"}
	}
	return inspect(ctx, path, whole)
}

// MayOpen reports why Open would refuse a file: it is no database, of another
// program, from the future, or damaged. It changes nothing, also while another
// program writes the file. One that does not exist is fine.
func MayOpen(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	return inspect(ctx, path, checkedWhole)
}

// createFile gives a new database the mode that the files beside it inherit.
func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// inspect refuses a file that is not a database, not Reeve's, from the future, or
// damaged as far as that can be seen in no time.
func inspect(ctx context.Context, path string, whole int64) error {
	db, err := sql.Open("sqlite", readOnly(path))
	if err != nil {
		return err
	}
	defer db.Close()
	var version, app, tables int
	err = db.QueryRowContext(ctx, `SELECT
		(SELECT user_version FROM pragma_user_version),
		(SELECT application_id FROM pragma_application_id),
		(SELECT count(*) FROM sqlite_schema)`).Scan(&version, &app, &tables)
	if err != nil {
		return explain(path, err)
	}
	if tables > 0 && app != applicationID {
		return fmt.Errorf("%s is a database of another program", path)
	}
	if version > latest() {
		return &process.Error{
			Code:    process.CodeUnsupportedSchema,
			Message: fmt.Sprintf("%s has schema %d, and this program knows schemas up to %d", path, version, latest()),
			Hint:    "it was written by a newer version of Reeve: use that one, or another data directory",
		}
	}
	if sizeOf(path) <= whole {
		return checkAll(ctx, db, path)
	}
	return checkEnds(ctx, db, path)
}

// openReaders opens all reading connections: later there may be no descriptors
// left.
func openReaders(ctx context.Context, path string) (*sql.DB, error) {
	c, err := sqlite.NewConnector(dsn(path, "rw", "query_only(1)"))
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(readers)
	db.SetMaxIdleConns(readers)
	var all []*sql.Conn
	for range readers {
		conn, cerr := db.Conn(ctx)
		if cerr != nil {
			err = cerr
			break
		}
		all = append(all, conn)
	}
	for _, conn := range all {
		err = errors.Join(err, conn.Close()) // it stays open, and idle
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func openDriver(ctx context.Context, dsn string) (driver.Conn, error) {
	c, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	return c.Connect(ctx)
}

// explain turns what SQLite says about a file into what a person can act on,
// and a program can match.
func explain(path string, err error) error {
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return err
	}
	reason := store.Failing
	var message string
	switch se.Code() & 0xff {
	case lib.SQLITE_NOTADB:
		reason, message = store.Damaged, "%s is not a database: restore a backup, or see what can be saved with 'reeve serve --recover'; it was not changed"
	case lib.SQLITE_CORRUPT:
		reason, message = store.Damaged, "%s is damaged: restore a backup, or see what can be saved with 'reeve serve --recover'; it was not replaced"
	case lib.SQLITE_CANTOPEN, lib.SQLITE_PERM, lib.SQLITE_READONLY:
		message = "%s cannot be opened for writing: check the permissions of the file and its folder"
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		reason, message = store.Locked, "%s is locked by another program: end what it does there"
	case lib.SQLITE_FULL:
		reason, message = store.Full, "%s cannot grow, the disk is full: make room"
	case lib.SQLITE_IOERR:
		message = "%s cannot be read or written: look after the disk it is on, and its room"
	default:
		return fmt.Errorf("%s: %w", path, err)
	}
	return &store.Unavailable{Reason: reason, Message: fmt.Sprintf(message, path), Err: err}
}

// violates reports whether an error is a constraint's.
func violates(err error, constraint int) bool {
	var se *sqlite.Error
	return errors.As(err, &se) && se.Code() == constraint
}
