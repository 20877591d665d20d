package sqlite

import (
	"context"
	"database/sql"
)

// writeStmts are the statements of the writing connection; their texts stand
// beside what uses them.
type writeStmts struct {
	begin, commit, rollback *stmt
	saveMarks, loadMarks    *stmt
	exists, findRef         *stmt

	insertProcess, insertSpec, insertTag, insertEvents *bulk

	updateProcess, archiveRun, insertFinding *stmt
	finalizeNewest, finalizeArchived         *stmt

	orphan, deleteTags, deleteSpec, deleteProcess *stmt
	deleteRuns, deleteEvents, deleteFindings      *stmt

	logsPrunedNewest, logsPrunedArchived       *stmt
	lastEvent, eventTime, oldChunks, dropChunk *stmt
}

func (s *writeStmts) prepare(w *writer) error {
	for _, st := range []struct {
		to  **stmt
		sql string
	}{
		{&s.begin, "BEGIN IMMEDIATE"}, {&s.commit, "COMMIT"}, {&s.rollback, "ROLLBACK"},
		{&s.saveMarks, sqlSaveMarks}, {&s.loadMarks, sqlLoadMarks},
		{&s.exists, sqlExists}, {&s.findRef, sqlFindRef},
		{&s.updateProcess, sqlUpdateProcess}, {&s.archiveRun, sqlArchiveRun}, {&s.insertFinding, sqlInsertFinding},
		{&s.finalizeNewest, sqlFinalizeNewest}, {&s.finalizeArchived, sqlFinalizeArchived},
		{&s.orphan, sqlOrphan}, {&s.deleteTags, sqlDeleteTags}, {&s.deleteSpec, sqlDeleteSpec},
		{&s.deleteProcess, sqlDeleteProcess}, {&s.deleteRuns, sqlDeleteRuns},
		{&s.deleteEvents, sqlDeleteEvents}, {&s.deleteFindings, sqlDeleteFindings},
		{&s.logsPrunedNewest, sqlLogsPrunedNewest}, {&s.logsPrunedArchived, sqlLogsPrunedArchived},
		{&s.lastEvent, sqlLastEvent}, {&s.eventTime, sqlEventTime},
		{&s.oldChunks, sqlOldChunks}, {&s.dropChunk, sqlDropChunk},
	} {
		p, err := w.prepare(st.sql)
		if err != nil {
			return err
		}
		*st.to = p
		w.all = append(w.all, p)
	}
	for _, b := range []struct {
		to      **bulk
		sql     string
		columns int
	}{
		{&s.insertProcess, sqlInsertProcess, processColumns},
		{&s.insertSpec, sqlInsertSpec, specColumns},
		{&s.insertTag, sqlInsertTag, tagColumns},
		{&s.insertEvents, sqlInsertEvents, chunkColumns},
	} {
		p, err := w.prepareBulk(b.sql, b.columns)
		if err != nil {
			return err
		}
		*b.to = p
	}
	return nil
}

// readStmts are the statements of the reading connections that are worth
// keeping; lists are put together as they come.
type readStmts struct {
	process, findRef, exists, archived, events, allEvents *sql.Stmt
}

func (s *readStmts) prepare(ctx context.Context, db *sql.DB) error {
	for _, st := range []struct {
		to  **sql.Stmt
		sql string
	}{
		{&s.process, sqlProcess}, {&s.findRef, sqlFindRef}, {&s.exists, sqlExists},
		{&s.archived, sqlArchived}, {&s.events, sqlEvents}, {&s.allEvents, sqlAllEvents},
	} {
		p, err := db.PrepareContext(ctx, st.sql)
		if err != nil {
			return err
		}
		*st.to = p
	}
	return nil
}
