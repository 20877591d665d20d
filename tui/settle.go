package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

const (
	// rebuild is the least time between two arrangements of the rows, keys aside.
	rebuild = 250 * time.Millisecond
	// quiet is how long the selection rests before it is looked into: who runs
	// through the list opens nothing.
	quiet = 80 * time.Millisecond
	// beats between two looks at how busy what is on the screen is.
	loadBeats = 2
	// beats between two counts of all processes: that one was deleted has no event.
	countBeats = 5
)

type (
	buildMsg    struct{}
	overviewMsg struct {
		overview api.Overview
		err      error
	}
	tickMsg    struct{}
	openMsg    struct{ wanted int }
	recordsMsg struct {
		asked   []process.ID
		records []process.Record
		at      time.Time
		err     error
	}
)

// settle draws the conclusions of a message: rows, selection, and what has to be
// fetched.
func (m *Model) settle() tea.Cmd {
	var cmds []tea.Cmd
	if m.stale {
		if m.now.Sub(m.built) >= rebuild || m.now.Before(m.built) {
			m.rebuild()
		} else if !m.builds {
			m.builds = true
			cmds = append(cmds, m.fx.after(rebuild, buildMsg{}))
		}
	}
	m.keepVisible()
	cmds = append(cmds, m.look(), m.fetch(), m.refreshInfo(), m.startTick())
	return tea.Batch(cmds...)
}

// rebuild arranges the rows and keeps the selection where it was.
func (m *Model) rebuild() {
	at := m.at()
	m.board.build()
	m.stale, m.built = false, m.now
	if i, ok := m.board.index[m.selected]; ok && (m.moved || m.loaded && i < m.layout().list) {
		return
	}
	if !m.moved {
		at = 0 // who only watches sees what is on top
	}
	m.selected = 0
	if rows := m.board.rows; len(rows) > 0 {
		m.selected = rows[min(max(0, at), len(rows)-1)].rec.ID
	}
}

// at is the row of the selection; -1: none.
func (m *Model) at() int {
	if i, ok := m.board.index[m.selected]; ok {
		return i
	}
	return -1
}

// node is the process that is selected; nil: none.
func (m *Model) node() *node { return m.board.nodes[m.selected] }

// keepVisible scrolls the list so that the selection is seen.
func (m *Model) keepVisible() {
	height := m.layout().list
	at := max(0, m.at())
	m.first = min(m.first, at, max(0, len(m.board.rows)-height))
	if height > 0 && at >= m.first+height {
		m.first = at - height + 1
	}
	m.first = max(0, m.first)
	m.tail.stay(m.layout().detail)
}

// shown are the rows on the screen.
func (m *Model) shown() []row {
	rows := m.board.rows
	from := min(m.first, len(rows))
	return rows[from:min(len(rows), from+m.layout().list)]
}

// startTick keeps a clock going as long as one is on the screen.
func (m *Model) startTick() tea.Cmd {
	if m.ticking || m.away != nil {
		return nil
	}
	m.ticking = true
	return m.fx.after(time.Second, tickMsg{})
}

// tick looks again at what runs on the screen: how busy it is has no event.
func (m *Model) tick() tea.Cmd {
	m.ticking = false
	m.beat++
	if m.beat%loadBeats == 0 {
		for _, r := range m.shown() {
			if r.ticks() {
				m.dirty[r.rec.ID] = true
			}
		}
	}
	return m.count()
}
