package sqlite

import (
	"database/sql/driver"
	"fmt"
	"slices"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// checkKnown refuses changes of processes that do not exist.
func (w *writer) checkKnown(writes []write) error {
	var ids []process.ID
	for i := range writes {
		if writes[i].process == nil {
			ids = append(ids, writes[i].id)
		}
	}
	slices.Sort(ids)
	for group := range slices.Chunk(slices.Compact(ids), bulkRows) {
		if err := w.checkGroup(group); err != nil {
			return err
		}
	}
	return nil
}

// checkGroup counts the processes of a whole group. If that is not all, or for
// less than a group, it asks for each.
func (w *writer) checkGroup(ids []process.ID) error {
	if len(ids) == bulkRows {
		args := make([]driver.Value, bulkRows)
		for i, id := range ids {
			args[i] = int64(id)
		}
		row, err := w.countKnown.row(1, args...)
		if err != nil || row[0].(int64) == bulkRows {
			return err
		}
	}
	for _, id := range ids {
		row, err := w.exists.row(1, int64(id))
		if err != nil {
			return err
		}
		if row == nil {
			return notFound(id)
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
