package kernel

import (
	"sync"
	"time"

	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
)

// item is what the journal publishes at once: some events of one process, or a
// run of output lines that are decoded when somebody reads them.
type item struct {
	p      *proc
	seq    int64 // of the first event
	cursor int64 // of the first event; set by the journal
	count  int
	live   bool // a partial line: shown, never stored, takes no number
	events []process.Event
	lines  *lines
}

// lines is a block of output. raw may be nil: it is then read from the log
// when somebody asks.
type lines struct {
	run    int
	stream rawlog.Stream
	offset int64
	length int64
	at     time.Time
	raw    []byte
	log    *rawlog.Log
	once   sync.Once
}

func (it *item) indexEntry() rawlog.Entry {
	return rawlog.Entry{Seq: it.seq, Cursor: it.cursor, Stream: it.lines.stream,
		Offset: it.lines.offset, Len: it.lines.length, Count: it.count, At: it.lines.at.UnixNano()}
}

// all returns the item's events, decoding lines once for all readers.
func (it *item) all(logs *rawlog.Logs) []process.Event {
	if it.lines == nil {
		return it.events
	}
	it.lines.once.Do(func() {
		if it.lines.raw != nil {
			it.events = decodeLines(it.indexEntry(), it.p.id, it.lines.run, it.lines.raw)
			it.lines.raw = nil
			return
		}
		it.events = readLines(logs, it.indexEntry(), it.p.id, it.lines.run)
	})
	return it.events
}

// decodeLines makes the events of an index entry from its bytes.
func decodeLines(e rawlog.Entry, id process.ID, run int, raw []byte) []process.Event {
	events := make([]process.Event, 0, e.Count)
	at := time.Unix(0, e.At).UTC()
	spans := interpret.Lines(raw, make([]interpret.Span, 0, e.Count))
	for i, s := range spans {
		ev := process.New(process.OutputAppended{Stream: streamName(e.Stream),
			Line: interpret.Text(raw[s.Start:s.End]), Offset: e.Offset + int64(s.Start)})
		ev.Seq, ev.Cursor = e.Seq+int64(i), e.Cursor+int64(i)
		ev.Process, ev.Run, ev.At = id, run, at
		events = append(events, ev)
	}
	return events
}

// feed is a bounded window of published items, read by any number of
// subscribers at their own pace. Nothing is kept while nobody subscribes.
type feed struct {
	max int // events in the window

	mu      sync.Mutex
	subs    int
	items   []*item
	first   int64 // ordinal of items[0]
	held    int   // events in items
	seq     int64 // of the last published event of the process
	cursor  int64 // of the last published event
	wake    chan struct{}
	waiting bool // somebody waits on wake
	ended   bool
}

func newFeed(maxEvents int, seq, cursor int64) *feed {
	return &feed{max: maxEvents, seq: seq, cursor: cursor, wake: make(chan struct{})}
}

// wanted reports whether anybody would read what is published now.
func (f *feed) wanted() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.subs > 0
}

func (f *feed) publish(items []*item) {
	if len(items) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, it := range items {
		if !it.live {
			f.seq = it.seq + int64(it.count) - 1
			f.cursor = it.cursor + int64(it.count) - 1
		}
		if f.subs > 0 && !f.ended {
			f.items = append(f.items, it)
			f.held += max(1, it.count)
		}
	}
	// The newest item always stays, however long it is.
	for f.held > f.max && len(f.items) > 1 {
		f.held -= max(1, f.items[0].count)
		f.items[0] = nil
		f.items = f.items[1:]
		f.first++
	}
	f.broadcast()
}

// end says that nothing follows.
func (f *feed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	f.broadcast()
}

func (f *feed) broadcast() {
	if f.waiting {
		close(f.wake)
		f.wake = make(chan struct{})
		f.waiting = false
	}
}

// join adds a subscriber and returns where it stands: the last published
// numbers and the ordinal of the next item.
func (f *feed) join() (seq, cursor, next int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subs++
	return f.seq, f.cursor, f.first + int64(len(f.items))
}

func (f *feed) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subs--
	if f.subs == 0 {
		f.first += int64(len(f.items))
		f.items, f.held = nil, 0
	}
}

// window is what a subscriber finds at an ordinal.
type window struct {
	items []*item // from next on; shared, not to be changed
	next  int64   // ordinal of items[0]; above the one asked for if that is gone
	ended bool    // nothing follows items
	wake  <-chan struct{}
}

// from returns what has been published at ordinal next and after.
func (f *feed) from(next int64) window {
	f.mu.Lock()
	defer f.mu.Unlock()
	next = max(next, f.first)
	w := window{next: next, ended: f.ended, wake: f.wake}
	if i := int(next - f.first); i < len(f.items) {
		w.items = append(w.items, f.items[i:]...)
	} else {
		f.waiting = true
	}
	return w
}

// last returns the numbers of the last published event.
func (f *feed) last() (seq, cursor int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seq, f.cursor
}

func (f *feed) isEnded() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ended
}
