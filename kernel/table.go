package kernel

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/reeverun/reeve/process"
)

// table holds the runs that are not over: queued, running, and zombies kept
// for their parents. Its lock also guards the tree (proc.parent, children).
type table struct {
	mu     sync.Mutex
	procs  map[process.ID]*proc
	order  order                 // of procs
	held   map[process.ID]bool   // idle processes being deleted or re-run
	births map[process.ID]*birth // who wait for a process's next run
}

// birth is awaited by n, and closed when a run enters the table or the process
// is deleted.
type birth struct {
	come chan struct{}
	n    int
}

// awaitBirth returns a channel that is closed when a run of a process enters,
// or the process is deleted; forget must be called when it is no longer wanted.
func (t *table) awaitBirth(id process.ID) (come <-chan struct{}, forget func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.births[id]
	if b == nil {
		b = &birth{come: make(chan struct{})}
		t.births[id] = b
	}
	b.n++
	return b.come, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if b.n--; b.n == 0 && t.births[id] == b {
			delete(t.births, id)
		}
	}
}

// announce wakes who wait for a process's next run; t.mu is held.
func (t *table) announce(id process.ID) {
	if b := t.births[id]; b != nil {
		delete(t.births, id)
		close(b.come)
	}
}

// deleted wakes who wait for a run that will not come.
func (t *table) deleted(id process.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.announce(id)
}

func newTable() *table {
	return &table{procs: map[process.ID]*proc{}, held: map[process.ID]bool{}, births: map[process.ID]*birth{}}
}

func (t *table) get(id process.ID) *proc {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.procs[id]
}

// add enters a run, below its parent if that one is in the table and not over.
// It returns that parent, or nil; whether it executes; and whether it is being
// killed with all that is below it.
func (t *table) add(p *proc) (parent *proc, alive, doomed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.procs[p.id] = p
	t.order.add(p)
	t.announce(p.id)
	parent = t.procs[p.rec.Parent]
	if parent == p {
		parent = nil
	}
	p.join(parent)
	if parent == nil {
		return nil, false, false
	}
	p.ancestors = append(slices.Clone(parent.ancestors), parent.id)
	parent.mu.Lock()
	over := parent.resolved || parent.rec.Lifecycle >= process.LifecycleZombie
	alive, doomed = parent.cancel != nil, parent.killTree
	parent.mu.Unlock()
	if over {
		return nil, false, doomed
	}
	if parent.children == nil {
		parent.children = map[process.ID]*proc{}
	}
	parent.children[p.id] = p
	p.parent = parent
	return parent, alive, doomed
}

// join counts the run in its parent's tree, or in one of its own; it may have
// been counted before it entered.
func (p *proc) join(parent *proc) {
	switch {
	case p.tree != nil:
		return
	case parent != nil:
		p.tree = parent.tree
	default:
		p.tree = &atomic.Int64{}
	}
	p.tree.Add(1)
}

// remove takes a run out.
func (t *table) remove(p *proc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.procs[p.id] == p {
		delete(t.procs, p.id)
		t.order.remove(p)
		p.tree.Add(-1)
	}
	if p.parent != nil {
		delete(p.parent.children, p.id)
		p.parent = nil
	}
}

// orphan takes all children from p and gives them to init.
func (t *table) orphan(p *proc) []*proc {
	t.mu.Lock()
	defer t.mu.Unlock()
	children := make([]*proc, 0, len(p.children))
	for _, c := range p.children {
		c.parent = nil
		children = append(children, c)
	}
	p.children = nil
	slices.SortFunc(children, func(a, b *proc) int { return int(a.id - b.id) })
	return children
}

// parentOf returns the run's living parent, or nil.
func (t *table) parentOf(p *proc) *proc {
	t.mu.Lock()
	defer t.mu.Unlock()
	return p.parent
}

// descendants returns every run below p, also below one that is dead.
func (t *table) descendants(p *proc) []*proc {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []*proc
	for _, c := range t.procs {
		if slices.Contains(c.ancestors, p.id) {
			all = append(all, c)
		}
	}
	return all
}

// list returns all runs, newest first.
func (t *table) list() []*proc {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.order.below(0, len(t.procs))
}

// below returns up to n runs with ids below one, newest first; 0: the newest.
func (t *table) below(id process.ID, n int) []*proc {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.order.below(id, n)
}

func (t *table) len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.procs)
}

// hold reserves an idle process; it fails when a run is in the table or
// somebody else holds it.
func (t *table) hold(id process.ID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.procs[id] != nil || t.held[id] {
		return false
	}
	t.held[id] = true
	return true
}

func (t *table) release(id process.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.held, id)
}
