package tui

import (
	"cmp"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/wording"
)

// node is a process on the board.
type node struct {
	rec   process.Record
	seen  time.Time // when the record was fetched: a clock goes on from there
	title string    // fit to be shown
	asks  bool      // a person has to decide, and its clock stands still
	cpu   float64   // per cent of a core; negative: not known
	marks []mark    // of the last few looks at it
}

// mark is how much processor time a run had used at a time.
type mark struct {
	cpu int64
	at  time.Time
}

// looks is over how many looks the load is taken: the daemon itself looks once a
// second, so that the time between two says little.
const looks = 4

// titleOf names a process: by its reference, and by its label or what it runs.
func titleOf(rec *process.Record) string {
	if code := rec.Code; code != nil {
		const enough = 400 // what follows is seen on no screen
		short := (*code)[:min(len(*code), enough)]
		rec.Code = &short
	}
	title := wording.Title(rec)
	switch {
	case rec.Ref == nil:
		return cmp.Or(title, rec.Environment)
	case title == "":
		return *rec.Ref
	}
	return *rec.Ref + ": " + title
}

// load is how busy a run was since it was looked at a few times ago.
func (n *node) load(rec *process.Record, now time.Time) float64 {
	if rec.State != process.Running || rec.Paused || rec.Run != n.rec.Run {
		n.marks = nil
		return -1
	}
	if last := len(n.marks) - 1; last >= 0 && now.Sub(n.marks[last].at) < time.Second {
		return n.cpu
	}
	n.marks = append(n.marks, mark{rec.Usage.CPUMS, now})
	n.marks = n.marks[max(0, len(n.marks)-looks):]
	first := n.marks[0]
	if passed := now.Sub(first.at); passed > 0 {
		return max(0, 100*float64(rec.Usage.CPUMS-first.cpu)/float64(passed.Milliseconds()))
	}
	return -1
}

// clock is how long a run has taken: it goes on from what the record says, unless
// the run stands still.
func (n *node) clock(now time.Time) time.Duration {
	d := time.Duration(n.rec.Usage.WallMS) * time.Millisecond
	if n.ticks() {
		d += max(0, now.Sub(n.seen))
	}
	return d
}

// ticks reports whether the clock of a process is going.
func (n *node) ticks() bool {
	return (n.rec.State == process.Running || n.rec.State == process.Terminating) && n.rec.StartedAt != nil && !n.rec.Paused && !n.asks
}
