// Package store is the contract of Reeve's persistence: records, earlier runs,
// events, findings, approvals, transcripts and notifications. Output bytes never enter a store; they live in
// flat files (package rawlog).
//
// A store has one writer, the kernel's journal, which batches what arrives
// while the last commit was syncing: Apply is one transaction for many
// processes and returns when it is durable. Reads may come from any goroutine
// at any time and see every change whose Apply has returned.
//
// What comes out equals what went in, with three liberties: an empty list or
// map may come back nil, times come back in UTC, and structured output comes
// back as JSON values (numbers as float64). Values are copied both ways:
// nothing a caller keeps or gets is shared with the store. A closed store
// answers process.ErrClosed.
//
// The conformance suite is package storetest; every implementation runs it.
package store

import (
	"context"
	"time"

	"github.com/reeverun/reeve/process"
)

// Change is what happened to one process. Its parts are applied in the order
// of its fields.
type Change struct {
	// Insert adds a process with its Spec, secrets included.
	Insert *process.Process
	// Archive keeps a run that a newer one replaces.
	Archive *process.Run
	// Update replaces everything of an existing process but its Spec and
	// CreatedAt. LogsPruned, once recorded for a run, stays.
	Update *process.Process
	// ID names the process that the rest belongs to. It may be left out where
	// Insert or Update names it.
	ID process.ID
	// Events are numbered, in order, and never live-only or output lines.
	// Findings among them are also found by Findings.
	Events []process.Event
	// Approvals of the process are added, or replace what carries their id.
	Approvals []process.Approval
	// Messages are added to the process's transcript, numbered in order. A
	// number that is stored already keeps what it has. Their strings are
	// valid UTF-8 and their JSON is compact.
	Messages []process.Message
	// Notifications of the process are added, or replace those of their runs.
	Notifications []process.Notification
	// Series of the process are added, or replace those of their runs. Their
	// times are exact to the millisecond.
	Series []process.UsageSeries
}

// Marks are the highest numbers ever used, also by what was deleted since.
type Marks struct {
	ID       process.ID
	Cursor   int64
	Approval process.ApprovalID
}

// RunRef names a run.
type RunRef struct {
	Process process.ID
	Run     int
}

// Receiver is a host that pending notifications go to.
type Receiver struct {
	Host    string
	Pending int
	DueAt   time.Time // of the first of them
}

// Counts is how many processes there are of each sort.
type Counts struct {
	States       map[process.State]int
	ExitStates   map[process.ExitState]int // of the newest runs
	Environments map[string]int
	Paused       int // of those that are not idle
	Activity     process.Activity
}

