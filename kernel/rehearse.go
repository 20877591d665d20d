package kernel

import (
	"context"

	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
)

// rehearseMax is how much output an interpreter is shown again.
const rehearseMax = 64 << 20

// rehearse shows the interpreter what an earlier host's has seen, so that it
// knows what that one knew; what it says is in the events already. Where there
// is too much of that, or some is gone, it is told the events only: phases,
// findings and counts are right then, and what it remembered itself is not.
func (u *pump) rehearse() {
	if u.session == nil {
		return
	}
	rd, err := u.p.k.cfg.Logs.Open(int64(u.p.id), u.p.rec.Number)
	if err != nil {
		u.restore()
		return
	}
	defer rd.Close()
	if n := u.log.Position(rawlog.Stdout) + u.log.Position(rawlog.Stderr); n > rehearseMax ||
		len(rd.Holes(rawlog.Stdout))+len(rd.Holes(rawlog.Stderr)) > 0 || !u.repeat(rd) {
		u.restore()
	}
}

// repeat gives the session all lines up to where the earlier host stood.
func (u *pump) repeat(rd *rawlog.Reader) bool {
	var buf []byte
	var spans []interpret.Span
	for after := int64(0); ; {
		entries, err := rd.Entries(after, 1024)
		if err != nil {
			return false
		}
		for _, e := range entries {
			if e.Seq > u.p.seen {
				return true
			}
			after = e.Seq + int64(e.Count) - 1
			if int64(cap(buf)) < e.Len {
				buf = make([]byte, e.Len)
			}
			buf = buf[:e.Len]
			if n, _ := rd.ReadAt(e.Stream, buf, e.Offset); int64(n) < e.Len {
				return false
			}
			var split interpret.Splitter
			spans, _ = split.Split(buf, spans[:0], true)
			u.session.Block(streamName(e.Stream), buf, spans, func(int, process.Payload) {})
		}
		if len(entries) == 0 {
			return true
		}
	}
}

// restore tells a new session what the events of the run hold.
func (u *pump) restore() {
	u.session = u.newSession()
	for e, err := range u.p.k.eventsOf(context.Background(), &u.p.rec) {
		if err != nil {
			u.p.k.log.Error("read what was found so far", "process", u.p.id, "error", err)
			return
		}
		if e.Seq <= u.p.seen {
			u.session.Restore(e.Data)
		}
	}
}
