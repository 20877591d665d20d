package sqlite

import (
	"context"

	"github.com/reeverun/reeve/process"
)

const (
	sqlOrphan = `UPDATE processes SET parent = NULL WHERE parent = ?`

	// Tags are found by tag, so the spec says which there are.
	sqlDeleteTags = `DELETE FROM tags WHERE process = ?1 AND tag IN
		(SELECT value FROM specs, json_each(specs.spec, '$.tags') WHERE specs.process = ?1)`

	sqlDeleteKey = `DELETE FROM keys WHERE process = ?1 AND name IN
		(SELECT json_extract(spec, '$.key') FROM specs WHERE process = ?1)`

	sqlDeleteSpec     = `DELETE FROM specs WHERE process = ?`
	sqlDeleteRuns     = `DELETE FROM runs WHERE process = ?`
	sqlDeleteEvents   = `DELETE FROM events WHERE process = ?`
	sqlDeleteFindings = `DELETE FROM findings WHERE process = ?`
	sqlDeleteProcess  = `DELETE FROM processes WHERE id = ?`
)

// Delete implements [store.Store]. It is the one place where rows of processes
// go; a table that names a process has its statement here.
func (s *Store) Delete(ctx context.Context, id process.ID) error {
	if err := s.lock(); err != nil {
		return err
	}
	defer s.mu.Unlock()
	w := s.w
	return s.fail("delete process", w.transaction(ctx, func() error {
		for _, st := range []*stmt{w.orphan, w.deleteTags, w.deleteKey, w.deleteSpec, w.deleteRuns, w.deleteEvents, w.deleteFindings, w.deleteApprovals, w.deleteMessages, w.deleteNotifications, w.deleteSeries} {
			if _, err := st.exec(int64(id)); err != nil {
				return err
			}
		}
		n, err := w.deleteProcess.exec(int64(id))
		if err == nil && n == 0 {
			return notFound(id)
		}
		return err
	}))
}
