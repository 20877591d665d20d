package sqlite

import (
	"context"
	"database/sql/driver"
	"slices"

	lib "modernc.org/sqlite/lib"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// write is a change in the shape of rows.
type write struct {
	id        process.ID
	process   []driver.Value // nil: no insert
	spec      []driver.Value
	tags      []string
	key       string // empty: none
	archive   []driver.Value
	update    []driver.Value
	chunks    []driver.Value // rows, one behind the other
	findings  [][]driver.Value
	approvals [][]driver.Value
	messages  [][]driver.Value
	notices   [][]driver.Value
	series    [][]driver.Value
	ends      []end // finalized events that no other row tells
}

// end is a run's finalized event.
type end struct{ run, cursor int64 }

// Apply implements [store.Store]. Rows are made before the lock is taken, and
// written in two rounds, so that many share a statement: first what is new,
// then what changes.
func (s *Store) Apply(ctx context.Context, changes []store.Change) error {
	if len(changes) == 0 {
		return ctx.Err()
	}
	writes, err := s.encode(changes)
	if err != nil {
		return s.fail("apply", err)
	}
	if err := s.lock(); err != nil {
		return err
	}
	defer s.mu.Unlock()
	next := s.marks
	err = s.w.transaction(ctx, func() error {
		if err := s.w.apply(ctx, writes); err != nil {
			return err
		}
		return s.w.mark(&next, changes)
	})
	if violates(err, lib.SQLITE_CONSTRAINT_UNIQUE) {
		err = s.w.refConflict(changes)
	}
	if err != nil {
		return s.fail("apply", err)
	}
	s.marks = next
	return nil
}

func (w *writer) apply(ctx context.Context, writes []write) error {
	defer w.forget()
	for i := range writes {
		if err := w.insert(&writes[i]); err != nil {
			return err
		}
	}
	if err := flush(w.insertProcess, w.insertSpec, w.insertTag); err != nil {
		return err
	}
	if err := w.checkKnown(writes); err != nil {
		return err
	}
	for i := range writes {
		if err := w.change(&writes[i]); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return flush(w.updateProcess, w.insertEvents)
}

func flush(bulks ...*bulk) error {
	for _, b := range bulks {
		if err := b.flush(); err != nil {
			return err
		}
	}
	return nil
}

// forget drops the rows that a failed batch left waiting.
func (w *writer) forget() {
	for _, b := range []*bulk{w.insertProcess, w.insertSpec, w.insertTag, w.updateProcess, w.insertEvents} {
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
	if c.key == "" {
		return nil
	}
	_, err := w.saveKey.exec(c.key, int64(c.id))
	return err
}

// change makes the rest of a write, in the order of the contract. Updates may
// wait, unless something builds on them.
func (w *writer) change(c *write) error {
	if c.archive != nil {
		if err := w.updateProcess.flush(); err != nil {
			return err
		}
		if _, err := w.archiveRun.exec(c.archive...); err != nil {
			return err
		}
	}
	if c.update != nil {
		if err := w.updateProcess.add(c.update...); err != nil {
			return err
		}
	}
	return w.events(c)
}

func (w *writer) events(c *write) error {
	for row := range slices.Chunk(c.chunks, chunkColumns) {
		if err := w.insertEvents.add(row...); err != nil {
			return err
		}
	}
	for _, row := range c.findings {
		if _, err := w.insertFinding.exec(row...); err != nil {
			return err
		}
	}
	for _, row := range c.approvals {
		if _, err := w.putApproval.exec(row...); err != nil {
			return err
		}
	}
	for _, row := range c.messages {
		if _, err := w.insertMessage.exec(row...); err != nil {
			return err
		}
	}
	for _, row := range c.notices {
		if _, err := w.putNotification.exec(row...); err != nil {
			return err
		}
	}
	for _, row := range c.series {
		if _, err := w.putSeries.exec(row...); err != nil {
			return err
		}
	}
	for _, e := range c.ends {
		if err := w.finalize(c.id, e); err != nil {
			return err
		}
	}
	return nil
}

// finalize records the end of a run, the newest or an earlier one.
func (w *writer) finalize(id process.ID, e end) error {
	if err := w.updateProcess.flush(); err != nil {
		return err
	}
	n, err := w.finalizeNewest.exec(e.cursor, int64(id), e.run)
	if err == nil && n == 0 {
		_, err = w.finalizeArchived.exec(e.cursor, int64(id), e.run)
	}
	return err
}
