package tui

import (
	"context"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// newCommand asks for a command line and runs it.
func (m *Model) newCommand() tea.Cmd {
	m.ask("run: ", "", func(line string) tea.Cmd {
		if strings.TrimSpace(line) == "" {
			return nil
		}
		body, err := m.request(line)
		if err != nil {
			m.complain(err.Error())
			return nil
		}
		return m.fx.do(func(ctx context.Context) tea.Msg {
			rec, err := m.fx.source.Create(ctx, body)
			if err != nil {
				return doneMsg{err: err}
			}
			return createdMsg{rec}
		})
	})
	return nil
}

// createdMsg is a process that was made here.
type createdMsg struct{ rec process.Record }

func (m *Model) request(line string) (api.Create, error) {
	if m.cfg.Command != nil {
		return m.cfg.Command(line)
	}
	return api.Create{Environment: process.EnvCommand, Code: &line, Label: line}, nil
}

// takeCreated selects what was made.
func (m *Model) takeCreated(msg createdMsg) {
	m.board.put(msg.rec, m.now)
	m.dirty[msg.rec.ID] = true
	if !m.board.filter.matches(m.board.nodes[msg.rec.ID]) {
		m.board.filter = filter{} // who makes something wants to see it
	}
	m.choose(msg.rec.ID)
	m.say("started " + msg.rec.ID.String())
	m.arrange()
}

// searchOlder looks for what the filter lets through among what the list does not
// go back to.
func (m *Model) searchOlder() tea.Cmd {
	query := m.board.filter.query()
	if m.all || !m.loaded || m.board.filter == (filter{}) {
		return nil
	}
	now := m.cfg.Now
	return m.fx.do(func(ctx context.Context) tea.Msg {
		page, err := m.fx.source.List(ctx, query)
		if err != nil {
			return doneMsg{err: err}
		}
		return recordsMsg{records: page.Processes, at: now()}
	})
}

// attach leaves the screen to a process.
func (m *Model) attach(n *node) tea.Cmd {
	switch {
	case m.cfg.Attach == nil:
		m.complain("attaching is not possible here")
		return nil
	case n.rec.State == process.Idle:
		m.complain(n.rec.ID.String() + " is not running: l shows what it wrote, r runs it again")
		return nil
	}
	id := n.rec.ID
	visit := &visit{do: func() error { return m.cfg.Attach(m.fx.life, id) }}
	return tea.Exec(visit, func(err error) tea.Msg {
		if err != nil {
			return doneMsg{err: err, ids: []process.ID{id}}
		}
		return doneMsg{text: "back from " + id.String(), ids: []process.ID{id}}
	})
}

// visit is a function that has the terminal for itself.
type visit struct{ do func() error }

// Run returns when the terminal is free again.
func (v *visit) Run() error { return v.do() }

// SetStdin is not needed: the function knows its terminal.
func (v *visit) SetStdin(io.Reader) {}

// SetStdout is not needed either.
func (v *visit) SetStdout(io.Writer) {}

// SetStderr is not needed either.
func (v *visit) SetStderr(io.Writer) {}
