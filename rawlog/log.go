package rawlog

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

// Log is the log of one live run.
type Log struct {
	logs   *Logs
	id     int64
	run    int
	policy Policy
	next   *Log // another run of the process; guarded by logs.mu
	wake   chan struct{}
	notify atomic.Pointer[func()]

	// mu guards what follows. Reading and appending hold it shared: they need
	// descriptors and offsets to stay as they are. It is never held over a
	// slow operation.
	mu       sync.RWMutex
	streams  [2]stream
	imu      sync.RWMutex // guards idx and tail among those who hold mu shared
	idx      index
	tail     tail
	fresh    bool     // what carries this run's name on disk is not its own
	closing  bool     // Finish has begun
	finished bool     // descriptors are closed
	removed  bool     // nothing is to be kept any more
	heap     *heapLog // a finished log in memory

	poll   poller
	once   sync.Once
	work   sync.Mutex // held by Finish
	result error      // of Finish
}

// stream is one of a log's streams.
type stream struct {
	log *Log
	id  Stream

	b      backing // nil until something needs it
	base   int64   // logical offset of the file's first byte
	hole   Span    // dropped by the cap; logical
	gz     bool    // compressed already, by the host that died
	full   error   // why nothing can be dropped
	packed bool    // compressed by Finish
	end    int64   // logical size at the end; 0 before

	pos    atomic.Int64 // logical offset of the next unread byte
	used   int64        // consumed up to here; pump only
	unsaid error        // for Consumed to tell; pump only
	seen   sample       // pump only
	cut    bool         // truncated, not yet reported; pump only
	lost   int64        // bytes lost by that; pump only
	wd     int32        // guarded by the watcher
}

func newLog(ls *Logs, id int64, run int, p Policy) *Log {
	l := &Log{logs: ls, id: id, run: run, policy: p, wake: make(chan struct{}, 1)}
	for i := range l.streams {
		l.streams[i].log, l.streams[i].id = l, Stream(i)
	}
	switch {
	case p == KeepNothing || (p.OnDisk() && ls.cfg.Dir == ""):
		l.idx = noIndex{}
	case p == KeepMemory:
		l.idx = &memIndex{}
	default:
		l.idx = &indexFile{path: ls.path(id, run, indexSuffix)}
	}
	return l
}

// File returns the append-only descriptor of a stream, to be handed to a child
// process. It stays the log's. It is nil, without an error, where the log has
// no file: use Append.
func (l *Log) File(s Stream) (*os.File, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, err := l.streams[s].open()
	if err != nil {
		return nil, err
	}
	return b.handOut()
}

// Append writes a chunk to a stream and wakes the pump.
func (l *Log) Append(s Stream, p []byte) error {
	if len(p) == 0 {
		return nil
	}
	if err := l.ensure(s); err != nil {
		return err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closing || l.finished {
		return ErrFinished
	}
	if err := l.streams[s].b.write(p); err != nil {
		return fmt.Errorf("append to %s: %w", s, err)
	}
	l.signal()
	return nil
}

// Wake is signalled after bytes were appended, or written once Arm was called.
// A signal may come without cause.
func (l *Log) Wake() <-chan struct{} { return l.wake }

func (l *Log) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
	if f := l.notify.Load(); f != nil {
		(*f)()
	}
}

// Notify has f called after each signal of Wake, by whoever caused it: for a
// pump that has no goroutine while nothing is written. f must not block, and
// not call the log.
func (l *Log) Notify(f func()) { l.notify.Store(&f) }

// Size is the number of bytes the stream ever carried, as far as seen.
func (l *Log) Size(s Stream) int64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.streams[s].size()
}

// size is the logical size; never less than what was read.
func (st *stream) size() int64 {
	n := max(st.pos.Load(), st.end)
	if st.b != nil && !st.log.finished {
		if phys, err := st.b.size(); err == nil {
			n = max(n, st.base+phys)
		}
	}
	return n
}

// holes are the ranges of the stream that are gone.
func (st *stream) holes() []Span { return holes(st.base, st.hole) }

func holes(base int64, hole Span) []Span {
	var out []Span
	if base > 0 {
		out = append(out, Span{0, base})
	}
	if hole.Len() > 0 {
		if base == hole.From && base > 0 {
			out[0].To = hole.To
		} else {
			out = append(out, hole)
		}
	}
	return out
}