// Store keeps processes. Unknown ids answer process.ErrNotFound.
type Store interface {
	// Apply makes all changes, in order, or none. It returns when they are
	// durable. A ref carried by another process is process.ErrRefConflict,
	// whose Field is "ref". A context that ends before the commit leaves
	// everything as it was.
	Apply(ctx context.Context, changes []Change) error

	Marks(ctx context.Context) (Marks, error)

	// Process returns one process, secrets included.
	Process(ctx context.Context, id process.ID) (*process.Process, error)
	// Processes returns at most q.Limit processes that match, newest first,
	// below q.Before. The query is normalized; with q.NoCode they may lack
	// their Code. Secrets may be
	// process.Redacted: a list is for showing, Process and Unsettled are for
	// running.
	Processes(ctx context.Context, q process.Query) ([]process.Process, error)
	// Count begins to count. The function that it returns counts what is stored
	// when Count returns, whatever happens until it is called; it is called
	// once, or ctx ends. Into the spans of a, in which nothing has happened
	// yet, go creations and ends of runs, also of earlier ones, by their times.
	Count(ctx context.Context, a process.Activity) (func() (Counts, error), error)
	// Tags returns the most used tags, at most limit, those that more processes
	// carry first.
	Tags(ctx context.Context, limit int) ([]process.TagCount, error)
	// PendingApprovals is how many approvals nobody has decided.
	PendingApprovals(ctx context.Context) (int, error)
	// FindRef returns the process that carries a ref.
	FindRef(ctx context.Context, ref string) (process.ID, error)
	// FindKey returns the process that was created last with a Key of this
	// name and still exists.
	FindKey(ctx context.Context, name string) (process.ID, error)
	// Unsettled returns what was not over when the last host ended: processes
	// that are not idle, or whose newest run is a zombie; oldest first,
	// secrets included.
	Unsettled(ctx context.Context) ([]*process.Process, error)
	// LastSeqs returns, of each process that is Unsettled and has events, the
	// seq of the last one.
	LastSeqs(ctx context.Context) (map[process.ID]int64, error)
	// Archived returns the runs before the newest one, newest first.
	// Archiving a run again replaces it.
	Archived(ctx context.Context, id process.ID) ([]process.Run, error)

	// Events returns at most limit stored events of a process after a seq.
	Events(ctx context.Context, id process.ID, after int64, limit int) ([]process.Event, error)
	// EventsBefore returns the newest limit stored events of a process below a
	// seq, in order.
	EventsBefore(ctx context.Context, id process.ID, before int64, limit int) ([]process.Event, error)
	// AllEvents returns at most limit stored events after a cursor.
	AllEvents(ctx context.Context, after int64, limit int) ([]process.Event, error)
	// RunsAfter returns the runs that are unfinished (the newest run of a
	// process that is not idle) or whose finalized event comes after a
	// cursor: those that may hold output lines after it. They are ordered by
	// process and run; it does not matter whether the event was pruned since.
	RunsAfter(ctx context.Context, cursor int64) ([]RunRef, error)
	// Findings returns findings that match, newest first; a Limit of 0
	// returns all. They stay when their events are pruned.
	Findings(ctx context.Context, q process.FindingQuery) ([]process.FoundFinding, error)

	// Approval returns one approval, parameters included. An unknown one is
	// process.ErrNotFound.
	Approval(ctx context.Context, id process.ApprovalID) (*process.Approval, error)
	// Approvals returns at most q.Limit approvals that match, newest first,
	// below q.Before. The query is normalized.
	Approvals(ctx context.Context, q process.ApprovalQuery) ([]process.Approval, error)

	// Messages returns at most limit messages of a process's transcript after a
	// number. They go with their process and not before: no retention removes
	// them.
	Messages(ctx context.Context, id process.ID, after int64, limit int) ([]process.Message, error)

	// Series returns that of a run; a run that has none has an empty one. It goes
	// with its process, and when the run's raw logs are recorded as gone.
	Series(ctx context.Context, id process.ID, run int) (process.UsageSeries, error)

	// Notification returns the one of a run; unknown ones are
	// process.ErrNotFound.
	Notification(ctx context.Context, id process.ID, run int) (*process.Notification, error)
	// Notifications returns at most limit of a process, newest first, of runs
	// below before; 0: from the newest.
	Notifications(ctx context.Context, id process.ID, before, limit int) ([]process.Notification, error)
	// Receivers returns the hosts that pending notifications go to, in any
	// order.
	Receivers(ctx context.Context) ([]Receiver, error)
	// DueNotifications returns at most limit pending ones that go to a host,
	// those due first first, also before they are.
	DueNotifications(ctx context.Context, host string, limit int) ([]process.Notification, error)
	// SaveNotifications records how far notifications are, and changes
	// nothing else of them. It returns when that is durable. Those that do not
	// exist any more are ignored.
	SaveNotifications(ctx context.Context, notifications []process.Notification) error

	// Delete removes a process and all that belongs to it, and makes its
	// children parentless.
	Delete(ctx context.Context, id process.ID) error
	// PruneEvents removes up to limit stored events older than a time of idle
	// processes without the pinned tag, and returns how many; 0 means done.
	PruneEvents(ctx context.Context, before time.Time, pinned string, limit int) (int, error)
	// PruneApprovals does so with approvals that are decided and were
	// requested before a time.
	PruneApprovals(ctx context.Context, before time.Time, pinned string, limit int) (int, error)
	// PruneNotifications does so with notifications that are not pending and
	// were made before a time.
	PruneNotifications(ctx context.Context, before time.Time, pinned string, limit int) (int, error)
	// PrunableLogs returns up to limit finished runs, completed before a
	// time and without the pinned tag, whose raw logs may still exist: not
	// recorded as pruned and not captured as process.Disabled. Those
	// completed first come first.
	PrunableLogs(ctx context.Context, before time.Time, pinned string, limit int) ([]RunRef, error)
	// LogsPruned records that the raw logs of runs are gone. Runs that do
	// not exist any more are ignored.
	LogsPruned(ctx context.Context, runs []RunRef) error

	// Close releases the store. It may be called again.
	Close() error
}

// Prober is a store that can tell whether it could be written, by writing
// something of no consequence.
type Prober interface {
	Probe(ctx context.Context) error
}
