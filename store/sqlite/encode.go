package sqlite

import (
	"database/sql/driver"
	"fmt"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// encode makes the rows of a batch.
func (s *Store) encode(changes []store.Change) ([]write, error) {
	writes := make([]write, len(changes))
	enc := newEncoder()
	for i := range changes {
		if err := s.encodeChange(enc, &changes[i], &writes[i]); err != nil {
			return nil, err
		}
	}
	return writes, nil
}

func (s *Store) encodeChange(enc *encoder, c *store.Change, w *write) error {
	if err := c.Check(); err != nil {
		return err
	}
	w.id = c.Target()
	if err := s.encodeRows(enc, c, w); err != nil {
		return fmt.Errorf("encode process %d: %w", w.id, err)
	}
	return nil
}

func (s *Store) encodeRows(enc *encoder, c *store.Change, w *write) (err error) {
	ends := finalizedIn(c.Events)
	if p := c.Insert; p != nil {
		var at driver.Value
		if c.Update == nil && c.Archive == nil { // else the run may be another by then
			at, ends = take(ends, p.Number)
		}
		if w.process, w.spec, err = s.processRow(p, at); err != nil {
			return err
		}
		w.tags = p.Tags
	}
	if c.Archive != nil {
		if w.archive, err = archiveRow(w.id, c.Archive); err != nil {
			return err
		}
	}
	if p := c.Update; p != nil {
		var at driver.Value
		at, ends = take(ends, p.Number)
		if w.update, err = updateRow(p, at); err != nil {
			return err
		}
	}
	w.ends = ends
	if w.findings, err = findingRows(c.Events); err != nil {
		return err
	}
	w.chunks, err = enc.chunks(c.Events)
	return err
}

// finalizedIn returns the ends of runs that events tell. There is rarely more
// than one.
func finalizedIn(events []process.Event) (ends []end) {
	for i := range events {
		if events[i].Kind == process.KindFinalized {
			ends = append(ends, end{int64(events[i].Run), events[i].Cursor})
		}
	}
	return ends
}

// take removes the end of a run from a list, and returns its cursor or NULL.
func take(ends []end, run int) (driver.Value, []end) {
	for i, e := range ends {
		if e.run == int64(run) {
			return e.cursor, append(ends[:i:i], ends[i+1:]...)
		}
	}
	return nil, ends
}
