package tui

import (
	"context"
	"slices"
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
	if _, ok := m.board.index[m.selected]; ok && m.moved {
		return
	}
	if !m.moved {
		at = 0 // while the list is loaded, what is on top is meant
	}
	m.selected = 0
	if rows := m.board.rows; len(rows) > 0 {
		m.selected = rows[min(max(0, at), len(rows)-1)].rec.ID
		m.moved = m.moved || m.loaded
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
}

// shown are the rows on the screen.
func (m *Model) shown() []row {
	rows := m.board.rows
	from := min(m.first, len(rows))
	return rows[from:min(len(rows), from+m.layout().list)]
}

// fetch asks for the records that have changed, one request at a time.
func (m *Model) fetch() tea.Cmd {
	if m.fetching || len(m.dirty) == 0 || m.away != nil || !m.loaded {
		return nil
	}
	ids := make([]process.ID, 0, min(len(m.dirty), pageSize))
	for id := range m.dirty {
		if len(ids) == pageSize {
			break
		}
		ids = append(ids, id)
		delete(m.dirty, id)
	}
	slices.Sort(ids)
	m.fetching = true
	now := m.cfg.Now
	return m.fx.do(func(ctx context.Context) tea.Msg {
		records, err := m.fx.source.Records(ctx, ids)
		return recordsMsg{ids, records, now(), err}
	})
}

// takeRecords takes fetched records in; one that is missing has been deleted.
func (m *Model) takeRecords(msg recordsMsg) {
	if msg.asked != nil {
		m.fetching = false
	}
	if msg.err != nil { // the feed finds out what is wrong, and loads all of it anew
		for _, id := range msg.asked {
			m.dirty[id] = true
		}
		return
	}
	missing := make(map[process.ID]bool, len(msg.asked))
	for _, id := range msg.asked {
		missing[id] = true
	}
	for _, rec := range msg.records {
		delete(missing, rec.ID)
		m.board.put(rec, msg.at)
	}
	for id := range missing {
		m.board.remove(id)
		delete(m.marked, id)
	}
	m.stale = true
	if len(msg.asked) <= 3 { // an answer to what a person did should be seen at once
		m.built = time.Time{}
	}
}

// takePage takes a part of the list in. With the last one everything that was not
// in it is gone.
func (m *Model) takePage(msg pageMsg) {
	if msg.first {
		m.loading = map[process.ID]bool{}
	}
	for _, rec := range msg.records {
		m.loading[rec.ID] = true
		m.board.put(rec, msg.at)
	}
	m.overview, m.away = msg.overview, nil
	if msg.last {
		for id := range m.board.nodes {
			if !m.loading[id] {
				m.board.remove(id)
				delete(m.marked, id)
			}
		}
		m.loaded, m.all, m.loading = true, msg.all, nil
	}
	m.markAsking()
	m.stale, m.built = true, time.Time{}
}

func (m *Model) takeChanges(msg changesMsg) tea.Cmd {
	for _, id := range msg.ids {
		m.dirty[id] = true
	}
	if msg.approvals {
		return m.fetchApprovals()
	}
	return nil
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

// count asks how many there are.
func (m *Model) count() tea.Cmd {
	if m.beat%countBeats != 0 || !m.loaded || m.away != nil {
		return nil
	}
	return m.fx.do(func(ctx context.Context) tea.Msg {
		overview, err := m.fx.source.Overview(ctx)
		return overviewMsg{overview, err}
	})
}

// takeOverview has the list loaded anew when there are fewer processes than it
// shows, and that is not just because of what is on its way.
func (m *Model) takeOverview(msg overviewMsg) {
	if msg.err != nil || !m.loaded {
		return // the feed finds out what is wrong
	}
	m.overview = msg.overview
	if m.overview.Total >= len(m.board.nodes) || len(m.dirty) > 0 || m.fetching {
		m.fewer = 0
		return
	}
	if m.fewer++; m.fewer >= 2 {
		m.fewer = 0
		m.feed.reload()
	}
}
