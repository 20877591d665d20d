package kernel

import (
	"context"
	"errors"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
)

// replayPage is how many events a replay reads at a time.
const replayPage = 512

// Events returns about limit events of a process after a seq, output lines
// included, in order. Lines that are no longer kept are one output_elided.
func (k *Kernel) Events(ctx context.Context, id process.ID, after int64, limit int) ([]process.Event, error) {
	rec, err := k.Process(ctx, id)
	if err != nil {
		return nil, err
	}
	last := rec.LastSeq
	if p := k.table.get(id); p != nil {
		last, _ = p.feed.last() // lines do not change the record
	}
	stored, err := k.cfg.Store.Events(ctx, id, after, limit)
	if err != nil {
		return nil, err
	}
	r := &replayer{k: k, id: id, at: rec.CompletedAt, limit: limit}
	if r.at.IsZero() {
		r.at = rec.CreatedAt
	}
	defer r.close()
	for _, ev := range stored {
		if r.lines(after, ev.Seq-1, ev.Run) {
			return r.out, nil
		}
		r.out = append(r.out, ev)
		after = ev.Seq
		if len(r.out) >= limit {
			return r.out, nil
		}
	}
	if len(stored) < limit {
		r.lines(after, last, rec.Number)
	}
	return r.out, nil
}

// replayer fills the gaps between stored events with lines from the logs.
type replayer struct {
	k      *Kernel
	id     process.ID
	at     time.Time // for what cannot be dated
	limit  int
	out    []process.Event
	reader *rawlog.Reader
	opened int // the run reader belongs to
}

// lines adds the events after one seq up to another, all of them lines of one
// run. It reports whether the page is full.
func (r *replayer) lines(after, upTo int64, run int) (full bool) {
	for after < upTo {
		if len(r.out) >= r.limit {
			return true
		}
		events := r.next(after, upTo, run)
		r.out = append(r.out, events...)
		after = lastOf(events[len(events)-1], true)
	}
	return len(r.out) >= r.limit
}

// next returns at least one event after a seq, up to another.
func (r *replayer) next(after, upTo int64, run int) []process.Event {
	r.use(run)
	if r.reader == nil {
		return r.gap(run, after, upTo)
	}
	entries, err := r.reader.Entries(after, 1)
	if err != nil || len(entries) == 0 || entries[0].Seq > upTo {
		return r.gap(run, after, upTo)
	}
	e := entries[0]
	if e.Seq > after+1 {
		return r.gap(run, after, e.Seq-1)
	}
	events := clip(linesOf(r.reader, e, r.id, run), seqOf, upTo)
	for i := range events {
		if lastOf(events[i], true) > after {
			return events[i:]
		}
	}
	return r.gap(run, after, upTo)
}

// use opens the log of a run.
func (r *replayer) use(run int) {
	if r.opened != run {
		r.close()
		r.opened = run
		r.reader, _ = r.k.cfg.Logs.Open(int64(r.id), run)
	}
}

// gap is a run of lines of which nothing is known any more.
func (r *replayer) gap(run int, after, upTo int64) []process.Event {
	ev := elided(r.id, run, "", after+1, upTo, 0)
	ev.At = r.at
	return []process.Event{ev}
}

func (r *replayer) close() {
	if r.reader != nil {
		r.reader.Close()
		r.reader = nil
	}
}

// linesOf reads the lines of an index entry. If their bytes are gone they are
// one output_elided.
func linesOf(rd *rawlog.Reader, e rawlog.Entry, id process.ID, run int) []process.Event {
	raw := make([]byte, e.Len)
	n, err := rd.ReadAt(e.Stream, raw, e.Offset)
	if int64(n) == e.Len && (err == nil || !errors.Is(err, rawlog.ErrHole)) {
		if events := decodeLines(e, id, run, raw); len(events) == e.Count {
			return events
		}
	}
	ev := elided(id, run, streamName(e.Stream), e.Seq, e.Seq+int64(e.Count)-1, e.Len)
	ev.Cursor = e.Cursor + int64(e.Count) - 1
	ev.At = time.Unix(0, e.At).UTC()
	return []process.Event{ev}
}

// readLines reads the lines of an index entry of a run that may be live.
func readLines(logs *rawlog.Logs, e rawlog.Entry, id process.ID, run int) []process.Event {
	rd, err := logs.Open(int64(id), run)
	if err != nil {
		ev := elided(id, run, streamName(e.Stream), e.Seq, e.Seq+int64(e.Count)-1, e.Len)
		ev.Cursor = e.Cursor + int64(e.Count) - 1
		return []process.Event{ev}
	}
	defer rd.Close()
	return linesOf(rd, e, id, run)
}

// elided stands for lines from one seq to another. It carries the last seq,
// so that a reader goes on after it.
func elided(id process.ID, run int, s process.Stream, from, to, bytes int64) process.Event {
	ev := process.New(process.OutputElided{Stream: s, FromSeq: from, ToSeq: to, Bytes: bytes})
	ev.Seq, ev.Process, ev.Run = to, id, run
	return ev
}

func cursorOf(ev *process.Event) int64 { return ev.Cursor }

func seqOf(ev *process.Event) int64 { return ev.Seq }

// lastOf is the number a reader has reached with an event.
func lastOf(ev process.Event, seq bool) int64 {
	if seq {
		return ev.Seq
	}
	return ev.Cursor
}

// clip cuts events off above a number.
func clip(events []process.Event, at func(*process.Event) int64, upTo int64) []process.Event {
	for i := range events {
		if at(&events[i]) > upTo {
			return events[:i]
		}
	}
	return events
}
