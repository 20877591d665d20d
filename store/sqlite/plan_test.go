package sqlite

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/process"
)

// plan returns how SQLite means to answer a query, one step a line.
func plan(t *testing.T, s *Store, query string, args ...any) string {
	t.Helper()
	steps, err := collect(t.Context(), s.db, func(row scanner) (string, error) {
		var id, parent, unused int
		var detail string
		err := row.Scan(&id, &parent, &unused, &detail)
		return detail, err
	}, "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(steps, "\n")
}

// Every list walks along the index meant for it and sorts nothing on the way.
func TestListPlans(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "reeve.db"))
	failed, now := process.ExitFailed, time.Now()
	for name, tt := range map[string]struct {
		q    process.Query
		want string
	}{
		"newest":      {process.Query{}, "SCAN p\n"},
		"page":        {process.Query{Cursor: "77"}, "SEARCH p USING INTEGER PRIMARY KEY (rowid<?)"},
		"time":        {process.Query{Since: now, Until: now}, "SEARCH p USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"},
		"ref":         {process.Query{Ref: "r", Tag: "t", Parent: 3}, "INDEX processes_by_ref (ref=?"},
		"parent":      {process.Query{Parent: 3, Tag: "t", Cursor: "9"}, "INDEX processes_by_parent (parent=? AND rowid<?)"},
		"environment": {process.Query{Environment: "x", Cursor: "9"}, "INDEX processes_by_environment (environment=? AND rowid<?)"},
		"tag":         {process.Query{Tag: "t", State: process.Idle, Cursor: "9"}, "SEARCH t USING PRIMARY KEY (tag=? AND process<?)"},
		"state":       {process.Query{State: process.Running, Cursor: "9"}, "INDEX processes_by_state (state=? AND exit_state=? AND rowid<?)"},
		"status":      {process.Query{Status: &failed}, "INDEX processes_by_state (state=? AND exit_state=?)"},
		"states": {process.Query{States: []process.State{process.Running, process.Queued}, Cursor: "9"},
			"INDEX processes_by_state (state=? AND exit_state=? AND rowid<?)"},
		"ids": {process.Query{IDs: []process.ID{3, 7}, Tag: "t", State: process.Idle},
			"SEARCH p USING INTEGER PRIMARY KEY (rowid=?)"},
		"text":        {process.Query{Text: "make build", Cursor: "9"}, "SEARCH p USING INTEGER PRIMARY KEY (rowid<?)"},
		"text of tag": {process.Query{Text: "x", Tag: "t"}, "SEARCH t USING PRIMARY KEY (tag=?)"},
		"both":        {process.Query{Status: &failed, State: process.Running, Environment: "x"}, "INDEX processes_by_state (state=? AND exit_state=?)"},
	} {
		t.Run(name, func(t *testing.T) {
			tt.q.Limit = 50
			l, err := newLister(tt.q)
			if err != nil {
				t.Fatal(err)
			}
			tx, err := s.db.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if !tt.q.Since.IsZero() {
				err = l.bound(t.Context(), tx)
			}
			tx.Rollback()
			if err != nil {
				t.Fatal(err)
			}
			query, args := l.query()
			got := plan(t, s, query, args...) + "\n"
			if !strings.Contains(got, tt.want) {
				t.Errorf("want %q in\n%s", tt.want, got)
			}
			// Merging walks keeps a page; nothing else may sort.
			if strings.Contains(got, "TEMP B-TREE") && !l.byState() {
				t.Errorf("it sorts:\n%s", got)
			}
		})
	}
}

// The other reads have an index each.
func TestReadPlans(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "reeve.db"))
	for name, tt := range map[string]struct {
		query string
		args  []any
	}{
		"events":               {sqlEvents, []any{1, 1}},
		"count paused":         {sqlCountPaused, nil},
		"pending approvals":    {sqlPendingApprovals, nil},
		"events before":        {sqlEventsBefore, []any{1, 1}},
		"all events":           {sqlAllEvents, []any{1, 1}},
		"runs after":           {sqlRunsAfter, []any{1}},
		"unsettled":            {sqlUnsettled, nil},
		"prunable logs":        {sqlPrunableLogs, []any{1, "pin", 1}},
		"old chunks":           {sqlOldChunks, []any{1, 2, 3, "pin", 1}},
		"event time":           {sqlEventTime, []any{1}},
		"delete tags":          {sqlDeleteTags, []any{1}},
		"orphan":               {sqlOrphan, []any{1}},
		"approvals by state":   {sqlApprovalsByState, []any{0, 9, 1}},
		"approvals by process": {sqlApprovalsByProcess, []any{1, 9, -1, 1}},
		"delete approvals":     {sqlDeleteApprovals, []any{1}},
		"messages":             {sqlMessages, []any{1, 1, 1}},
		"delete messages":      {sqlDeleteMessages, []any{1}},
		"notification":         {sqlNotification, []any{1, 1}},
		"notifications":        {sqlNotifications, []any{1, 9, 1}},
		"due notifications":    {sqlDueNotifications, []any{"h", 1}},
		"delete notifications": {sqlDeleteNotifications, []any{1}},
		"prune notifications":  {sqlPruneNotifications, []any{1, "pin", 1}},
		"save notification":    {sqlSaveNotification, []any{1, 1, "", 1, 1}},
		"series":               {sqlSeries, []any{1, 1}},
		"drop series":          {sqlDropSeries, []any{1, 1}},
		"delete series":        {sqlDeleteSeries, []any{1}},
		"delete events":        {sqlDeleteEvents, []any{1}},
	} {
		got := plan(t, s, tt.query, tt.args...)
		for line := range strings.Lines(got) {
			if strings.HasPrefix(line, "SCAN") && !strings.Contains(line, "json_each") {
				t.Errorf("%s reads a whole table:\n%s", name, got)
				break
			}
		}
		if strings.Contains(got, "TEMP B-TREE") {
			t.Errorf("%s sorts:\n%s", name, got)
		}
	}
}

// What counts all reads an index and no row; what counts the last hour begins
// there.
func TestCountPlans(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "reeve.db"))
	span := []any{1, 1, 1, 1}
	for _, tt := range []struct {
		query string
		args  []any
		want  []string
	}{
		{sqlCountStates, nil, []string{"USING COVERING INDEX processes_by_state"}},
		{sqlCountEnvironments, nil, []string{"USING COVERING INDEX processes_by_environment"}},
		{sqlCountCreated, span, []string{"SEARCH processes USING INTEGER PRIMARY KEY (rowid>?)"}},
		{sqlCountEnded, span, []string{"INDEX processes_by_finalized (finalized>?)", "INDEX runs_by_finalized (finalized>?)"}},
	} {
		got := plan(t, s, tt.query, tt.args...)
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s\nwant %q in\n%s", tt.query, want, got)
			}
		}
	}
}
