package sqlite

import (
	"cmp"
	"database/sql/driver"
	"fmt"
	"runtime"
	"sync"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// encoder makes rows and the JSON in them. It keeps its buffer, and cuts rows
// from pieces of memory that hold many: a batch has hundreds.
type encoder struct {
	object
	piece int // how many values to make room for at once
	slab  []driver.Value
}

// row makes a row that is the caller's.
func (e *encoder) row(values ...driver.Value) []driver.Value {
	if len(values) > cap(e.slab)-len(e.slab) {
		e.slab = make([]driver.Value, 0, max(e.piece, len(values)))
	}
	n := len(e.slab)
	e.slab = append(e.slab, values...)
	return e.slab[n:len(e.slab):len(e.slab)]
}

// encodeShare is what is worth a goroutine of its own.
const encodeShare = 64

// encode makes the rows of a batch, of a large one on several cores: there is
// one writer, and whatever it does not do itself is time for the next batch.
func (s *Store) encode(changes []store.Change) ([]write, error) {
	writes := make([]write, len(changes))
	shares := min(1+len(changes)/encodeShare, runtime.GOMAXPROCS(0))
	errs := make([]error, shares)
	var others sync.WaitGroup
	for i := 1; i < shares; i++ {
		from, to := i*len(changes)/shares, (i+1)*len(changes)/shares
		others.Go(func() { errs[i] = s.encodeInto(writes[from:to], changes[from:to]) })
	}
	errs[0] = s.encodeInto(writes[:len(changes)/shares], changes[:len(changes)/shares])
	others.Wait()
	return writes, cmp.Or(errs...)
}

func (s *Store) encodeInto(writes []write, changes []store.Change) error {
	enc := &encoder{piece: min(24*len(changes), 1024)} // a new process takes 24
	for i := range changes {
		if err := s.encodeChange(enc, &changes[i], &writes[i]); err != nil {
			return err
		}
	}
	return nil
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
		if w.process, w.spec, err = s.processRow(enc, p, at); err != nil {
			return err
		}
		w.tags, w.key = p.Tags, p.Key.Name
	}
	if c.Archive != nil {
		if w.archive, err = archiveRow(enc, w.id, c.Archive); err != nil {
			return err
		}
	}
	if p := c.Update; p != nil {
		var at driver.Value
		at, ends = take(ends, p.Number)
		if w.update, err = updateRow(enc, p, at); err != nil {
			return err
		}
	}
	w.ends = ends
	if w.findings, err = findingRows(c.Events); err != nil {
		return err
	}
	if w.approvals, err = s.approvalRows(c.Approvals); err != nil {
		return err
	}
	if w.messages, err = s.messageRows(w.id, c.Messages); err != nil {
		return err
	}
	if w.notices, err = notificationRows(c.Notifications); err != nil {
		return err
	}
	w.series = seriesRows(w.id, c.Series)
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
