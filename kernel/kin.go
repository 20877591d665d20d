package kernel

import (
	"context"
	"slices"

	"github.com/reeverun/reeve/process"
)

// kin is a process's place in the tree. It outlives the run: as long as
// anything below it lives it leads there. So a signal to a tree reaches below
// the dead, and a process that is run again has below it what its earlier runs
// started. What is below a place is walked without looking at the rest of the
// table. It is guarded by table.mu.
type kin struct {
	id         process.ID
	run        *proc // nil: idle
	above      *kin
	below      *kin // the youngest
	prev, next *kin // the next younger and the next older one below the same
}

// place finds a process's place, or makes it, below those it descends from,
// nearest first; t.mu is held.
func (t *table) place(id process.ID, above ...process.ID) *kin {
	if n := t.places[id]; n != nil {
		return n
	}
	n := &kin{id: id}
	t.places[id] = n
	if len(above) == 0 || above[0] == 0 || above[0] == id {
		return n
	}
	n.above = t.place(above[0], above[1:]...)
	n.next = n.above.below
	if n.next != nil {
		n.next.prev = n
	}
	n.above.below = n
	return n
}

// prune gives up places that lead to nothing that lives; t.mu is held.
func (t *table) prune(n *kin) {
	for n != nil && n.run == nil && n.below == nil {
		delete(t.places, n.id)
		switch {
		case n.prev != nil:
			n.prev.next = n.next
		case n.above != nil:
			n.above.below = n.next
		}
		if n.next != nil {
			n.next.prev = n.prev
		}
		n = n.above
	}
}

// after is the next one of a walk through all that is below root; nil: that was
// the last.
func (n *kin) after(root *kin) *kin {
	if n.below != nil {
		return n.below
	}
	return n.past(root)
}

// past is after without what is below n.
func (n *kin) past(root *kin) *kin {
	for ; n != root; n = n.above {
		if n.next != nil {
			return n.next
		}
	}
	return nil
}

// answerable returns the runs below a place that nobody but the kernel ends: not
// those below a supervisor that lives, which ends them itself. It is among them
// if itself is set; table.mu is held.
func (root *kin) answerable(itself bool) (all []*proc) {
	if p := root.run; p != nil {
		if itself {
			all = append(all, p)
		}
		if p.supervises() && !p.ended() {
			return all
		}
	}
	for n := root.below; n != nil; {
		if n.run != nil {
			all = append(all, n.run)
		}
		if n.run != nil && n.run.supervises() && !n.run.ended() {
			n = n.past(root)
		} else {
			n = n.after(root)
		}
	}
	return all
}

// doomedWith returns the runs below one that are to be ended with it. What is
// below a supervisor is left to that, unless all are killed at once.
func (t *table) doomedWith(p *proc, now bool) []*proc {
	if now {
		return t.descendants(p)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return p.kin.answerable(false)
}

// unsupervised returns all runs that no supervisor ends, newest first.
func (t *table) unsupervised() (all []*proc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, n := range t.places {
		if n.above == nil {
			all = append(all, n.answerable(true)...)
		}
	}
	slices.SortFunc(all, func(a, b *proc) int { return int(b.id - a.id) })
	return all
}

// doomed reports whether what enters here is to be killed at once: the nearest
// above it that lives is being killed with all that is below; table.mu is held.
func (n *kin) doomed() bool {
	for n = n.above; n != nil; n = n.above {
		if n.run == nil {
			continue
		}
		n.run.mu.Lock()
		doomed, over := n.run.killTree, n.run.isOver()
		n.run.mu.Unlock()
		if doomed || !over {
			return doomed
		}
	}
	return false
}

// lineage returns whom an idle parent descends from, nearest first, as far as
// the table does not know it: a child of the idle is still a descendant of what
// lives above.
func (k *Kernel) lineage(ctx context.Context, parent process.ID) (above []process.ID) {
	for id := parent; id != 0 && len(above) < maxGenerations && !k.table.known(id); {
		rec, err := k.cfg.Store.Process(ctx, id)
		if err != nil {
			break // the tree is then known as far as this
		}
		id = rec.Parent
		above = append(above, id)
	}
	return above
}
