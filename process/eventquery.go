package process

import "slices"

// KindFilter selects events by their kind; the zero one selects all. A filter
// that leaves out output_appended leaves out output_elided, too, which stands
// for lines, unless Only names it.
type KindFilter struct {
	Only   []Kind // nil: any
	Except []Kind
}

// Keeps reports whether events of a kind are selected.
func (f *KindFilter) Keeps(k Kind) bool {
	if slices.Contains(f.Except, k) || len(f.Only) > 0 && !slices.Contains(f.Only, k) {
		return false
	}
	return k != KindOutputElided || len(f.Only) > 0 || !slices.Contains(f.Except, KindOutputAppended)
}

// All reports whether everything is selected.
func (f *KindFilter) All() bool { return len(f.Only) == 0 && len(f.Except) == 0 }

// Lines reports whether lines of output, or what stands for them, are selected.
func (f *KindFilter) Lines() bool { return f.Keeps(KindOutputAppended) || f.Keeps(KindOutputElided) }

// EventQuery selects events of one process, those after a seq first; with
// Before, the newest of those below a seq instead.
type EventQuery struct {
	After  int64
	Before int64 // 0: none
	Limit  int   // about how many; with Before, exactly at most
	KindFilter
}

// EventPage is what an EventQuery selects, in order. Next is the After of the
// page that follows, Last the seq of the newest event there is.
type EventPage struct {
	Events     []Event
	Next, Last int64
}
