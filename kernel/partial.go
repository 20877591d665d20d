package kernel

import (
	"time"
	"unicode/utf8"

	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/rawlog"
)

// showPartials shows unterminated lines that have been silent long enough. It
// returns how long to wait for the next, or for ever.
func (u *pump) showPartials() time.Duration {
	wait := forever
	for i := range u.streams {
		st := &u.streams[i]
		if len(st.carry) == 0 || st.shown {
			continue
		}
		if quiet := time.Since(st.since); quiet < partialAfter {
			wait = min(wait, partialAfter-quiet)
			continue
		}
		st.shown = true
		u.showPartial(rawlog.Stream(i))
	}
	return wait
}

// grown wakes those who follow the bytes when a line grows without an end: it
// is no event, so nothing else would.
func (u *pump) grown() {
	p := u.p
	if !p.feed.wantsLines() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.append(&entry{items: []*item{{p: p, seq: p.rec.LastSeq + 1, live: true}}}, false)
}

func (u *pump) showPartial(s rawlog.Stream) {
	st := &u.streams[s]
	l := partial{text: interpret.Text(wholeRunes(st.carry)), offset: st.offset}
	if l.text == "" {
		return
	}
	events := u.session.Partial(streamName(s), l.text)
	p := u.p
	p.mu.Lock()
	defer p.mu.Unlock()
	p.partials[s] = l
	if len(events) > 0 {
		u.noteEvidence()
		p.record(nil, events...) // shows the partial line after them
		return
	}
	p.append(&entry{items: []*item{p.partialItem(s, l)}}, false)
}

// wholeRunes cuts off a UTF-8 sequence whose end is still to come.
func wholeRunes(b []byte) []byte {
	for i := len(b) - 1; i >= max(0, len(b)-utf8.UTFMax+1); i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			break
		}
	}
	return b
}
