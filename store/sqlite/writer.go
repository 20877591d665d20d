package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// writer is the one connection that writes. It speaks to the driver without
// database/sql in between, which costs as much again as the statements here.
// Its statements run without a context: one that is cancelled costs a goroutine
// each, and a transaction is short.
type writer struct {
	conn driver.Conn
	all  []*stmt
	writeStmts
}

func openWriter(ctx context.Context, path string) (*writer, error) {
	// The log is moved into the file every 16 MiB: more often writes the same
	// index pages again and again, less often makes single commits slow.
	conn, err := openDriver(ctx, dsn(path, "rw", "journal_mode(wal)", "synchronous(full)",
		"wal_autocheckpoint(4000)", "cache_size(-16000)"))
	if err != nil {
		return nil, err
	}
	w := &writer{conn: conn}
	if err := w.migrate(); err != nil {
		return nil, errors.Join(err, w.close())
	}
	if err := w.writeStmts.prepare(w); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *writer) close() error {
	var errs []error
	for _, st := range w.all {
		errs = append(errs, st.close())
	}
	return errors.Join(append(errs, w.conn.Close())...)
}

// exec runs a script that has no parameters.
func (w *writer) exec(sql string) error {
	_, err := w.conn.(driver.ExecerContext).ExecContext(context.Background(), sql, nil)
	return err
}

// transaction runs f and commits what it did, or nothing if it fails.
func (w *writer) transaction(ctx context.Context, f func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, err := w.begin.exec(); err != nil {
		return err
	}
	err := f()
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		_, err = w.commit.exec()
	}
	if err != nil {
		_, _ = w.rollback.exec() // fails only if SQLite has rolled back by itself
	}
	return err
}

func (w *writer) prepare(sql string) (*stmt, error) {
	s, err := w.conn.Prepare(sql)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", sql, err)
	}
	return &stmt{Stmt: s}, nil
}

// stmt is a prepared statement. args is kept to be filled again.
type stmt struct {
	driver.Stmt
	args []driver.NamedValue
}

func (s *stmt) close() error {
	if s.Stmt == nil {
		return nil
	}
	err := s.Stmt.Close()
	s.Stmt = nil
	return err
}

func (s *stmt) bind(args []driver.Value) []driver.NamedValue {
	s.args = s.args[:0]
	for i, a := range args {
		s.args = append(s.args, driver.NamedValue{Ordinal: i + 1, Value: a})
	}
	return s.args
}

// exec returns how many rows were changed.
func (s *stmt) exec(args ...driver.Value) (int64, error) {
	res, err := s.Stmt.(driver.StmtExecContext).ExecContext(context.Background(), s.bind(args))
	clear(s.args) // they may be large
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// query calls each with every row, until it returns errEnough; the row is valid
// during the call.
func (s *stmt) query(columns int, each func(row []driver.Value) error, args ...driver.Value) error {
	rows, err := s.Stmt.(driver.StmtQueryContext).QueryContext(context.Background(), s.bind(args))
	if err != nil {
		return err
	}
	defer rows.Close()
	row := make([]driver.Value, columns)
	for {
		if err := rows.Next(row); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := each(row); err == errEnough {
			return nil
		} else if err != nil {
			return err
		}
	}
}

var errEnough = errors.New("enough rows")

// row returns the first row, or nil if there is none.
func (s *stmt) row(columns int, args ...driver.Value) (row []driver.Value, err error) {
	err = s.query(columns, func(r []driver.Value) error {
		row = slices.Clone(r)
		return errEnough
	}, args...)
	return row, err
}

// bulkRows is how many rows one insert statement takes: opening a table and
// its indexes costs as much as writing a row or two.
const bulkRows = 32

// bulk inserts rows, many by one statement. Rows wait until there are enough
// of them, or until flush.
type bulk struct {
	one, many *stmt
	columns   int
	rows      []driver.Value
}

// prepareBulk prepares "INSERT INTO t (...) VALUES (...) ..." for one row and
// for many.
func (w *writer) prepareBulk(into, row, rest string, columns int) (*bulk, error) {
	one, err := w.prepare(into + row + rest)
	if err != nil {
		return nil, err
	}
	many, err := w.prepare(into + strings.Repeat(row+",", bulkRows-1) + row + rest)
	if err != nil {
		return nil, err
	}
	w.all = append(w.all, one, many)
	return &bulk{one: one, many: many, columns: columns}, nil
}

// params is a row of parameters.
func params(n int) string { return "(" + strings.Repeat("?,", n-1) + "?)" }

func (b *bulk) add(row ...driver.Value) error {
	b.rows = append(b.rows, row...)
	if len(b.rows) < b.columns*bulkRows {
		return nil
	}
	_, err := b.many.exec(b.rows...)
	b.reset()
	return err
}

func (b *bulk) flush() error {
	defer b.reset()
	for rest := b.rows; len(rest) > 0; rest = rest[b.columns:] {
		if _, err := b.one.exec(rest[:b.columns]...); err != nil {
			return err
		}
	}
	return nil
}

// reset forgets the rows, and lets go of what they held.
func (b *bulk) reset() {
	clear(b.rows)
	b.rows = b.rows[:0]
}
