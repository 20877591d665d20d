package kernel

import (
	"sync"
	"sync/atomic"
	"time"
)

// feed is a bounded window of published items, read by any number of
// subscribers at their own pace. Nothing is kept while nobody subscribes.
//
// Readers take no lock and copy nothing: what is published is a new state that
// shares its items with the one before. A thousand of them on one process must
// not slow it down.
//
// Those who do not want lines of output read a window of its own, in which there
// are none: a flood of lines neither wakes them nor pushes anything out of it.
type feed struct {
	max     int  // events in the window
	silent  bool // lines are numbers here, nothing else
	state   atomic.Pointer[state]
	subs    atomic.Int64
	waiting atomic.Bool          // somebody waits for the state after this one
	others  atomic.Pointer[feed] // the same without lines; nil: nobody has asked for it

	mu    sync.Mutex // held by those who change the state
	held  int        // events in the window
	woken time.Time  // when readers were last woken
	timer *time.Timer
}

// state is a feed at one moment. It is never changed.
type state struct {
	items  []*item
	first  int64 // ordinal of items[0]
	seq    int64 // of the last published event of the process
	cursor int64 // of the last published event
	ended  bool
	wake   chan struct{} // closed when there is something after this state
}

func newFeed(maxEvents int, seq, cursor int64) *feed {
	f := &feed{max: maxEvents}
	f.state.Store(&state{seq: seq, cursor: cursor, wake: make(chan struct{})})
	return f
}

// withoutLines returns the feed for those who do not want lines.
func (f *feed) withoutLines() *feed {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.others.Load() == nil {
		s := f.state.Load()
		o := newFeed(f.max, s.seq, s.cursor)
		o.silent = true
		if s.ended {
			o.end()
		}
		f.others.Store(o)
	}
	return f.others.Load()
}

// wanted reports whether anybody would read what is published now.
func (f *feed) wanted() bool {
	o := f.others.Load()
	return f.wantsLines() || o != nil && o.subs.Load() > 0
}

// wantsLines is wanted for lines.
func (f *feed) wantsLines() bool { return f.subs.Load() > 0 }

func (f *feed) publish(items []*item) {
	if len(items) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if o := f.others.Load(); o != nil {
		o.publish(items)
	}
	s := *f.state.Load()
	keepAny, kept := f.subs.Load() > 0 && !s.ended, false
	for _, it := range items {
		keep := keepAny && !(f.silent && it.ofLines())
		kept = kept || keep
		if !it.live {
			s.seq = it.seq + int64(it.count) - 1
			s.cursor = it.cursor + int64(it.count) - 1
		}
		if keep {
			s.items = append(s.items, it) // readers of older states end before it
			f.held += max(1, it.count)
		}
	}
	// The newest item always stays, however long it is.
	for f.held > f.max && len(s.items) > 1 {
		f.held -= max(1, s.items[0].count)
		s.items = s.items[1:]
		s.first++
	}
	if f.silent && !kept {
		f.state.Store(&s) // nothing to wake anybody for
		return
	}
	f.change(s)
}

// end says that nothing follows.
func (f *feed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o := f.others.Load(); o != nil {
		o.end()
	}
	s := *f.state.Load()
	s.ended = true
	f.change(s)
}

// change makes a state the current one and wakes who waits for it; f.mu is
// held.
func (f *feed) change(s state) {
	f.state.Store(&s)
	if !f.waiting.Load() || f.timer != nil {
		return
	}
	if wait := f.pace() - time.Since(f.woken); wait > 0 && !s.ended {
		f.timer = time.AfterFunc(wait, func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.timer = nil
			f.broadcast()
		})
		return
	}
	f.broadcast()
}

// pace is how long to let items gather between two broadcasts: waking takes
// time for each reader, and that time is the program's, too.
func (f *feed) pace() time.Duration {
	const each, most = 20 * time.Microsecond, 25 * time.Millisecond
	return min(time.Duration(f.subs.Load())*each, most)
}

// broadcast wakes all who wait; f.mu is held.
func (f *feed) broadcast() {
	if !f.waiting.Swap(false) {
		return
	}
	f.woken = time.Now()
	s := *f.state.Load()
	old := s.wake
	s.wake = make(chan struct{})
	f.state.Store(&s)
	close(old)
}

// join adds a subscriber and returns where it stands: the last published
// numbers and the ordinal of the next item.
func (f *feed) join() (seq, cursor, next int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subs.Add(1)
	s := f.state.Load()
	return s.seq, s.cursor, s.first + int64(len(s.items))
}

func (f *feed) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.subs.Add(-1) > 0 {
		return
	}
	s := *f.state.Load()
	s.first += int64(len(s.items))
	s.items, f.held = nil, 0
	f.state.Store(&s)
}

// window is what a subscriber finds at an ordinal.
type window struct {
	state
	next int64 // ordinal of items[0]; above the one asked for if that is gone
}

// from returns what has been published at ordinal next and after; if there is
// nothing, wake says when to ask again.
func (f *feed) from(next int64) window {
	w := f.at(next)
	for len(w.items) == 0 && !w.ended {
		// Said first, looked after: a publisher that has not seen it has
		// stored its state before this look. A broadcast in between has taken
		// it back, and the channel found after it would not be closed.
		f.waiting.Store(true)
		w = f.at(next)
		if f.waiting.Load() {
			break
		}
	}
	return w
}

func (f *feed) at(next int64) window {
	w := window{state: *f.state.Load()}
	w.next = max(next, w.first)
	w.items = w.items[min(w.next-w.first, int64(len(w.items))):]
	return w
}

// last returns the numbers of the last published event.
func (f *feed) last() (seq, cursor int64) {
	s := f.state.Load()
	return s.seq, s.cursor
}

func (f *feed) isEnded() bool { return f.state.Load().ended }
