package rawlog

import "slices"

// table is a sequence of entry records that may have gaps: records that were
// dropped with their bytes, or are damaged.
type table interface {
	len() int64
	// next returns the first record at or after i, and its place; ok is
	// false where there is none.
	next(i int64) (r record, at int64, ok bool)
}

// search returns a place such that t.next of it is the first record for which
// pred is true, given that pred is false for some prefix and then true.
func search(t table, pred func(*record) bool) int64 {
	lo, hi := int64(0), t.len()
	for lo < hi {
		mid := lo + (hi-lo)/2
		r, at, ok := t.next(mid)
		switch {
		case !ok || at >= hi || pred(&r):
			hi = mid
		default:
			lo = at + 1
		}
	}
	return lo
}

// defaultPage is how many entries a page has when the caller does not say.
const defaultPage = 1024

// collect returns up to limit entries from place i on.
func collect(t table, i int64, limit int) []Entry {
	if limit <= 0 {
		limit = defaultPage
	}
	var out []Entry
	for len(out) < limit {
		r, at, ok := t.next(i)
		if !ok {
			break
		}
		out = append(out, r.Entry)
		i = at + 1
	}
	return out
}

func entriesAfterSeq(t table, seq int64, limit int) []Entry {
	return collect(t, search(t, func(r *record) bool { return r.Seq+int64(r.Count)-1 > seq }), limit)
}

// entriesBeforeSeq returns the last entries that begin before a seq, in order.
func entriesBeforeSeq(t table, seq int64, limit int) []Entry {
	if limit <= 0 {
		limit = defaultPage
	}
	var out []Entry
	for i := search(t, func(r *record) bool { return r.Seq >= seq }); len(out) < limit; {
		r, at, ok := prev(t, i)
		if !ok {
			break
		}
		out = append(out, r.Entry)
		i = at
	}
	slices.Reverse(out)
	return out
}

func entriesAfterCursor(t table, cursor int64, limit int) []Entry {
	return collect(t, search(t, func(r *record) bool { return r.Cursor+int64(r.Count)-1 > cursor }), limit)
}

// borderFrom returns the first entry border of stream s at or after off.
func borderFrom(t table, s Stream, off int64) (int64, bool) {
	r, _, ok := t.next(search(t, func(r *record) bool { return r.ends(s) >= off }))
	if !ok {
		return 0, false
	}
	return r.ends(s), true
}

// borderUpTo returns the last entry border of stream s at or before off.
func borderUpTo(t table, s Stream, off int64) (int64, bool) {
	at := search(t, func(r *record) bool { return r.ends(s) > off })
	r, _, ok := prev(t, at)
	if !ok {
		return 0, false
	}
	return r.ends(s), true
}

// prev returns the last record before i, and its place.
func prev(t table, i int64) (last record, at int64, found bool) {
	for step := int64(1); i > 0; step *= 2 {
		lo := max(0, i-step)
		for k := lo; k < i; k++ {
			r, n, ok := t.next(k)
			if !ok || n >= i {
				break
			}
			last, at, found, k = r, n, true, n
		}
		if found {
			return last, at, true
		}
		i = lo
	}
	return last, 0, false
}
