package kernel

import (
	"context"
	"slices"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
	"github.com/reeverun/reeve/store"
)

// AllEvents returns about limit events of all processes after a cursor, output
// lines included, in the order they were committed.
func (k *Kernel) AllEvents(ctx context.Context, after int64, limit int) ([]process.Event, error) {
	_, upTo := k.events.last()
	stored, err := k.cfg.Store.AllEvents(ctx, after, limit)
	if err != nil {
		return nil, err
	}
	stored = clip(stored, cursorOf, upTo)
	if len(stored) == limit { // what comes after is for the next page
		upTo = stored[limit-1].Cursor
	}
	runs, err := k.cfg.Store.RunsAfter(ctx, after)
	if err != nil {
		return nil, err
	}
	var blocks []block
	for _, r := range runs {
		blocks = append(blocks, k.blocksOf(r, after, upTo, limit)...)
	}
	slices.SortFunc(blocks, func(a, b block) int { return int(a.entry.Cursor - b.entry.Cursor) })
	return k.weave(stored, blocks, after, limit), nil
}

// block is an index entry with the run it belongs to.
type block struct {
	run   store.RunRef
	entry rawlog.Entry
}

// blocksOf returns the index entries of a run between two cursors, as many as
// a page can need.
func (k *Kernel) blocksOf(r store.RunRef, after, upTo int64, limit int) (out []block) {
	rd, err := k.cfg.Logs.Open(int64(r.Process), r.Run)
	if err != nil {
		return nil
	}
	defer rd.Close()
	for lines := 0; lines < limit; {
		entries, err := rd.EntriesAfterCursor(after, 64)
		if err != nil || len(entries) == 0 {
			break
		}
		for _, e := range entries {
			if e.Cursor > upTo {
				return out
			}
			out = append(out, block{r, e})
			after = e.Cursor + int64(e.Count) - 1
			lines += e.Count
		}
	}
	return out
}

// weave merges stored events and lines by cursor.
func (k *Kernel) weave(stored []process.Event, blocks []block, after int64, limit int) (out []process.Event) {
	for len(out) < limit && (len(stored) > 0 || len(blocks) > 0) {
		if len(blocks) == 0 || len(stored) > 0 && stored[0].Cursor < blocks[0].entry.Cursor {
			out = append(out, stored[0])
			stored = stored[1:]
			continue
		}
		b := blocks[0]
		blocks = blocks[1:]
		for _, ev := range readLines(k.cfg.Logs, b.entry, b.run.Process, b.run.Run) {
			if ev.Cursor > after {
				out = append(out, ev)
			}
		}
	}
	return out
}
