package kernel

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/reeverun/reeve/process"
)

// table holds the runs that are not over: queued, running, and zombies kept
// for their parents. Its lock also guards the tree (kin, proc.parent).
type table struct {
	mu     sync.Mutex
	places map[process.ID]*kin   // of the runs, and of what is above them
	runs   int                   // how many places have one
	order  order                 // of the runs
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
	return &table{places: map[process.ID]*kin{}, held: map[process.ID]bool{}, births: map[process.ID]*birth{}}
}

func (t *table) get(id process.ID) *proc {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.find(id)
}

// find is get; t.mu is held.
func (t *table) find(id process.ID) *proc {
	if n := t.places[id]; n != nil {
		return n.run
	}
	return nil
}

// known reports whether a process has a place in the tree.
func (t *table) known(id process.ID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.places[id] != nil
}

// add enters a run, below its parent if that one is in the table and not over;
// above is whom its parent descends from, where the table does not know that.
// It returns that parent, or nil; whether it executes; and whether the run is
// to be killed, with the tree it is born into.
func (t *table) add(p *proc, above ...process.ID) (parent *proc, alive, doomed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p.kin = t.place(p.id, append([]process.ID{p.rec.Parent}, above...)...)
	p.kin.run = p
	t.runs++
	t.order.add(p)
	t.announce(p.id)
	parent = t.find(p.rec.Parent)
	if parent == p {
		parent = nil
	}
	p.join(parent)
	doomed = p.kin.doomed()
	p.k.ledger.attach(p)
	if parent == nil {
		return nil, false, doomed
	}
	p.generation = parent.generation + 1
	parent.mu.Lock()
	over := parent.isOver()
	alive = parent.cancel != nil
	parent.mu.Unlock()
	if over {
		return nil, false, doomed
	}
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
	p.parent = nil
	if p.kin != nil && p.kin.run == p {
		p.kin.run = nil
		t.runs--
		t.order.remove(p)
		p.tree.Add(-1)
		p.k.ledger.detach(p)
		t.prune(p.kin)
	}
}

// orphan takes all children from p and gives them to init.
func (t *table) orphan(p *proc) (children []*proc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.kin == nil {
		return nil
	}
	for n := p.kin.below; n != nil; n = n.next {
		if c := n.run; c != nil && c.parent == p {
			c.parent = nil
			children = append(children, c)
		}
	}
	slices.Reverse(children) // oldest first
	return children
}

// parentOf returns the run's living parent, or nil.
func (t *table) parentOf(p *proc) *proc {
	t.mu.Lock()
	defer t.mu.Unlock()
	return p.parent
}

// descendants returns every run below p, also below one that is dead.
func (t *table) descendants(p *proc) (all []*proc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for n := p.kin.below; n != nil; n = n.after(p.kin) {
		if n.run != nil {
			all = append(all, n.run)
		}
	}
	return all
}

// list returns all runs, newest first.
func (t *table) list() []*proc {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.order.below(0, t.runs)
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
	return t.runs
}

// hold reserves an idle process; it fails when a run is in the table or
// somebody else holds it.
func (t *table) hold(id process.ID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.find(id) != nil || t.held[id] {
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
