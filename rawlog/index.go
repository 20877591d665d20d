package rawlog

import (
	"errors"
	"fmt"
	"slices"
)

// index is the seq index of a live log. Its log's lock guards it.
type index interface {
	table
	// add appends entries; they are readable even where add fails.
	add(rs []record) error
	// save keeps the state of a stream.
	save(s Stream, base int64, hole Span) error
	// drop gives up entries whose bytes lie in the given holes.
	drop(s Stream, holes [2][]Span) error
	close() error
}

// errOrder guards the search, which needs entries in order.
var errOrder = errors.New("index entries out of order")

// tail is what the next entry has to follow.
type tail struct {
	seq, cursor int64    // of the last line
	ends        [2]int64 // indexed end of each stream
}

// push checks that e follows and makes it a record.
func (t *tail) push(e Entry) (record, error) {
	r := record{Entry: e, kind: kindEntry}
	if !r.valid() {
		return r, fmt.Errorf("index entry %+v: %w", e, errOrder)
	}
	if e.Seq <= t.seq || e.Cursor <= t.cursor || e.Offset < t.ends[e.Stream] {
		return r, fmt.Errorf("index entry at seq %d, cursor %d, offset %d after %d, %d, %d: %w",
			e.Seq, e.Cursor, e.Offset, t.seq, t.cursor, t.ends[e.Stream], errOrder)
	}
	r.other = t.ends[1-e.Stream]
	t.set(&r)
	return r, nil
}

func (t *tail) set(r *record) {
	t.seq, t.cursor = r.Seq+int64(r.Count)-1, r.Cursor+int64(r.Count)-1
	t.ends[r.Stream], t.ends[1-r.Stream] = r.end(), r.other
}

// inHoles tells whether all of r's bytes are gone.
func inHoles(r *record, holes [2][]Span) bool {
	for _, h := range holes[r.Stream] {
		if r.Offset >= h.From && r.end() <= h.To {
			return true
		}
	}
	return false
}

// memIndex keeps entries on the heap. What it holds is bounded by what its log
// holds, because entries go with their bytes.
type memIndex struct{ rs []record }

func (m *memIndex) len() int64 { return int64(len(m.rs)) }

func (m *memIndex) next(i int64) (record, int64, bool) {
	if i < 0 || i >= int64(len(m.rs)) {
		return record{}, 0, false
	}
	return m.rs[i], i, true
}

func (m *memIndex) add(rs []record) error {
	m.rs = append(m.rs, rs...)
	return nil
}

func (m *memIndex) save(Stream, int64, Span) error { return nil }

func (m *memIndex) drop(_ Stream, holes [2][]Span) error {
	kept := m.rs[:0]
	for i := range m.rs {
		if !inHoles(&m.rs[i], holes) {
			kept = append(kept, m.rs[i])
		}
	}
	clear(m.rs[len(kept):])
	m.rs = kept
	return nil
}

// close leaves the entries to readers, in as much memory as they need.
func (m *memIndex) close() error {
	m.rs = slices.Clone(m.rs)
	return nil
}

// noIndex is the index of a log of which nothing is kept.
type noIndex struct{}

func (noIndex) len() int64                       { return 0 }
func (noIndex) next(int64) (record, int64, bool) { return record{}, 0, false }
func (noIndex) add([]record) error               { return nil }
func (noIndex) save(Stream, int64, Span) error   { return nil }
func (noIndex) drop(Stream, [2][]Span) error     { return nil }
func (noIndex) close() error                     { return nil }
