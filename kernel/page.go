package kernel

import (
	"context"

	"github.com/reeverun/reeve/process"
)

// EventPage returns events of a process that a query selects, output lines
// included where it selects them. Only then are logs read.
func (k *Kernel) EventPage(ctx context.Context, id process.ID, q process.EventQuery) (process.EventPage, error) {
	rec, err := k.Process(ctx, id)
	if err != nil {
		return process.EventPage{}, err
	}
	b := &pager{k: k, id: id, q: q, rec: rec, last: rec.LastSeq}
	if p := k.table.get(id); p != nil {
		b.last, _ = p.feed.last() // lines do not change the record
	}
	if q.Before > 0 {
		return b.backward(ctx)
	}
	return b.forward(ctx)
}

// pager puts one page together.
type pager struct {
	k    *Kernel
	id   process.ID
	q    process.EventQuery
	rec  *process.Process
	last int64           // the newest seq
	out  []process.Event // backward: the newest first
}

// take adds an event that is wanted, and reports whether the page is full.
func (b *pager) take(ev process.Event) (full bool) {
	if ev.Seq > b.q.After && b.q.Keeps(ev.Kind) {
		b.out = append(b.out, ev)
	}
	return len(b.out) >= b.q.Limit
}

// forward reads on until about as much is found as was asked for.
func (b *pager) forward(ctx context.Context) (process.EventPage, error) {
	after, batch := b.q.After, b.q.Limit
	if !b.q.All() {
		batch = max(batch, replayPage)
	}
	for len(b.out) < b.q.Limit {
		found, err := b.next(ctx, after, batch)
		if err != nil {
			return process.EventPage{}, err
		}
		if len(found) == 0 { // there is nothing behind this
			return b.page(max(after, b.last)), nil
		}
		after = found[len(found)-1].Seq
		b.last = max(b.last, after) // it happened since
		for i := range found {
			if b.take(found[i]) && !b.q.All() {
				return b.page(found[i].Seq), nil
			}
		}
	}
	return b.page(after), nil
}

func (b *pager) next(ctx context.Context, after int64, limit int) ([]process.Event, error) {
	if b.q.Lines() {
		return b.k.Events(ctx, b.id, after, limit)
	}
	return b.k.cfg.Store.Events(ctx, b.id, after, limit)
}

func (b *pager) page(next int64) process.EventPage {
	return process.EventPage{Events: b.out, Next: max(next, b.q.After), Last: b.last}
}
