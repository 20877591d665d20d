package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"

	lib "modernc.org/sqlite/lib"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// write is a change in the shape of rows.
type write struct {
	id       process.ID
	process  []driver.Value // nil: no insert
	spec     []driver.Value
	tags     []string
	archive  []driver.Value
	update   []driver.Value
	chunks   [][]driver.Value
	findings [][]driver.Value
	ends     []end // finalized events that no other row tells
}

// end is a run's finalized event.
type end struct{ run, cursor int64 }

// Apply implements [store.Store]. Rows are made before the lock is taken, and
// written in two rounds, so that many inserts share a statement: first what is
// new, then what changes.
func (s *Store) Apply(ctx context.Context, changes []store.Change) error {
	if s.closed.Load() {
		return process.ErrClosed
	}
	if len(changes) == 0 {
		return ctx.Err()
	}
	writes, err := s.encode(changes)
	if err != nil {
		return s.fail("apply", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.marks
	for i := range changes {
		next.see(&changes[i])
	}
	err = s.w.transaction(ctx, func() error { return s.w.apply(ctx, writes, &next) })
	if violates(err, lib.SQLITE_CONSTRAINT_UNIQUE) {
		err = s.w.refConflict(changes)
	}
	if err != nil {
		return s.fail("apply", err)
	}
	s.marks = next
	return nil
}

// see takes note of the numbers and times of a change.
func (m *marks) see(c *store.Change) {
	if p := c.Insert; p != nil {
		m.id = max(m.id, int64(p.ID))
		m.created.see(nanos(p.CreatedAt))
	}
	for i := range c.Events {
		m.cursor = max(m.cursor, c.Events[i].Cursor)
		m.events.see(nanos(c.Events[i].At))
	}
}

func (w *writer) apply(ctx context.Context, writes []write, m *marks) error {
	defer w.forget()
	for i := range writes {
		if err := w.insert(&writes[i]); err != nil {
			return err
		}
	}
	for _, b := range []*bulk{w.insertProcess, w.insertSpec, w.insertTag} {
		if err := b.flush(); err != nil {
			return err
		}
	}
	for i := range writes {
		if err := w.change(&writes[i]); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if err := w.insertEvents.flush(); err != nil {
		return err
	}
	_, err := w.saveMarks.exec(m.args()...)
	return err
}

// forget drops the rows that a failed batch left waiting.
func (w *writer) forget() {
	for _, b := range []*bulk{w.insertProcess, w.insertSpec, w.insertTag, w.insertEvents} {
		b.reset()
	}
}

// insert adds the new rows of a write.
func (w *writer) insert(c *write) error {
	if c.process == nil {
		return nil
	}
	if err := w.insertProcess.add(c.process...); err != nil {
		return err
	}
	if err := w.insertSpec.add(c.spec...); err != nil {
		return err
	}
	for _, tag := range c.tags {
		if err := w.insertTag.add(tag, int64(c.id)); err != nil {
			return err
		}
	}
	return nil
}

// change makes the rest of a write, in the order of the contract.
func (w *writer) change(c *write) error {
	known := c.process != nil
	for _, st := range []struct {
		*stmt
		args []driver.Value
	}{{w.archiveRun, c.archive}, {w.updateProcess, c.update}} {
		if st.args == nil {
			continue
		}
		n, err := st.exec(st.args...)
		if err != nil {
			return err
		}
		if n == 0 {
			return notFound(c.id)
		}
		known = true
	}
	if !known {
		if row, err := w.exists.row(1, int64(c.id)); err != nil || row == nil {
			return orNotFound(err, c.id)
		}
	}
	return w.events(c)
}

func orNotFound(err error, id process.ID) error {
	if err != nil {
		return err
	}
	return notFound(id)
}

func (w *writer) events(c *write) error {
	for _, row := range c.chunks {
		if err := w.insertEvents.add(row...); err != nil {
			return err
		}
	}
	for _, row := range c.findings {
		if _, err := w.insertFinding.exec(row...); err != nil {
			return err
		}
	}
	for _, e := range c.ends {
		n, err := w.finalizeNewest.exec(e.cursor, int64(c.id), e.run)
		if err == nil && n == 0 {
			_, err = w.finalizeArchived.exec(e.cursor, int64(c.id), e.run)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// refConflict tells which ref of a refused batch is taken. The transaction is
// over by now.
func (w *writer) refConflict(changes []store.Change) error {
	seen := map[string]bool{}
	for i := range changes {
		p := changes[i].Insert
		if p == nil || p.Ref == "" {
			continue
		}
		row, err := w.findRef.row(1, p.Ref)
		if err != nil {
			return err
		}
		if row != nil || seen[p.Ref] {
			return &process.Error{Code: process.CodeRefConflict, Field: "ref",
				Message: fmt.Sprintf("another process carries the ref %q", p.Ref)}
		}
		seen[p.Ref] = true
	}
	return process.ErrRefConflict
}
