package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/reeverun/reeve/process"
)

// key does what a key asks for.
func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	key := msg.String()
	if key == "ctrl+c" {
		return tea.Quit
	}
	switch {
	case m.prompt != nil:
		return m.promptKey(msg)
	case m.dialog != nil:
		return m.dialogKey(key)
	case m.help:
		m.helpKey(key)
		return nil
	}
	if cmd, done := m.move(key); done {
		return cmd
	}
	if cmd, done := m.paneKey(key); done {
		return cmd
	}
	return m.act(key)
}

// paneKey switches between panes and what they show.
func (m *Model) paneKey(key string) (cmd tea.Cmd, done bool) {
	switch key {
	case "q":
		return tea.Quit, true
	case "?", "f1":
		m.help = true
	case "ctrl+l":
		return tea.ClearScreen, true
	case "ctrl+z":
		return tea.Suspend, true
	case "tab", "shift+tab":
		m.inDetail = !m.inDetail
		m.zoomed = m.zoomed && m.inDetail
	case "enter":
		m.zoomed = !m.zoomed
		m.inDetail = m.zoomed
	case "esc":
		m.back()
	case "l", "1":
		m.show(outputTab)
	case "e", "2":
		m.show(eventsTab)
	case "t", "3":
		m.show(timelineTab)
	case "v", "4":
		m.show(infoTab)
	case "T", "5":
		m.showTranscript()
	case "w":
		m.wraps = !m.wraps
	case "/":
		return m.search(), true
	case "n":
		return m.findNext(1), true
	case "N":
		return m.findNext(-1), true
	case "s":
		m.board.order = (m.board.order + 1) % orders
		m.arrange()
	case "f":
		m.board.filter.state = (m.board.filter.state + 1) % stateFilters
		m.arrange()
		return m.searchOlder(), true
	default:
		return nil, false
	}
	return nil, true
}

// show changes what the lower pane shows.
func (m *Model) show(t tab) {
	m.tab = t
	m.tail.top, m.tail.left, m.tail.offset, m.tail.find, m.tail.pinned = 0, 0, 0, "", true
}

// arrange makes the rows anew at once.
func (m *Model) arrange() { m.rebuild() }

// back undoes the last narrowing.
func (m *Model) back() {
	f := &m.board.filter
	switch {
	case m.status != "":
		m.say("")
	case m.tail.find != "":
		m.tail.find = ""
	case m.zoomed:
		m.zoomed, m.inDetail = false, false
	case m.inDetail:
		m.inDetail = false
	case len(m.marked) > 0:
		clear(m.marked)
	case f.text != "" || f.state != anyState:
		*f = filter{}
		m.arrange()
	}
}

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
}

// choose selects a process, for good.
func (m *Model) choose(id process.ID) { m.selected, m.moved = id, true }

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

// targets are the processes that an action is about: those that are marked, else
// the one that is selected.
func (m *Model) targets() []*node {
	if len(m.marked) == 0 {
		if n := m.node(); n != nil {
			return []*node{n}
		}
		return nil
	}
	var all []*node
	for _, r := range m.board.rows {
		if m.marked[r.rec.ID] {
			all = append(all, r.node)
		}
	}
	return all
}

func idsOf(nodes []*node) []process.ID {
	ids := make([]process.ID, len(nodes))
	for i, n := range nodes {
		ids[i] = n.rec.ID
	}
	return ids
}

// search asks what to search for: in the list, or in the log.
func (m *Model) search() tea.Cmd {
	if m.inDetail && (m.tab == outputTab || m.tab == eventsTab) {
		m.ask("find: ", m.tail.find, func(text string) tea.Cmd {
			m.tail.find, m.tail.found = text, 0
			if text == "" {
				return nil
			}
			return m.findFrom(len(m.tail.entries)-1, -1)
		})
		return nil
	}
	m.ask("search: ", m.board.filter.text, func(string) tea.Cmd { return m.searchOlder() })
	m.prompt.changed = func(text string) {
		m.board.filter.text = strings.ToLower(text)
		m.arrange()
	}
	return nil
}
