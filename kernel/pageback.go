package kernel

import (
	"context"
	"slices"

	"github.com/reeverun/reeve/process"
)

// backward reads from Before on towards the beginning.
func (b *pager) backward(ctx context.Context) (process.EventPage, error) {
	before := min(b.q.Before, b.last+1)
	end := before - 1
	run, err := b.runAt(ctx, before)
	if err != nil {
		return process.EventPage{}, err
	}
	r := &replayer{k: b.k, id: b.id, at: b.rec.CompletedAt}
	if r.at.IsZero() {
		r.at = b.rec.CreatedAt
	}
	defer r.close()
	batch := max(b.q.Limit, 1)
	for full := false; !full; {
		stored, err := b.k.cfg.Store.EventsBefore(ctx, b.id, before, batch)
		if err != nil {
			return process.EventPage{}, err
		}
		for _, ev := range slices.Backward(stored) {
			if full = b.linesBefore(r, ev.Seq, before, run) || b.take(ev); full {
				break
			}
			before, run = ev.Seq, ev.Run
		}
		if before <= b.q.After+1 {
			break
		}
		if len(stored) < batch {
			if !full {
				b.linesBefore(r, b.q.After, before, run)
			}
			break
		}
		batch = max(batch, replayPage)
	}
	slices.Reverse(b.out)
	return b.page(max(end, 0)), nil
}

// runAt is the run that lines right below a seq belong to: that of the event
// which follows them.
func (b *pager) runAt(ctx context.Context, before int64) (int, error) {
	above, err := b.k.cfg.Store.Events(ctx, b.id, before-1, 1)
	if err != nil || len(above) == 0 {
		return b.rec.Number, err
	}
	return above[0].Run, nil
}

// linesBefore takes the events between two seqs, all of them lines of one run,
// the newest first. It reports whether the page is full.
func (b *pager) linesBefore(r *replayer, after, before int64, run int) (full bool) {
	if !b.q.Lines() {
		return false
	}
	for after = max(after, b.q.After); before > after+1; {
		events := r.previous(after, before, run)
		for _, ev := range slices.Backward(events) {
			if b.take(ev) {
				return true
			}
		}
		before = firstSeq(&events[0])
	}
	return false
}

// firstSeq is the first seq that an event of lines stands for.
func firstSeq(ev *process.Event) int64 {
	if d, ok := ev.Data.(process.OutputElided); ok {
		return d.FromSeq
	}
	return ev.Seq
}

// previous returns at least one event right below a seq, above another.
func (r *replayer) previous(after, before int64, run int) []process.Event {
	r.use(run)
	if r.reader == nil {
		return r.gap(run, after, before-1)
	}
	entries, err := r.reader.EntriesBefore(before, 1)
	if err != nil || len(entries) == 0 || entries[0].Seq+int64(entries[0].Count)-1 <= after {
		return r.gap(run, after, before-1)
	}
	e := entries[0]
	if end := e.Seq + int64(e.Count) - 1; end < before-1 {
		return r.gap(run, end, before-1)
	}
	events := clip(linesOf(r.reader, e, r.id, run), seqOf, before-1)
	if len(events) == 0 { // all of them are one elided event, that ends above
		return r.gap(run, max(after, e.Seq-1), before-1)
	}
	return events
}
