package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/reeverun/reeve/process"
)

// retry is when a log that could not be opened is tried again.
const retry = 500 * time.Millisecond

// pastMsg is a page of a log.
type pastMsg struct {
	tail   int
	events []process.Event
	newest int64 // seq there is
	bound  int64 // below which seq it was asked for; 0: the newest
	newer  bool  // it continues a window that was cut
	err    error
}

// look makes the lower pane show what is selected.
func (m *Model) look() tea.Cmd {
	if m.selected == 0 || m.tail.id == m.selected && m.tail.kinds == m.tab.kinds() {
		return m.resumeTail()
	}
	m.leave()
	m.tail = tail{number: m.tail.number + 1, id: m.selected, kinds: m.tab.kinds(), styles: map[process.Stream]style{}, partial: map[process.Stream]entry{}, pinned: true}
	if m.info.id != m.selected {
		m.info = info{id: m.selected}
	}
	m.wanted++
	return m.fx.after(quiet, openMsg{m.wanted})
}

// leave ends what reads for the window.
func (m *Model) leave() {
	if m.tail.follow != nil {
		m.tail.follow.end()
		m.tail.follow = nil
	}
}

// open fetches the end of a log, if it is still wanted.
func (m *Model) open(msg openMsg) tea.Cmd {
	if msg.wanted != m.wanted || m.tail.opened {
		return nil
	}
	return m.past(0)
}

// past fetches the page of a log that ends before a seq; 0: its end.
func (m *Model) past(before int64) tea.Cmd { return m.page(pastMsg{bound: before}) }

// newer fetches the page after a window that was cut.
func (m *Model) newer() tea.Cmd {
	return m.page(pastMsg{bound: m.tail.reach + 1 + pastLines, newer: true})
}

func (m *Model) page(msg pastMsg) tea.Cmd {
	if m.tail.fetches {
		return nil
	}
	m.tail.fetches = true
	msg.tail = m.tail.number
	id, kinds := m.tail.id, m.tail.kinds
	return m.fx.do(func(ctx context.Context) tea.Msg {
		msg.events, msg.newest, msg.err = m.fx.source.Past(ctx, id, kinds, msg.bound, pastLines)
		return msg
	})
}

// takePast puts a page where it belongs.
func (m *Model) takePast(msg pastMsg) tea.Cmd {
	t := &m.tail
	if msg.tail != t.number {
		return nil
	}
	t.fetches = false
	switch {
	case msg.err != nil && final(msg.err):
		t.trouble, t.opened = msg.err.Error(), true
	case msg.err != nil && !t.opened:
		return m.fx.after(retry, openMsg{m.wanted})
	case msg.err != nil: // who scrolls on asks again
	case msg.newer:
		t.after(m.theme, msg.events, msg.bound, msg.newest)
		if len(t.entries) == 0 && t.cut { // so far nothing of the kind
			return m.newer()
		}
	case msg.bound != 0:
		return m.findAgain(t.before(m.theme, msg.events))
	default:
		if t.opened {
			t.empty()
		}
		for i := range msg.events {
			t.take(m.theme, &msg.events[i])
		}
		t.whole = len(msg.events) < pastLines
		t.last, t.reach, t.opened = max(t.last, msg.newest), max(t.last, msg.newest), true
		return tea.Batch(m.followTail(), m.findAgain(len(t.entries)))
	}
	return nil
}

// followTail reads on from the end of the window.
func (m *Model) followTail() tea.Cmd {
	t := &m.tail
	follower, run := m.fx.follow(t.number, t.id, t.kinds, t.last)
	t.follow = follower
	return tea.Batch(run, m.fx.do(follower.next))
}

// resumeTail follows a process that runs again. A timeline wants to know how it
// began, too.
func (m *Model) resumeTail() tea.Cmd {
	t, n := &m.tail, m.node()
	if m.tab == timelineTab && t.opened && !t.whole && !t.fetches && m.away == nil && len(t.entries) > 0 && len(t.entries) < mostLines-pastLines {
		return m.past(t.entries[0].seq)
	}
	if n == nil || !t.opened || t.follow != nil || t.trouble != "" || n.rec.State == process.Idle || !n.seen.After(t.ended) {
		return nil
	}
	return m.followTail()
}

// takeFollowed adds what was read.
func (m *Model) takeFollowed(msg followedMsg) tea.Cmd {
	t := &m.tail
	if msg.tail != t.number || t.follow == nil {
		return nil
	}
	for i := range msg.events {
		t.take(m.theme, &msg.events[i])
	}
	if m.behind(msg.events) {
		m.leave()
		t.number++
		t.fetches = false
		return m.past(0)
	}
	if !msg.over {
		return m.fx.do(t.follow.next)
	}
	t.follow = nil
	if n := m.node(); n != nil {
		t.ended = n.seen // a record from before says nothing about what comes after
	}
	if msg.err != nil {
		t.trouble = msg.err.Error()
	}
	return nil
}

// behind reports whether a window that shows the end is far from it: a program
// writes faster than its lines can be read one by one. Then the end is fetched
// anew; the lines between are there for who scrolls up.
func (m *Model) behind(events []process.Event) bool {
	const many, late = 500, time.Second
	return m.tail.pinned && len(events) > many && m.now.Sub(events[len(events)-1].At) > late
}
