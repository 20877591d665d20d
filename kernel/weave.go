package kernel

import (
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
)

// weaver puts lines and the events they led to in one order.
type weaver struct {
	u      *pump
	s      rawlog.Stream
	raw    []byte
	next   int // the first line not in items
	items  []*item
	events []process.Payload
}

func (w *weaver) caused(line int, p process.Payload) {
	w.upTo(line + 1)
	w.events = append(w.events, p)
	if n := len(w.items); n > 0 && w.items[n-1].lines == nil {
		w.items[n-1].count++
		return
	}
	w.items = append(w.items, &item{p: w.u.p, count: 1})
}

// upTo adds the lines before end as one item.
func (w *weaver) upTo(end int) {
	if end <= w.next {
		return
	}
	spans := w.u.spans
	from, to := spans[w.next].Start, spans[end-1].Next
	var raw []byte
	if w.raw != nil {
		raw = w.raw[from:to:to]
	}
	offset := w.u.streams[w.s].offset + int64(from)
	w.items = append(w.items, w.u.lines(w.s, offset, int64(to-from), end-w.next, raw))
	w.next = end
}

// record numbers items, fills in the events that belong between the lines,
// and hands all of it to the journal.
func (u *pump) record(s rawlog.Stream, items []*item, events []process.Payload) {
	u.flight <- struct{}{}
	st := &u.streams[s]
	var end int64
	for _, it := range items {
		if it.lines != nil {
			end = it.lines.offset + it.lines.length
		}
	}
	p := u.p
	p.mu.Lock()
	defer p.mu.Unlock()
	p.partials[s] = partial{}
	for _, it := range items {
		if it.lines != nil {
			it.seq = p.rec.LastSeq + 1
			p.rec.LastSeq += int64(it.count)
			continue
		}
		*it = *p.numbered(events[:it.count])
		events = events[it.count:]
	}
	// The entry that ends the run is not far behind, unless there is much.
	last := u.over && len(u.flight) < maxInFlight/2
	e := &entry{log: u.log, items: items, lazy: last, done: func(error) {
		st.indexed.Store(end)
		<-u.flight
	}}
	update := len(items) > 1 || items[0].lines == nil
	if update {
		u.noteEvidence()
	}
	if u.reserve() {
		update = true
	}
	p.append(e, update)
}

// reserveAhead is how many numbers are reserved at a time.
const reserveAhead = 4096

// reserve keeps numbers from being given twice: lines that are not on disk
// leave no trace of theirs, so the store is told, ahead, how far they may have
// gone. It reports whether the record is to be stored for it; p.mu is held.
func (u *pump) reserve() bool {
	p := u.p
	if !p.k.cfg.KeepQueue || policy(p.rec.RawOutput).OnDisk() || p.rec.LastSeq <= p.reserved {
		return false
	}
	p.reserved = p.rec.LastSeq + reserveAhead
	return true
}

// noteEvidence brings the record up to what the interpreter knows; p.mu is held.
func (u *pump) noteEvidence() {
	ev := u.session.Evidence()
	u.p.rec.Phase, u.p.rec.Progress = ev.Phase, ev.Progress
}
