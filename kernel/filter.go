package kernel

import (
	"context"
	"slices"

	"github.com/reeverun/reeve/process"
)

// Filter selects events of a subscription. Zero fields do not filter. Tag and
// Environment choose among processes, and mean nothing for one.
type Filter struct {
	Tag         string
	Environment string
	Kind        process.Kind // one more of Kinds.Only
	Kinds       process.KindFilter
}

// kinds is all that the filter says about kinds.
func (f Filter) kinds() process.KindFilter {
	if f.Kind != "" {
		f.Kinds.Only = append(slices.Clip(f.Kinds.Only), f.Kind)
	}
	return f.Kinds
}

func (k *Kernel) subscription(f Filter) *Subscription {
	kinds := f.kinds()
	s := &Subscription{k: k, dry: !kinds.Lines(), gone: make(chan struct{})}
	if f.Tag != "" || f.Environment != "" || !kinds.All() {
		s.keep = k.filter(f, kinds)
	}
	return s
}

// suited is the feed that holds what is wanted of another.
func (s *Subscription) suited(f *feed) *feed {
	if s.dry {
		return f.withoutLines()
	}
	return f
}

// filter makes a predicate. Tags and environments never change, so they are
// looked up once per process.
func (k *Kernel) filter(f Filter, kinds process.KindFilter) func(*process.Event) bool {
	known := map[process.ID]bool{}
	return func(ev *process.Event) bool {
		if !kinds.Keeps(ev.Kind) {
			return false
		}
		if f.Tag == "" && f.Environment == "" {
			return true
		}
		ok, seen := known[ev.Process]
		if !seen {
			rec, err := k.Process(context.Background(), ev.Process)
			ok = err == nil && (f.Tag == "" || rec.HasTag(f.Tag)) &&
				(f.Environment == "" || rec.Environment == f.Environment)
			if len(known) > 10_000 {
				clear(known)
			}
			known[ev.Process] = ok
		}
		return ok
	}
}
