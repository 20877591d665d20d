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
		m.inDetail, m.moved = !m.inDetail, true
		m.zoomed = m.zoomed && m.inDetail
	case "enter":
		m.zoomed = !m.zoomed
		m.inDetail, m.moved = m.zoomed, true
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
		m.narrow()
		return m.searchOlder(), true
	default:
		return nil, false
	}
	return nil, true
}

// show changes what the lower pane shows.
func (m *Model) show(t tab) {
	m.tab, m.moved = t, true
	m.tail.top, m.tail.left, m.tail.offset, m.tail.find, m.tail.pinned = 0, 0, 0, "", true
}

// arrange makes the rows anew at once.
func (m *Model) arrange() { m.rebuild() }

// narrow arranges the rows by a new filter, and selects the first that passes it
// unless the one that is selected does.
func (m *Model) narrow() {
	before := m.selected
	m.arrange()
	if i := m.at(); i >= 0 && m.selected == before && !m.board.rows[i].faint {
		return
	}
	for _, r := range m.board.rows {
		if !r.faint {
			m.choose(r.rec.ID)
			return
		}
	}
}

// back undoes the last narrowing.
func (m *Model) back() {
	f := &m.board.filter
	m.say("")
	switch {
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

// choose selects a process, for good.
func (m *Model) choose(id process.ID) { m.selected, m.moved = id, true }

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
		m.narrow()
	}
	return nil
}
