package kernel

import (
	"slices"

	"github.com/reeverun/reeve/process"
)

// order holds runs by their ids, so that a page of the newest costs the same
// among a hundred thousand as among a hundred. A run that leaves is only crossed
// out, unless it is among the last; the list is packed when half of it is.
type order struct {
	list []slot
	gone int
}

type slot struct {
	id process.ID
	p  *proc // nil: it left
}

// at returns the place of the first id that is not below one.
func (o *order) at(id process.ID) (int, bool) {
	return slices.BinarySearchFunc(o.list, id, func(s slot, id process.ID) int { return int(s.id - id) })
}

func (o *order) add(p *proc) {
	if n := len(o.list); n == 0 || o.list[n-1].id < p.id { // all but re-runs
		o.list = append(o.list, slot{p.id, p})
		return
	}
	i, found := o.at(p.id)
	if !found {
		o.list = slices.Insert(o.list, i, slot{p.id, p})
		return
	}
	if o.list[i].p == nil {
		o.gone--
	}
	o.list[i].p = p
}

// remove takes a run out, unless a newer one has its place.
func (o *order) remove(p *proc) {
	i, found := o.at(p.id)
	if !found || o.list[i].p != p {
		return
	}
	o.list[i].p = nil
	o.gone++
	for n := len(o.list); n > 0 && o.list[n-1].p == nil; n-- { // what is asked for most is the newest
		o.list = o.list[:n-1]
		o.gone--
	}
	if o.gone > len(o.list)/2 {
		o.list = slices.DeleteFunc(o.list, func(s slot) bool { return s.p == nil })
		o.gone = 0
	}
}

// below returns up to n runs with ids below one, newest first; 0: the newest.
func (o *order) below(id process.ID, n int) []*proc {
	i := len(o.list)
	if id != 0 {
		i, _ = o.at(id)
	}
	page := make([]*proc, 0, min(n, i))
	for i--; i >= 0 && len(page) < n; i-- {
		if p := o.list[i].p; p != nil {
			page = append(page, p)
		}
	}
	return page
}
