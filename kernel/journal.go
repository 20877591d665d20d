package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
	"github.com/reeverun/reeve/store"
)

// entry is one thing that happened to one process, in the journal's order.
type entry struct {
	p      *proc
	change store.Change     // what to store; may be empty
	view   *process.Process // the record from now on; nil: unchanged
	items  []*item          // what to publish, events and lines, in seq order
	log    *rawlog.Log      // where the lines of items are indexed
	create bool             // it inserts the process
	asked  bool             // nothing has happened yet: a failed commit is the caller's, not retried
	lazy   bool             // nobody waits for it: it may share the next commit
	seal   func()           // ends log once its last lines are indexed, before the commit
	exec   func() error     // runs in the journal's order instead of a commit
	done   func(error)      // after commit and publication; may be nil
}

// unborn reports whether the entry is of a run whose creation the store refused.
func (e *entry) unborn() bool { return e.p != nil && e.p.unborn.Load() }

// stores reports whether there is something to store, once it is numbered.
func (e *entry) stores() bool {
	c := &e.change
	return c.Insert != nil || c.Update != nil || c.Archive != nil || len(c.Events)+len(c.Approvals)+len(c.Messages)+len(c.Notifications)+len(c.Series) > 0
}

// lazyFor is how long an entry that nobody waits for may wait for company: a
// short run then costs one commit at its end instead of three.
const lazyFor = 10 * time.Millisecond

// Where a batch had a crowd of those who wait for it, the next one keeps a
// distance: each then shares its commit with more of the others. Where runs wait
// for a slot as well, nobody is served sooner by a commit of their own, and the
// distance is larger. What a commit takes bounds it: where one costs next to
// nothing, as in memory, company saves nothing. A lone caller never waits for
// company.
const (
	crowd      = 4
	gatherFor  = time.Millisecond
	gatherLong = 2 * time.Millisecond
	gatherMost = 4 // times as long as the last commit took
	gatherMin  = 250 * time.Microsecond
)

// journal is the one writer: it commits entries in batches and publishes them
// in order.
type journal struct {
	store  store.Store
	all    *feed
	census *census
	log    *slog.Logger
	cursor int64  // the last one given out; the writer's alone
	dead   bool   // the store failed while the kernel closed; the writer's alone
	last   outage // the writer's alone

	hurry   atomic.Bool             // the kernel closes: do not try for ever
	trouble atomic.Pointer[trouble] // nil: what is written is stored
	waiting atomic.Int64            // entries that are not finished
	most    int64                   // of them, before runs wait; set once
	backlog func() bool             // whether a crowd waits for slots

	mu     sync.Mutex
	queue  []*entry
	due    *time.Timer // set while only lazy entries are queued
	closed bool
	wake   chan struct{}
	ended  chan struct{}
}

func newJournal(st store.Store, all *feed, t *census, cursor int64, backlog func() bool, log *slog.Logger) *journal {
	j := &journal{store: st, all: all, census: t, log: log, cursor: cursor, most: maxWaiting, backlog: backlog,
		wake: make(chan struct{}, 1), ended: make(chan struct{})}
	go j.write()
	return j
}

// add queues entries in order. Entries of one process must be added under that
// process's lock, so that the queue holds them in seq order.
func (j *journal) add(entries ...*entry) {
	j.mu.Lock()
	closed := j.closed
	if !closed {
		j.waiting.Add(int64(len(entries)))
		j.queue = append(j.queue, entries...)
		if !slices.ContainsFunc(entries, func(e *entry) bool { return !e.lazy }) {
			if j.due == nil {
				j.due = time.AfterFunc(lazyFor, j.poke)
			}
			j.mu.Unlock()
			return
		}
	}
	j.mu.Unlock()
	if closed { // the kernel closes the journal last: only a caller that is late comes here
		for _, e := range entries {
			if e.done != nil {
				go e.done(process.ErrClosed) // the caller holds locks that done may want
			}
		}
		return
	}
	j.poke()
}

// poke wakes the writer.
func (j *journal) poke() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// close commits what is queued and ends the writer.
func (j *journal) close() {
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	j.poke()
	<-j.ended
}

func (j *journal) write() {
	defer close(j.ended)
	var spare []*entry
	var next time.Time // when the next batch may begin
	for range j.wake {
		if !j.hurry.Load() {
			time.Sleep(time.Until(next))
		}
		batch, closed := j.take(spare)
		begin := time.Now()
		j.commit(batch)
		end := time.Now()
		next = end.Add(j.distance(batch, end.Sub(begin)))
		clear(batch)
		spare = batch
		if closed {
			return
		}
	}
}

// take returns what is queued, and leaves a spare slice for what follows.
func (j *journal) take(spare []*entry) (batch []*entry, closed bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	batch, j.queue = j.queue, spare[:0]
	if j.due != nil {
		j.due.Stop()
		j.due = nil
	}
	return batch, j.closed
}

// distance is how long the next batch waits for company, after one that took
// so long.
func (j *journal) distance(batch []*entry, took time.Duration) time.Duration {
	n, most := 0, gatherMost*took
	for _, e := range batch {
		if e.done != nil && !e.lazy {
			n++
		}
	}
	switch {
	case n < crowd || most < gatherMin:
		return 0
	case j.backlog():
		return min(most, gatherLong)
	}
	return min(most, gatherFor)
}

// commit makes a batch durable and visible. Entries that run code of their own
// split the batch, so that order holds.
func (j *journal) commit(batch []*entry) {
	for len(batch) > 0 {
		n := 0
		for n < len(batch) && batch[n].exec == nil {
			n++
		}
		if n == 0 {
			n = 1
			j.finish(batch[0], batch[0].exec())
		} else if !j.commitAll(batch[:n], batch[n:]) {
			return
		}
		batch = batch[n:]
	}
}

