package tui

import (
	"slices"
	"time"

	"github.com/reeverun/reeve/process"
)

// How much of a log is held: a window that moves over it.
const (
	mostLines = 10_000
	mostBytes = 16 << 20
	pastLines = 1000 // fetched at a time
)

// entry is a line of a log.
type entry struct {
	seq     int64
	run     int
	stream  process.Stream
	text    string // fit to be shown
	partial bool
	event   process.Event // of facts
}

// tail is the window over the output, or the events, of one process. It is whole
// between its first and its last entry.
type tail struct {
	number  int // counts the windows; messages for others are late
	id      process.ID
	kinds   Kinds
	entries []entry
	partial map[process.Stream]entry // lines that are not finished, after the others
	bytes   int
	styles  map[process.Stream]style // in which the streams go on
	last    int64                    // the newest seq that was seen
	reach   int64                    // up to which seq the window is whole

	opened  bool // the first page is there
	whole   bool // it begins at the beginning
	cut     bool // newer entries were left out
	fetches bool // a page is on its way
	follow  *follower
	ended   time.Time // of the record, when the last follower ended
	trouble string    // why there is nothing

	pinned  bool // it shows the end, as that grows
	top     int  // else the first entry that is shown
	offset  int  // lines of what is no log that are scrolled out
	left    int  // columns that are, too
	find    string
	found   int64 // the seq of where it was found
	finding bool  // it is searched for in an older page
}

// take adds an event at the end.
func (t *tail) take(th theme, ev *process.Event) {
	if !ev.Live() {
		if ev.Seq <= t.last {
			return // said before
		}
		t.last = ev.Seq
	}
	e := t.entry(th, ev)
	if e.partial {
		t.partial[e.stream] = e
		return
	}
	delete(t.partial, e.stream)
	if t.cut || !t.pinned && t.full() {
		t.cut = true
		return
	}
	t.entries = append(t.entries, e)
	t.bytes += len(e.text)
	t.reach = t.last
	if !t.full() {
		return
	}
	t.drop(0, max(1, len(t.entries)/10)) // a tenth at a time: moving costs
	t.whole = false
}

// empty forgets the entries, for a window somewhere else.
func (t *tail) empty() {
	t.entries, t.bytes, t.last, t.reach, t.cut = nil, 0, 0, 0, false
	clear(t.styles)
	clear(t.partial)
}

// rewind is for a window that begins at the beginning.
func (t *tail) rewind() {
	last := t.last
	t.empty()
	t.last, t.cut, t.whole, t.pinned, t.top = last, true, true, false, 0
}

// stay keeps a window that does not follow within the log, also when it becomes
// taller: else it would move as the log grows.
func (t *tail) stay(height int) {
	if !t.pinned && height > 0 {
		t.top = min(t.top, max(0, t.length()-height))
	}
}

// length is how many lines there are.
func (t *tail) length() int {
	if t.cut {
		return len(t.entries)
	}
	return len(t.entries) + len(t.partial)
}

// lines are some of them, unfinished ones last.
func (t *tail) lines(from, to int) []entry {
	n := len(t.entries)
	some := t.entries[min(from, n):min(to, n)]
	if to <= n {
		return some
	}
	some = slices.Clone(some)
	for _, stream := range []process.Stream{process.Stdout, process.Stderr} {
		if e, ok := t.partial[stream]; ok {
			some = append(some, e)
		}
	}
	return some
}

func (t *tail) full() bool { return len(t.entries) > mostLines || t.bytes > mostBytes }

// drop removes entries and stays where it was.
func (t *tail) drop(from, to int) {
	for _, e := range t.entries[from:to] {
		t.bytes -= len(e.text)
	}
	t.entries = slices.Delete(t.entries, from, to)
	if t.top >= to {
		t.top -= to - from
	}
}

// entry makes a line of an event.
func (t *tail) entry(th theme, ev *process.Event) entry {
	e := entry{seq: ev.Seq, run: ev.Run}
	switch d := ev.Data.(type) {
	case process.OutputAppended:
		e.stream, e.partial = d.Stream, d.Partial
		var after style
		e.text, after = th.clean(d.Line, t.styles[d.Stream])
		if !d.Partial && after != t.styles[d.Stream] {
			t.styles[d.Stream] = after
		}
	case process.OutputElided:
		e.text = th.paint(dim, elidedText(d))
	default:
		e.event, e.text = *ev, th.factText(ev)
	}
	return e
}

// before puts a page in front and returns how many entries that were.
func (t *tail) before(th theme, events []process.Event) int {
	styles := t.styles
	t.styles = map[process.Stream]style{}
	var page []entry
	for i := range events {
		if len(t.entries) == 0 || events[i].Seq < t.entries[0].seq {
			page = append(page, t.entry(th, &events[i]))
		}
	}
	t.styles = styles
	t.whole = len(events) < pastLines
	for _, e := range page {
		t.bytes += len(e.text)
	}
	t.entries = append(page, t.entries...)
	t.top += len(page)
	if t.full() {
		t.pinned, t.cut = false, true
		keep := max(1, min(len(t.entries)-pastLines, mostLines))
		t.reach = t.entries[keep-1].seq
		t.drop(keep, len(t.entries))
	}
	return len(page)
}

// after puts a page of newer entries, below a bound, at the end of a window that
// was cut. It is not cut any more once it has reached what was seen.
func (t *tail) after(th theme, events []process.Event, bound, newest int64) {
	for i := range events {
		if events[i].Seq <= t.reach {
			continue
		}
		e := t.entry(th, &events[i])
		t.entries = append(t.entries, e)
		t.bytes += len(e.text)
	}
	t.reach = min(bound-1, newest)
	if t.reach >= t.last {
		t.cut, t.last = false, t.reach
	}
	for t.full() && len(t.entries) > pastLines {
		t.drop(0, pastLines)
		t.whole = false
	}
}
