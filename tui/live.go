package tui

import (
	"context"
	"iter"
	"math"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
)

// Live is the Source that a client of a daemon is. The client should have no
// patience: the dashboard itself tries again.
type Live struct{ *client.Client }

// withCode has lists say what processes without a label are.
const withCode = "code"

// List is a page of processes.
func (l Live) List(ctx context.Context, q process.Query) (api.List, error) {
	return l.Processes(ctx, q, withCode)
}

// Records are those of the named processes.
func (l Live) Records(ctx context.Context, ids []process.ID) ([]process.Record, error) {
	page, err := l.Processes(ctx, process.Query{IDs: ids, Limit: process.MaxLimit}, withCode)
	return page.Processes, err
}

// Record is one process.
func (l Live) Record(ctx context.Context, id process.ID) (process.Record, error) {
	return l.Process(ctx, id)
}

// Messages are those of an agent's transcript.
func (l Live) Messages(ctx context.Context, id process.ID, after int64) (all []process.Message, err error) {
	for {
		page, err := l.TranscriptPage(ctx, id, after)
		if err != nil || len(page.Messages) == 0 {
			return all, err
		}
		all, after = append(all, page.Messages...), page.Next
	}
}

// Changes are the events that mean that a record has changed.
func (l Live) Changes(ctx context.Context, after string) iter.Seq2[process.Event, error] {
	return l.AllEvents(ctx, client.EventFilter{KindFilter: Facts.filter()}, after)
}

// Past is a page of a log, backwards.
func (l Live) Past(ctx context.Context, id process.ID, kinds Kinds, before int64, limit int) ([]process.Event, int64, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	page, err := l.EventPage(ctx, id, process.EventQuery{Before: before, Limit: limit, KindFilter: kinds.filter()})
	return page.Events, page.Last, err
}

// Follow are the events after a seq.
func (l Live) Follow(ctx context.Context, id process.ID, kinds Kinds, after int64) iter.Seq2[process.Event, error] {
	return l.EventsOf(ctx, id, kinds.filter(), after)
}

// Create makes a process.
func (l Live) Create(ctx context.Context, body api.Create) (process.Record, error) {
	return l.Client.Create(ctx, body, client.CreateOptions{})
}

// filter is the selection as the API has it.
func (k Kinds) filter() process.KindFilter {
	if k == Lines {
		return process.KindFilter{Only: []process.Kind{process.KindOutputAppended, process.KindOutputElided}}
	}
	return process.KindFilter{Except: []process.Kind{process.KindOutputAppended}}
}
