package rawlog

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// indexSuffix is of the name of a run's index.
const indexSuffix = ".idx"

// maxPending bounds the entries remembered while the index cannot be written.
const maxPending = 1 << 16

// indexFile is an index on disk. It is made by the first write, by positions
// computed from record numbers and never by truncating: a crash leaves at most
// one torn record at the end, which the next write replaces.
type indexFile struct {
	path    string
	f       *os.File // nil until something is written
	n       int64    // entries written
	pending []record // entries that could not be written yet; they follow
	gen     [2]int64 // generation of each stream's state
	dropped [2]int64 // entries below are dropped with their stream's bytes, where they could be
	buf     []byte
}

// openIndex opens an index that exists. write says whether it will go on.
func openIndex(path string, write bool) (*indexFile, error) {
	mode := os.O_RDONLY
	if write {
		mode = os.O_RDWR
	}
	f, err := openPath(path, mode, 0)
	if err != nil {
		return nil, err
	}
	x := &indexFile{path: path, f: f}
	fi, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	x.n = max(0, fi.Size()/recordSize-headerSlots)
	if write { // go on after the last good entry, over whatever follows it
		_, at, ok := prev(x, x.n)
		x.n = at
		if ok {
			x.n++
		}
	}
	return x, nil
}

func (x *indexFile) len() int64 { return x.n + int64(len(x.pending)) }

func (x *indexFile) next(i int64) (r record, at int64, ok bool) {
	var one [recordSize]byte
	if i < 0 {
		i = 0
	}
	if i < x.n {
		if m, _ := x.f.ReadAt(one[:], slot(i)); m == recordSize && r.get(one[:]) && r.kind == kindEntry {
			return r, i, true
		}
		if r, at, ok = x.scan(i + 1); ok {
			return r, at, true
		}
		i = x.n
	}
	if j := i - x.n; j < int64(len(x.pending)) {
		return x.pending[j], i, true
	}
	return r, 0, false
}

// scan looks for a good entry from place i on, page by page, and jumps over
// ranges that hold nothing.
func (x *indexFile) scan(i int64) (r record, at int64, ok bool) {
	var page [pageRecords * recordSize]byte
	for i < x.n {
		m, err := x.f.ReadAt(page[:], slot(i))
		m = int(min(int64(m/recordSize), x.n-i))
		for k := range m {
			b := page[k*recordSize:][:recordSize]
			if r.get(b) && r.kind == kindEntry {
				return r, i + int64(k), true
			}
		}
		if m == 0 || (err != nil && err != io.EOF) {
			break
		}
		i += int64(m)
		if zero(page[:m*recordSize]) {
			i = max(i, unslot(nextData(x.f, slot(i))))
		}
	}
	return r, 0, false
}

// slot is the position of entry i in the file; unslot is its inverse.
func slot(i int64) int64     { return (headerSlots + i) * recordSize }
func unslot(off int64) int64 { return off/recordSize - headerSlots }

func (x *indexFile) add(rs []record) error {
	if len(x.pending)+len(rs) > maxPending {
		return fmt.Errorf("index %s: %d entries could not be written", x.path, len(x.pending))
	}
	if err := x.create(); err != nil {
		x.pending = append(x.pending, rs...)
		return err
	}
	all := rs
	if len(x.pending) > 0 {
		x.pending = append(x.pending, rs...)
		all = x.pending
	}
	x.buf = x.buf[:0]
	for i := range all {
		x.buf = append(x.buf, make([]byte, recordSize)...)
		all[i].put(x.buf[i*recordSize:])
	}
	if _, err := x.f.WriteAt(x.buf, slot(x.n)); err != nil {
		if len(x.pending) == 0 {
			x.pending = append(x.pending, rs...)
		}
		return fmt.Errorf("write index: %w", err)
	}
	x.n += int64(len(all))
	x.pending = nil
	return nil
}

func (x *indexFile) create() error {
	if x.f != nil {
		return nil
	}
	f, err := createIndex(x.path)
	if err != nil {
		return err
	}
	x.f = f
	return nil
}

func createIndex(path string) (*os.File, error) {
	f, err := openPath(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make index: %w", err)
	}
	return f, nil
}

func (x *indexFile) save(s Stream, base int64, hole Span) error {
	if err := x.create(); err != nil {
		return err
	}
	x.gen[s]++
	r := record{kind: kindState, Entry: Entry{Stream: s, Seq: x.gen[s], Cursor: base, Offset: hole.From, Len: hole.To}}
	var b [recordSize]byte
	r.put(b[:])
	if _, err := x.f.WriteAt(b[:], (2*int64(s)+x.gen[s]%2)*recordSize); err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	return nil
}

// load returns the newest state of a stream.
func (x *indexFile) load(s Stream) (base int64, hole Span) {
	for k := range int64(2) {
		var b [recordSize]byte
		var r record
		if m, _ := x.f.ReadAt(b[:], (2*int64(s)+k)*recordSize); m < recordSize || !r.get(b[:]) {
			continue
		}
		if r.kind == kindState && r.Stream == s && r.Seq > x.gen[s] {
			x.gen[s], base, hole = r.Seq, r.Cursor, Span{r.Offset, r.Len}
		}
	}
	return base, hole
}

// close tries once more to write what could not be written.
func (x *indexFile) close() error {
	var err error
	if len(x.pending) > 0 {
		err = x.add(nil)
	}
	if x.f == nil {
		return err
	}
	return errors.Join(err, x.f.Close())
}
