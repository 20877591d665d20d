package rawlog

import (
	"fmt"
	"os"
	"sync"
)

// Reader reads a run's log, live or finished.
type Reader struct {
	logs *Logs
	id   int64
	run  int
	live *Log // nil if the log was finished when it was opened

	mu     sync.Mutex
	fin    *finished // set once the log is finished
	closed bool
}

// Open opens the log of a run. ErrNotKept says that there is nothing.
func (ls *Logs) Open(id int64, run int) (*Reader, error) {
	r := &Reader{logs: ls, id: id, run: run, live: ls.find(id, run)}
	if r.live != nil {
		if r.live.policy == KeepNothing {
			return nil, fmt.Errorf("log of %d-%d: %w", id, run, ErrNotKept)
		}
		return r, nil
	}
	if _, err := r.settled(); err != nil {
		return nil, fmt.Errorf("log of %d-%d: %w", id, run, err)
	}
	if ls.find(id, run) != nil { // it began between the two looks: what was opened is no finished log
		_ = r.Close()
		return ls.Open(id, run)
	}
	return r, nil
}

// Indexed reports whether the log of a run that nobody writes may have entries.
// It is quicker to ask than Open.
func (ls *Logs) Indexed(id int64, run int) bool {
	if ls.cfg.Dir == "" {
		return false
	}
	fi, err := os.Stat(ls.path(id, run, indexSuffix))
	return err == nil && fi.Size() > 0
}

// settled returns the finished log.
func (r *Reader) settled() (*finished, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, os.ErrClosed
	}
	if r.fin != nil {
		return r.fin, nil
	}
	fin, err := r.finished()
	r.fin = fin
	return fin, err
}

func (r *Reader) finished() (*finished, error) {
	if r.live != nil && !r.live.policy.OnDisk() {
		return r.live.inMemory()
	}
	return r.logs.openFinished(r.id, r.run)
}

// running locks the live log for reading s and returns its stream; nil, and no
// lock, when the stream is finished.
func (r *Reader) running(s Stream) *stream {
	if r.live == nil {
		return nil
	}
	r.live.mu.RLock()
	if r.live.finished || r.live.removed || r.live.streams[s].gz {
		r.live.mu.RUnlock()
		return nil
	}
	return &r.live.streams[s]
}

// Size is the number of bytes the stream carried, holes included.
func (r *Reader) Size(s Stream) int64 {
	if st := r.running(s); st != nil {
		defer r.live.mu.RUnlock()
		return st.size()
	}
	fin, err := r.settled()
	if err != nil {
		return 0
	}
	return fin.streams[s].size()
}

// Holes are the ranges of the stream that are no longer kept, in order.
func (r *Reader) Holes(s Stream) []Span {
	if st := r.running(s); st != nil {
		defer r.live.mu.RUnlock()
		return st.holes()
	}
	fin, err := r.settled()
	if err != nil {
		return nil
	}
	return fin.streams[s].holes()
}

// ReadAt reads at a logical offset. Fewer bytes than asked for come with the
// reason: io.EOF at the end, ErrHole before or inside a hole.
func (r *Reader) ReadAt(s Stream, p []byte, off int64) (int, error) {
	if st := r.running(s); st != nil {
		defer r.live.mu.RUnlock()
		return st.readAt(p, off)
	}
	fin, err := r.settled()
	if err != nil {
		return 0, err
	}
	return fin.streams[s].readAt(p, off)
}

// readAt serves readers of a live stream. l.mu is held shared.
func (st *stream) readAt(p []byte, off int64) (int, error) {
	n, why := clip(st.holes(), st.size(), off, len(p))
	if n == 0 {
		return 0, why
	}
	m, err := st.b.readv(p[:n], nil, off-st.base)
	return short(m, n, err, why)
}

// Entries returns up to limit entries, from the first that contains or follows
// afterSeq+1.
func (r *Reader) Entries(afterSeq int64, limit int) ([]Entry, error) {
	return r.entries(func(t table) []Entry { return entriesAfterSeq(t, afterSeq, limit) })
}

// EntriesBefore returns up to limit entries, in order, the last of them the last
// that begins before a seq.
func (r *Reader) EntriesBefore(seq int64, limit int) ([]Entry, error) {
	return r.entries(func(t table) []Entry { return entriesBeforeSeq(t, seq, limit) })
}

// EntriesAfterCursor returns up to limit entries, from the first that contains
// or follows cursor+1.
func (r *Reader) EntriesAfterCursor(cursor int64, limit int) ([]Entry, error) {
	return r.entries(func(t table) []Entry { return entriesAfterCursor(t, cursor, limit) })
}

func (r *Reader) entries(get func(table) []Entry) ([]Entry, error) {
	if r.live != nil {
		if es, ok := r.live.entries(get); ok {
			return es, nil
		}
	}
	fin, err := r.settled()
	if err != nil {
		return nil, err
	}
	return get(fin.idx), nil
}

// entries serves readers of a live log; ok is false when it is finished.
func (l *Log) entries(get func(table) []Entry) (es []Entry, ok bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.finished || l.removed {
		return nil, false
	}
	l.imu.RLock()
	defer l.imu.RUnlock()
	return get(l.idx), true
}

// Close releases the reader. It must not be called while one of its methods
// runs; it may be called again.
func (r *Reader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fin != nil && !r.closed {
		r.fin.release()
	}
	r.closed = true
	return nil
}
