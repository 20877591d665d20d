package tui

import (
	"context"
	"errors"
	"iter"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
)

// Overview counts all processes.
type Overview struct {
	Cursor string
	Total  int
}

// Live is the Source that a client is.
type Live struct{ *client.Client }

// Overview counts all processes.
func (l Live) Overview(ctx context.Context) (Overview, error) {
	page, err := l.AllEventsPage(ctx, client.EventFilter{}, "")
	return Overview{Cursor: page.Next}, err
}

// List is a page of processes.
func (l Live) List(ctx context.Context, q process.Query) (api.List, error) {
	return l.Processes(ctx, q)
}

// Search is nothing yet.
func (l Live) Search(ctx context.Context, text string) (api.List, error) { return api.List{}, nil }

// Records are those of the named processes.
func (l Live) Records(ctx context.Context, ids []process.ID) ([]process.Record, error) {
	var all []process.Record
	for _, id := range ids {
		rec, err := l.Process(ctx, id)
		if errors.Is(err, process.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return all, nil
}

// Record is one process.
func (l Live) Record(ctx context.Context, id process.ID) (process.Record, error) {
	return l.Process(ctx, id)
}

// Changes are the events that mean that a record has changed.
func (l Live) Changes(ctx context.Context, after string) iter.Seq2[process.Event, error] {
	return l.AllEvents(ctx, client.EventFilter{}, after)
}

// Past is nothing yet.
func (l Live) Past(context.Context, process.ID, Kinds, int64, int) ([]process.Event, int64, error) {
	return nil, 0, nil
}

// Follow are the events after a seq.
func (l Live) Follow(ctx context.Context, id process.ID, kinds Kinds, after int64) iter.Seq2[process.Event, error] {
	return func(yield func(process.Event, error) bool) {
		for ev, err := range l.Events(ctx, id, after) {
			isLine := ev.Kind == process.KindOutputAppended || ev.Kind == process.KindOutputElided
			if err == nil && isLine != (kinds == Lines) {
				continue
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}

// Create makes a process.
func (l Live) Create(ctx context.Context, body api.Create) (process.Record, error) {
	return l.Client.Create(ctx, body, client.CreateOptions{})
}
