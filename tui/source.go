package tui

import (
	"context"
	"iter"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
)

// Source is what the dashboard needs of a daemon. Its errors are sentences for
// people. Its streams end with an error when the connection breaks: the dashboard
// shows that and connects again by itself.
type Source interface {
	// Overview counts all processes; its cursor was taken before.
	Overview(ctx context.Context) (api.Overview, error)
	// List is a page of processes, newest first.
	List(ctx context.Context, q process.Query) (api.List, error)
	// Records are those of the named processes that exist, at most 1000.
	Records(ctx context.Context, ids []process.ID) ([]process.Record, error)
	// Record is one process with everything it has.
	Record(ctx context.Context, id process.ID) (process.Record, error)
	Runs(ctx context.Context, id process.ID) ([]process.RunRecord, error)
	// Usage is what a run used as time went by; 0: the newest.
	Usage(ctx context.Context, id process.ID, run int) (process.UsageSeries, error)
	// Messages are an agent's, after one of them.
	Messages(ctx context.Context, id process.ID, after int64) ([]process.Message, error)
	// Changes are the events of all processes after a cursor that mean that a
	// record has changed.
	Changes(ctx context.Context, after string) iter.Seq2[process.Event, error]
	// Past is the newest events below a seq (0: of all), ascending, and the
	// newest seq there is.
	Past(ctx context.Context, id process.ID, kinds Kinds, before int64, limit int) ([]process.Event, int64, error)
	// Follow are the events after a seq. It ends when the process is idle.
	Follow(ctx context.Context, id process.ID, kinds Kinds, after int64) iter.Seq2[process.Event, error]

	Create(ctx context.Context, body api.Create) (process.Record, error)
	Start(ctx context.Context, id process.ID, body api.Run) (process.Record, error)
	Signal(ctx context.Context, id process.ID, sig process.Signal, body api.Signal) (api.Signaled, error)
	End(ctx context.Context, ids []process.ID, body api.Kill, refused func(error)) (client.Ended, error)
	Delete(ctx context.Context, id process.ID) (process.Record, error)
	Approvals(ctx context.Context, q process.ApprovalQuery) (api.Approvals, error)
	Approve(ctx context.Context, id process.ApprovalID, body api.Decision) (process.Approval, error)
	Deny(ctx context.Context, id process.ApprovalID, body api.Decision) (process.Approval, error)
}

// Kinds selects events: the lines of a program, or everything else.
type Kinds int

// The selections.
const (
	Lines Kinds = iota
	Facts
)
