package sqlite

import (
	"context"
	"database/sql"
)

// writeStmts are the statements of the writing connection; their texts stand
// beside what uses them.
type writeStmts struct {
	begin, commit, rollback        *stmt
	saveMarks, loadMarks           *stmt
	earliestCreated, earliestEvent *stmt
	exists, countKnown, findRef    *stmt
	saveKey, deleteKey             *stmt

	insertProcess, insertSpec, insertTag, updateProcess, insertEvents *bulk

	archiveRun, insertFinding        *stmt
	finalizeNewest, finalizeArchived *stmt

	orphan, deleteTags, deleteSpec, deleteProcess *stmt
	deleteRuns, deleteEvents, deleteFindings      *stmt

	logsPrunedNewest, logsPrunedArchived       *stmt
	lastEvent, eventTime, oldChunks, dropChunk *stmt

	putApproval, pruneApprovals, deleteApprovals *stmt
	insertMessage, deleteMessages                *stmt

	putSeries, dropSeries, deleteSeries *stmt

	putNotification, saveNotification, pruneNotifications, deleteNotifications *stmt
}

func (s *writeStmts) prepare(w *writer) error {
	for _, st := range []struct {
		to  **stmt
		sql string
	}{
		{&s.begin, "BEGIN IMMEDIATE"}, {&s.commit, "COMMIT"}, {&s.rollback, "ROLLBACK"},
		{&s.saveMarks, sqlSaveMarks}, {&s.loadMarks, sqlLoadMarks},
		{&s.earliestCreated, sqlEarliestCreated}, {&s.earliestEvent, sqlEarliestEvent},
		{&s.exists, sqlExists}, {&s.countKnown, sqlCountKnown + params(bulkRows)}, {&s.findRef, sqlFindRef},
		{&s.saveKey, sqlSaveKey}, {&s.deleteKey, sqlDeleteKey},
		{&s.archiveRun, sqlArchiveRun}, {&s.insertFinding, sqlInsertFinding},
		{&s.finalizeNewest, sqlFinalizeNewest}, {&s.finalizeArchived, sqlFinalizeArchived},
		{&s.orphan, sqlOrphan}, {&s.deleteTags, sqlDeleteTags}, {&s.deleteSpec, sqlDeleteSpec},
		{&s.deleteProcess, sqlDeleteProcess}, {&s.deleteRuns, sqlDeleteRuns},
		{&s.deleteEvents, sqlDeleteEvents}, {&s.deleteFindings, sqlDeleteFindings},
		{&s.logsPrunedNewest, sqlLogsPrunedNewest}, {&s.logsPrunedArchived, sqlLogsPrunedArchived},
		{&s.lastEvent, sqlLastEvent}, {&s.eventTime, sqlEventTime},
		{&s.oldChunks, sqlOldChunks}, {&s.dropChunk, sqlDropChunk},
		{&s.putApproval, sqlPutApproval}, {&s.pruneApprovals, sqlPruneApprovals}, {&s.deleteApprovals, sqlDeleteApprovals},
		{&s.insertMessage, sqlInsertMessage}, {&s.deleteMessages, sqlDeleteMessages},
		{&s.putSeries, sqlPutSeries}, {&s.dropSeries, sqlDropSeries}, {&s.deleteSeries, sqlDeleteSeries},
		{&s.putNotification, sqlPutNotification}, {&s.saveNotification, sqlSaveNotification},
		{&s.pruneNotifications, sqlPruneNotifications}, {&s.deleteNotifications, sqlDeleteNotifications},
	} {
		p, err := w.prepare(st.sql)
		if err != nil {
			return err
		}
		*st.to = p
		w.all = append(w.all, p)
	}
	for _, b := range []struct {
		to              **bulk
		into, row, rest string
		columns         int
	}{
		{&s.insertProcess, sqlInsertProcess, params(processColumns), "", processColumns},
		{&s.insertSpec, sqlInsertSpec, params(specColumns), "", specColumns},
		{&s.insertTag, sqlInsertTag, params(tagColumns), "", tagColumns},
		{&s.updateProcess, sqlUpdateProcess, sqlUpdateRow, sqlUpdateSet, updateColumns},
		{&s.insertEvents, sqlInsertEvents, params(chunkColumns), "", chunkColumns},
	} {
		p, err := w.prepareBulk(b.into, b.row, b.rest, b.columns)
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
	process, findRef, findKey, exists, archived, events, eventsBefore, allEvents *sql.Stmt
}

func (s *readStmts) prepare(ctx context.Context, db *sql.DB) error {
	for _, st := range []struct {
		to  **sql.Stmt
		sql string
	}{
		{&s.process, sqlProcess}, {&s.findRef, sqlFindRef}, {&s.findKey, sqlFindKey}, {&s.exists, sqlExists},
		{&s.archived, sqlArchived}, {&s.events, sqlEvents}, {&s.eventsBefore, sqlEventsBefore}, {&s.allEvents, sqlAllEvents},
	} {
		p, err := db.PrepareContext(ctx, st.sql)
		if err != nil {
			return err
		}
		*st.to = p
	}
	return nil
}
