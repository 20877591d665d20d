package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/reeverun/reeve/process"
)

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
	if m.away != nil && m.bad { // what could not be done can be done now
		m.say("")
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
// shows, twice in a row: once may be because of what has just been made.
func (m *Model) takeOverview(msg overviewMsg) {
	if msg.err != nil || !m.loaded {
		return // the feed finds out what is wrong
	}
	m.overview = msg.overview
	if m.overview.Total >= len(m.board.nodes) {
		m.fewer = 0
		return
	}
	if m.fewer++; m.fewer >= 2 {
		m.fewer = 0
		m.feed.reload()
	}
}
