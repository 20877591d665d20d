package kernel

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
	"github.com/reeverun/reeve/store"
)

// AllEvents returns about limit events of all processes after a cursor, output
// lines included, in the order they were committed.
func (k *Kernel) AllEvents(ctx context.Context, after int64, limit int) ([]process.Event, error) {
	return k.allEvents(ctx, &survey{}, after, limit)
}

// survey is what a replay of all processes knows about the runs before it, so
// that a page opens the logs it is about and no others.
type survey struct {
	at   int64  // the replay's place; at another one it knows nothing
	upTo int64  // every run with lines up to here is known
	runs []head // by cursor
}

// head is a run, and where the entries of its index go on.
type head struct {
	run    store.RunRef
	cursor int64
}

// allEvents is AllEvents for one who reads page after page.
func (k *Kernel) allEvents(ctx context.Context, v *survey, after int64, limit int) (out []process.Event, err error) {
	if after != v.at || after >= v.upTo {
		if err := k.look(ctx, v, after); err != nil {
			return nil, err
		}
	}
	for after < v.upTo && len(out) == 0 {
		stored, err := k.cfg.Store.AllEvents(ctx, after, limit)
		if err != nil {
			return nil, err
		}
		// A page is as many cursors as it may have events; they have few gaps.
		upTo := min(v.upTo, max(after+1, v.first(stored))+int64(limit)-1)
		out = k.weave(clip(stored, cursorOf, upTo), k.advance(v, after, upTo), after)
		after = upTo
	}
	if len(out) > 0 {
		after = out[len(out)-1].Cursor
	}
	v.at = after
	return out, nil
}

// look finds the runs that have lines after a cursor, up to the last one that
// is published now.
func (k *Kernel) look(ctx context.Context, v *survey, after int64) error {
	_, upTo := k.events.last()
	runs, err := k.cfg.Store.RunsAfter(ctx, after)
	if err != nil {
		return err
	}
	v.upTo, v.runs = upTo, v.runs[:0]
	for _, r := range runs {
		rd, err := k.cfg.Logs.Open(int64(r.Process), r.Run)
		if err != nil {
			continue // not kept
		}
		if entries, err := rd.EntriesAfterCursor(after, 1); err == nil && len(entries) > 0 && entries[0].Cursor <= upTo {
			v.runs = append(v.runs, head{r, entries[0].Cursor})
		}
		rd.Close()
	}
	v.sort()
	return nil
}

// first is the lowest cursor there is, of a stored event or a line.
func (v *survey) first(stored []process.Event) int64 {
	first := v.upTo
	if len(stored) > 0 {
		first = stored[0].Cursor
	}
	if len(v.runs) > 0 {
		first = min(first, v.runs[0].cursor)
	}
	return first
}

func (v *survey) sort() {
	slices.SortFunc(v.runs, func(a, b head) int { return cmp.Compare(a.cursor, b.cursor) })
}

// advance returns the index entries after a cursor that begin up to another, in
// order, and notes where each run goes on.
func (k *Kernel) advance(v *survey, after, upTo int64) (blocks []block) {
	for i := range v.runs {
		h := &v.runs[i]
		if h.cursor > upTo {
			break
		}
		var found []block
		found, h.cursor = k.blocksOf(h.run, after, upTo)
		blocks = append(blocks, found...)
	}
	v.runs = slices.DeleteFunc(v.runs, func(h head) bool { return h.cursor > v.upTo })
	v.sort()
	slices.SortFunc(blocks, func(a, b block) int { return cmp.Compare(a.entry.Cursor, b.entry.Cursor) })
	return blocks
}

// block is an index entry with the run it belongs to.
type block struct {
	run   store.RunRef
	entry rawlog.Entry
}

// blocksOf returns the index entries of a run that end after a cursor and begin
// up to another, and the cursor of the one that follows.
func (k *Kernel) blocksOf(r store.RunRef, after, upTo int64) (out []block, next int64) {
	rd, err := k.cfg.Logs.Open(int64(r.Process), r.Run)
	if err != nil {
		return nil, math.MaxInt64
	}
	defer rd.Close()
	for {
		entries, err := rd.EntriesAfterCursor(after, 64)
		if err != nil || len(entries) == 0 {
			return out, math.MaxInt64
		}
		for _, e := range entries {
			if e.Cursor > upTo {
				return out, e.Cursor
			}
			out = append(out, block{r, e})
			after = e.Cursor + int64(e.Count) - 1
		}
	}
}

// weave merges stored events and lines by cursor. The cursors of an entry's
// lines follow each other: nothing comes between them.
func (k *Kernel) weave(stored []process.Event, blocks []block, after int64) (out []process.Event) {
	for len(stored) > 0 || len(blocks) > 0 {
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
