package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// Apply implements [store.Store]. All changes are checked before the first is
// made, so there is nothing to undo.
func (s *Store) Apply(ctx context.Context, changes []store.Change) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	if err := s.check(changes); err != nil {
		return err
	}
	for i := range changes {
		s.apply(&changes[i])
	}
	return nil
}

// check says why a batch cannot be applied, taking into account what its
// earlier changes would add.
func (s *Store) check(changes []store.Change) error {
	var ids map[process.ID]bool
	var refs map[string]bool
	for i := range changes {
		c := &changes[i]
		if err := c.Check(); err != nil {
			return fmt.Errorf("apply: %w", err)
		}
		id := c.Target()
		if c.Insert == nil {
			if s.byID[id] == nil && !ids[id] {
				return fmt.Errorf("apply: %w", process.Errorf(process.CodeNotFound, "no such process: %d", id))
			}
			continue
		}
		if s.byID[id] != nil || ids[id] {
			return fmt.Errorf("apply: process %d exists already", id)
		}
		ref := c.Insert.Ref
		if ref != "" && (s.byRef[ref] != nil || refs[ref]) {
			return refConflict(ref)
		}
		if i+1 < len(changes) {
			ids, refs = put(ids, id), put(refs, ref)
		}
	}
	return nil
}

func put[K comparable](m map[K]bool, k K) map[K]bool {
	if m == nil {
		m = map[K]bool{}
	}
	m[k] = true
	return m
}

func refConflict(ref string) error {
	return &process.Error{Code: process.CodeRefConflict, Field: "ref",
		Message: fmt.Sprintf("another process carries the ref %q", ref)}
}

func (s *Store) apply(c *store.Change) {
	if c.Insert != nil {
		s.insert(c.Insert)
	}
	e := s.byID[c.Target()]
	if c.Archive != nil {
		e.archive(c.Archive)
	}
	if c.Update != nil {
		e.update(c.Update)
	}
	if len(c.Events) > 0 {
		s.append(e, c.Events)
	}
	for i := range c.Approvals {
		s.putApproval(&c.Approvals[i])
	}
	e.remember(c.Messages)
	s.notify(e, c.Notifications)
	e.keepSeries(c.Series)
}

func (s *Store) insert(p *process.Process) {
	e := &entry{p: cloneProcess(p)}
	s.byID[p.ID] = e
	s.order = place(s.order, e)
	if p.Ref != "" {
		s.byRef[e.p.Ref] = e
	}
	if p.Key.Name != "" {
		s.byKey[e.p.Key.Name] = e
	}
	if p.Parent != 0 {
		s.children[p.Parent] = place(s.children[p.Parent], e)
	}
	s.marks.ID = max(s.marks.ID, p.ID)
}

// archive keeps a run, with what is known of it besides.
func (e *entry) archive(r *process.Run) {
	a := archivedRun{run: cloneRun(r)}
	if r.Number == e.p.Number {
		a.finalized = e.finalized
		a.run.LogsPruned = r.LogsPruned || e.p.LogsPruned
	}
	i, ok := e.archivedAt(r.Number)
	if !ok {
		e.archived = slices.Insert(e.archived, i, a)
		return
	}
	a.finalized = max(a.finalized, e.archived[i].finalized)
	a.run.LogsPruned = a.run.LogsPruned || e.archived[i].run.LogsPruned
	e.archived[i] = a
}

func (e *entry) archivedAt(run int) (int, bool) {
	return slices.BinarySearchFunc(e.archived, run,
		func(a archivedRun, n int) int { return cmp.Compare(a.run.Number, n) })
}

// update replaces all but the spec and the time of creation.
func (e *entry) update(p *process.Process) {
	pruned := e.p.LogsPruned
	if p.Number != e.p.Number {
		e.finalized, pruned = 0, false
	}
	e.p.State, e.p.Claimed, e.p.Ahead = p.State, p.Claimed, p.Ahead
	e.p.Paused, e.p.PausedAt = p.Paused, p.PausedAt
	e.p.LastSeq = p.LastSeq
	e.p.Run = cloneRun(&p.Run)
	e.p.LogsPruned = pruned || p.LogsPruned
}

// append stores the events of one process and what they tell about its runs.
func (s *Store) append(e *entry, events []process.Event) {
	kept := make([]process.Event, len(events))
	for i := range events {
		kept[i] = cloneEvent(&events[i])
		ev := &kept[i]
		e.events = append(e.events, ev)
		s.log.add(ev)
		s.marks.Cursor = max(s.marks.Cursor, ev.Cursor)
		switch d := ev.Data.(type) {
		case process.Finalized:
			e.setFinalized(ev.Run, ev.Cursor)
		case process.FindingEmitted:
			s.keepFinding(ev, d.Finding)
		}
	}
}

func (e *entry) setFinalized(run int, cursor int64) {
	if run == e.p.Number {
		e.finalized = cursor
		return
	}
	if i, ok := e.archivedAt(run); ok {
		e.archived[i].finalized = cursor
	}
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, id process.ID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	e, err := s.find(id)
	if err != nil {
		return err
	}
	delete(s.byID, id)
	s.order = displace(s.order, id)
	if e.p.Ref != "" {
		delete(s.byRef, e.p.Ref)
	}
	if s.byKey[e.p.Key.Name] == e {
		delete(s.byKey, e.p.Key.Name)
	}
	s.orphan(e)
	for _, ev := range e.events {
		s.log.drop(ev.Cursor)
	}
	s.findings = slices.DeleteFunc(s.findings, func(f found) bool { return f.Process == id })
	s.approvals = slices.DeleteFunc(s.approvals, func(a *process.Approval) bool { return a.Process == id })
	for _, n := range e.notifications {
		s.undue(n)
	}
	return nil
}

// orphan takes a process out of the tree.
func (s *Store) orphan(e *entry) {
	for _, child := range s.children[e.p.ID] {
		child.p.Parent = 0
	}
	delete(s.children, e.p.ID)
	if e.p.Parent == 0 {
		return
	}
	siblings := displace(s.children[e.p.Parent], e.p.ID)
	if len(siblings) == 0 {
		delete(s.children, e.p.Parent)
		return
	}
	s.children[e.p.Parent] = siblings
}
