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

// ofLines reports whether the item is lines, or one that grows.
func (it *item) ofLines() bool { return it.lines != nil || it.live }

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
