package tui

import (
	"context"
	"errors"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// How much of a long history is loaded: what is active, and the newest.
const (
	pageSize  = 1000
	mostPages = 10
)

// pause is the least time between two notices of changes: more of them would
// be one redraw each.
const pause = 100 * time.Millisecond

// The messages of the feed.
type (
	// pageMsg is a part of the list. The first part of a load starts it anew.
	pageMsg struct {
		first, last bool
		all         bool // with last: there are no more than were loaded
		overview    api.Overview
		records     []process.Record
		at          time.Time
	}
	// changesMsg names processes whose records have changed.
	changesMsg struct {
		ids       []process.ID
		approvals bool // one was asked for or decided
	}
	// awayMsg says that the daemon does not answer.
	awayMsg struct{ err error }
)

// feed reads the list and then what changes in it. It is one goroutine, run,
// which never waits for the screen; next is what the screen waits for.
type feed struct {
	source Source
	now    func() time.Time

	mu        sync.Mutex
	queue     []tea.Msg
	dirty     map[process.ID]bool
	approvals bool
	again     context.CancelCauseFunc // has the list loaded anew
	wake      chan struct{}           // there is something
	told      time.Time               // when changes were last passed on; next's own
}

func newFeed(source Source, now func() time.Time) *feed {
	return &feed{source: source, now: now, dirty: map[process.ID]bool{}, wake: make(chan struct{}, 1)}
}

// run reads until ctx is over. After a break it starts anew: what was missed
// meanwhile is in the records.
func (f *feed) run(ctx context.Context) {
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		reading, end := context.WithCancelCause(ctx)
		f.mu.Lock()
		f.again = end
		f.mu.Unlock()
		err := f.read(reading, func() { wait = 100 * time.Millisecond })
		again := errors.Is(context.Cause(reading), errAgain)
		end(nil)
		if ctx.Err() != nil {
			return
		}
		if again {
			continue
		}
		if err == nil {
			err = errEnded
		}
		f.push(awayMsg{err})
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}

// errEnded is what is wrong with a stream that ends by itself.
var errEnded = errors.New("the daemon ended the stream")

// errAgain is why a list is loaded anew.
var errAgain = errors.New("the list is loaded anew")

// reload has the list loaded anew, for what no event tells.
func (f *feed) reload() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.again != nil {
		f.again(errAgain)
	}
}

// read loads the list and listens, as long as the daemon answers.
func (f *feed) read(ctx context.Context, loaded func()) error {
	overview, err := f.source.Overview(ctx)
	if err != nil {
		return err
	}
	if err := f.load(ctx, overview); err != nil {
		return err
	}
	loaded()
	for ev, err := range f.source.Changes(ctx, overview.Cursor) {
		if err != nil {
			return err
		}
		if ev.Kind == process.KindLagged { // nobody knows what was missed
			f.reload()
			return errEnded
		}
		f.mark(&ev)
	}
	return nil
}

// load passes the list on page by page, so that the first is seen at once.
func (f *feed) load(ctx context.Context, o api.Overview) error {
	query := process.Query{Limit: pageSize}
	for n := range mostPages {
		page, err := f.source.List(ctx, query)
		if err != nil {
			return err
		}
		over := page.NextCursor == nil
		f.push(pageMsg{first: n == 0, last: over, all: over, overview: o, records: page.Processes, at: f.now()})
		if over {
			return nil
		}
		query.Cursor = *page.NextCursor
	}
	return f.loadActive(ctx, o)
}

// loadActive adds what is active among what is older than the list goes back.
func (f *feed) loadActive(ctx context.Context, o api.Overview) error {
	query := process.Query{States: []process.State{process.Running, process.Queued, process.Terminating}, Limit: pageSize}
	for n := range mostPages {
		page, err := f.source.List(ctx, query)
		if err != nil {
			return err
		}
		last := page.NextCursor == nil || n == mostPages-1
		f.push(pageMsg{last: last, overview: o, records: page.Processes, at: f.now()})
		if last {
			break
		}
		query.Cursor = *page.NextCursor
	}
	return nil
}