// commitAll commits entries, and reports whether what follows them is still to
// be: in an outage it is waited for, too.
func (j *journal) commitAll(batch, rest []*entry) bool {
	batch = j.living(batch)
	for _, e := range batch {
		j.number(e)
	}
	began := time.Now()
	err := j.apply(batch)
	if err != nil && !unavailable(err) {
		batch, err = j.piecemeal(batch)
	}
	if err != nil {
		j.endure(batch, rest, began, err)
		return false
	}
	j.publish(batch)
	return true
}

// living sorts out the entries of runs whose creation the store has refused.
func (j *journal) living(batch []*entry) []*entry {
	if !slices.ContainsFunc(batch, (*entry).unborn) {
		return batch
	}
	var rest []*entry
	for _, e := range batch {
		if e.unborn() {
			j.finish(e, process.ErrClosed)
		} else {
			rest = append(rest, e)
		}
	}
	return rest
}

// apply stores what a batch comes to.
func (j *journal) apply(batch []*entry) error {
	changes := merge(batch)
	if len(changes) == 0 {
		return nil
	}
	return j.store.Apply(context.Background(), changes)
}

// piecemeal commits a batch that was refused as a whole, since one bad entry
// must not fail its neighbours. It returns those from the first on that the
// store may take later: they have already happened to running processes, and
// must not be lost.
func (j *journal) piecemeal(batch []*entry) ([]*entry, error) {
	for i, e := range batch {
		if e.unborn() {
			j.finish(e, process.ErrClosed)
			continue
		}
		err := j.apply(batch[i : i+1])
		switch {
		case err == nil || e.asked && !unavailable(err):
		case unavailable(err) || !permanent(e, err):
			return batch[i:], err
		default:
			j.log.Error("store refused a write for good; it is lost", "process", e.p.id, "error", err)
		}
		j.finish(e, err)
	}
	return nil, nil
}

// permanent reports whether trying again is of no use.
func permanent(e *entry, err error) bool {
	var value *json.UnsupportedValueError
	var kind *json.UnsupportedTypeError
	return errors.Is(err, process.ErrNotFound) || errors.As(err, &value) || errors.As(err, &kind) ||
		e.change.Check() != nil
}

// number gives every event its cursor and writes the index of its lines, which
// must be on file before anyone sees them: a replay after a crash then numbers
// them the same.
func (j *journal) number(e *entry) {
	var index []rawlog.Entry
	for _, it := range e.items {
		it.cursor = j.cursor + 1
		if it.live {
			continue
		}
		j.cursor += int64(it.count)
		if it.lines != nil {
			index = append(index, it.indexEntry())
			continue
		}
		for i := range it.events {
			it.events[i].Cursor = it.cursor + int64(i)
		}
		e.change.Events = append(e.change.Events, it.events...)
	}
	if len(index) > 0 {
		if err := e.log.Index(index...); err != nil {
			j.unindexed(e.p, err)
		}
	}
	if e.seal != nil {
		e.seal()
	}
}

// unindexed says once of a run that its lines cannot be indexed: they are shown
// now, and after a crash of the host, or if it stays so, as elided.
func (j *journal) unindexed(p *proc, err error) {
	if p.unindexed {
		return
	}
	p.unindexed = true
	j.log.Error("cannot index output", "process", p.id, "error", err)
	p.note(process.WarningDetected{Code: "reeve.output_unindexed",
		Message: "lines of output may be missing among the events later, their index cannot be written: " + err.Error()})
}

func (j *journal) publish(batch []*entry) {
	for _, e := range batch {
		j.finish(e, nil)
	}
}

func (j *journal) finish(e *entry, err error) {
	j.waiting.Add(-1)
	if err == nil && e.p != nil {
		if e.view != nil {
			j.see(e)
		}
		e.p.feed.publish(e.items)
		j.all.publish(e.items)
	}
	if e.done != nil {
		e.done(err)
	}
}

// see makes the record of an entry the one that is seen.
func (j *journal) see(e *entry) {
	old := e.p.view.Load()
	if e.create {
		old = nil
	}
	j.census.changed(old, e.view)
	e.p.view.Store(e.view)
}

// merge makes one change per process of a batch: the newest record and all
// events. A change that archives a run starts a new one, so that each archive
// is stored beside the update that caused it.
func merge(batch []*entry) []store.Change {
	changes := make([]store.Change, 0, len(batch))
	at := make(map[process.ID]int, len(batch))
	own := map[int]bool{} // changes whose slices are not an entry's: an entry may be tried again by itself
	for _, e := range batch {
		if !e.stores() {
			continue
		}
		c := e.change
		i, seen := at[c.ID]
		if !seen || c.Archive != nil {
			at[c.ID] = len(changes)
			changes = append(changes, c)
			continue
		}
		m := &changes[i]
		if !own[i] {
			own[i] = true
			m.Events, m.Approvals, m.Messages = slices.Clip(m.Events), slices.Clip(m.Approvals), slices.Clip(m.Messages)
			m.Notifications, m.Series = slices.Clip(m.Notifications), slices.Clip(m.Series)
		}
		m.Events = append(m.Events, c.Events...)
		m.Approvals = append(m.Approvals, c.Approvals...)
		m.Messages = append(m.Messages, c.Messages...)
		m.Notifications = append(m.Notifications, c.Notifications...)
		m.Series = append(m.Series, c.Series...)
		switch {
		case c.Update == nil:
		case m.Insert != nil:
			m.Insert = c.Update
		default:
			m.Update = c.Update
		}
	}
	return changes
}
