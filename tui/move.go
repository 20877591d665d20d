package tui

import (
	tea "charm.land/bubbletea/v2"
)

// far is to the beginning, or the end.
const far = 1 << 30

// move moves the selection, or what the lower pane shows.
func (m *Model) move(key string) (cmd tea.Cmd, done bool) {
	l := m.layout()
	page := l.list
	if m.inDetail {
		page = l.detail
	}
	page = max(1, page-1)
	by, ok := map[string]int{"up": -1, "k": -1, "down": 1, "j": 1, "pgup": -page, "ctrl+b": -page, "pgdown": page, "ctrl+f": page,
		"ctrl+u": -(page + 1) / 2, "ctrl+d": (page + 1) / 2, "home": -far, "g": -far, "end": far, "G": far}[key]
	if ok {
		if m.inDetail {
			return m.scroll(by), true
		}
		m.walk(by)
		return nil, true
	}
	switch key {
	case "left":
		m.sideways(-1)
	case "right":
		m.sideways(1)
	default:
		return nil, false
	}
	return nil, true
}

// walk moves the selection.
func (m *Model) walk(by int) {
	rows := m.board.rows
	if len(rows) == 0 {
		return
	}
	m.choose(rows[min(max(0, m.at()+by), len(rows)-1)].rec.ID)
	m.moved = by != -far // who goes to the top watches what comes there
}

// sideways folds and unfolds a tree, or moves along long lines.
func (m *Model) sideways(direction int) {
	if m.inDetail {
		m.tail.left = max(0, m.tail.left+direction*max(8, m.width/4))
		return
	}
	n := m.node()
	if n == nil || m.at() < 0 {
		return
	}
	r := m.board.rows[m.at()]
	switch {
	case direction > 0:
		delete(m.board.folded, r.rec.ID)
	case r.below > 0 && !r.folded:
		m.board.folded[r.rec.ID] = true
	case r.rec.Parent != nil && m.board.nodes[*r.rec.Parent] != nil:
		m.choose(*r.rec.Parent)
	}
	m.arrange()
}

// scroll moves what the lower pane shows. What is not loaded is fetched.
func (m *Model) scroll(by int) tea.Cmd {
	height := m.layout().detail
	d := &m.tail
	if m.tab != outputTab && m.tab != eventsTab {
		d.offset = min(max(0, d.offset+by), max(0, len(m.laidOut())-height))
		return nil
	}
	last := max(0, d.length()-height)
	if d.pinned {
		d.top = last
	}
	d.top = min(max(0, d.top+by), last)
	d.pinned = d.top == last && by >= 0 && !d.cut
	switch {
	case by == -far && !d.whole && d.opened:
		d.rewind()
		return m.newer()
	case by < 0 && d.top < height && !d.whole && d.opened && len(d.entries) > 0:
		return m.past(d.entries[0].seq)
	case by == far && d.cut:
		m.leave()
		m.tail.id = 0 // so that it is opened anew, at its end
	case by > 0 && d.top == last && d.cut:
		return m.newer()
	}
	return nil
}
