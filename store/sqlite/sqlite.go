package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

var _ store.Store = (*Store)(nil)

// readers is how many connections read at the same time.
const readers = 4

// Sealer makes secrets unreadable for anyone without its key. It is called from
// many goroutines.
type Sealer interface {
	Seal(plain []byte) ([]byte, error)
	Open(sealed []byte) ([]byte, error)
}

// Config says where a store is. Both fields are needed.
type Config struct {
	Path   string // the database file; it and its folder are created if missing
	Sealer Sealer

	whole int64 // the largest that Open checks page by page; 0: checkedWhole; for tests
}

// Store keeps processes in a SQLite file. Its methods are safe for concurrent
// use.
type Store struct {
	path    string
	sealer  Sealer
	closed  atomic.Bool
	checked bool    // every page was looked at
	db      *sql.DB // reads only
	read    readStmts

	mu    sync.Mutex // guards what follows: one writer at a time
	w     *writer
	marks marks
	prune pruneHint
}

// Open opens a database, creates it if there is none, and brings an older one
// forward. One written by a newer program is process.ErrUnsupportedSchema and
// left untouched, as is a file that is damaged or not Reeve's.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if cfg.Sealer == nil {
		return nil, errors.New("open database: no sealer for secrets is set")
	}
	if cfg.Path == "" {
		return nil, errors.New("open database: no path is set")
	}
	path, err := filepath.Abs(cfg.Path)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	whole := cmp.Or(cfg.whole, checkedWhole)
	if err := prepareFile(ctx, path, whole); err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	s := &Store{path: path, sealer: cfg.Sealer, checked: sizeOf(path) <= whole}
	if err := s.connect(ctx); err != nil {
		_ = s.disconnect()
		return nil, fmt.Errorf("open database: %w", explain(path, err))
	}
	return s, nil
}

// connect opens the writer first: it migrates, and the readers need its tables.
func (s *Store) connect(ctx context.Context) (err error) {
	if s.w, err = openWriter(ctx, s.path); err != nil {
		return err
	}
	if s.marks, err = s.w.readMarks(); err != nil {
		return err
	}
	if s.db, err = openReaders(ctx, s.path); err != nil {
		return err
	}
	return s.read.prepare(ctx, s.db)
}

// Close waits for the change in flight and closes the file; the last
// connection moves the write-ahead log into it.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.disconnect(); err != nil {
		return fmt.Errorf("close database: %w", err)
	}
	return nil
}

// lock takes the writer. A closed store has none.
func (s *Store) lock() error {
	s.mu.Lock()
	if s.closed.Load() {
		s.mu.Unlock()
		return process.ErrClosed
	}
	return nil
}

func (s *Store) disconnect() error {
	var errs []error
	if s.db != nil {
		errs = append(errs, s.db.Close())
	}
	if s.w != nil {
		errs = append(errs, s.w.close())
	}
	return errors.Join(errs...)
}

// fail dresses an error of a call: a closed store is process.ErrClosed,
// whatever the driver made of it, and a process.Error stays bare.
func (s *Store) fail(what string, err error) error {
	var pe *process.Error
	switch {
	case err == nil:
		return nil
	case s.closed.Load():
		return process.ErrClosed
	case errors.As(err, &pe):
		return err
	}
	return fmt.Errorf("%s: %w", what, explain(s.path, err))
}

func notFound(id process.ID) error {
	return process.Errorf(process.CodeNotFound, "no such process: %d", id)
}
