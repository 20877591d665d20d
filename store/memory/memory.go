// Package memory is a store without a file: what it holds is gone with it. It
// is what an embedded runtime uses when it is given no data directory, and
// the reference the other stores are compared with.
//
// Everything lies under one lock and is kept in the order it is asked for:
// processes and approvals by id, events and findings by cursor. A page of the newest
// processes costs its length, a filter that few match a walk; nothing is ever
// sorted for a read. Values are copied on the way in and on the way out.
package memory

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

var _ store.Store = (*Store)(nil)

// Store keeps processes in memory. Its methods are safe for concurrent use.
type Store struct {
	mu        sync.RWMutex // guards everything below
	closed    bool
	marks     store.Marks
	byID      map[process.ID]*entry
	byRef     map[string]*entry
	byKey     map[string]*entry
	children  map[process.ID][]*entry // by id, of parents that have any
	order     []*entry                // by id
	log       eventLog
	findings  []found                            // by cursor
	approvals []*process.Approval                // by id
	due       map[string][]*process.Notification // pending ones, by host, those due first first; nil: none yet
}

// entry is a process with all that belongs to it.
type entry struct {
	p         process.Process // never handed out, only copies
	finalized int64           // cursor of the newest run's finalized event; 0: none yet
	archived  []archivedRun   // by number
	events    []*process.Event
	messages  []process.Message // by number

	notifications []*process.Notification     // by run
	series        map[int]process.UsageSeries // by run; nil: none
}

type archivedRun struct {
	run       process.Run
	finalized int64
}

// New makes an empty store.
func New() *Store {
	return &Store{
		byID:     map[process.ID]*entry{},
		byRef:    map[string]*entry{},
		byKey:    map[string]*entry{},
		children: map[process.ID][]*entry{},
	}
}

// Close drops everything.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.byID, s.byRef, s.byKey, s.children = nil, nil, nil, nil
	s.order, s.findings, s.log, s.approvals, s.due = nil, nil, eventLog{}, nil, nil
	return nil
}

// usable reports whether a call may go on; the lock is held.
func (s *Store) usable(ctx context.Context) error {
	if s.closed {
		return process.ErrClosed
	}
	return ctx.Err()
}

func (s *Store) find(id process.ID) (*entry, error) {
	if e, ok := s.byID[id]; ok {
		return e, nil
	}
	return nil, process.Errorf(process.CodeNotFound, "no such process: %d", id)
}

// Marks implements [store.Store].
func (s *Store) Marks(ctx context.Context) (store.Marks, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.marks, s.usable(ctx)
}

// place puts an entry into a list ordered by id. Ids come almost in order.
func place(list []*entry, e *entry) []*entry {
	if n := len(list); n == 0 || list[n-1].p.ID < e.p.ID {
		return append(list, e)
	}
	i, _ := position(list, e.p.ID)
	return slices.Insert(list, i, e)
}

// displace takes an entry out of a list ordered by id.
func displace(list []*entry, id process.ID) []*entry {
	if i, ok := position(list, id); ok {
		return slices.Delete(list, i, i+1)
	}
	return list
}

func position(list []*entry, id process.ID) (int, bool) {
	return slices.BinarySearchFunc(list, id, func(e *entry, id process.ID) int { return cmp.Compare(e.p.ID, id) })
}
