package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/wording"
)

// firstSentence is an error in one line.
func firstSentence(err error) string {
	line, rest, more := strings.Cut(err.Error(), "\n")
	if more && rest != "" {
		line += fmt.Sprintf(" (and %d more)", strings.Count(rest, "\n")+1)
	}
	return line
}

// kill asks, ends, and shows the proof.
func (m *Model) kill(about []*node) tea.Cmd {
	var alive []*node
	var lines []string
	for _, n := range about {
		if n.rec.State == process.Idle {
			continue
		}
		alive = append(alive, n)
		line := n.rec.ID.String() + " " + n.title
		if below := m.board.aliveBelow(n.rec.ID); below > 0 {
			line += fmt.Sprintf(", and %d below it", below)
		}
		lines = append(lines, line)
	}
	if len(alive) == 0 {
		m.complain(m.who(about) + ": it is not running")
		return nil
	}
	m.dialog = &dialog{title: "Kill " + m.who(alive) + "?", lines: lines, danger: true, choices: []choice{
		{"y K", "end it, with everything it started: SIGTERM, and SIGKILL after its grace", func() tea.Cmd { return m.end(alive, false) }},
		{"9", "SIGKILL at once", func() tea.Cmd { return m.end(alive, true) }},
	}}
	return nil
}

func (m *Model) end(about []*node, now bool) tea.Cmd {
	ids := idsOf(about)
	m.say("ending " + m.who(about) + m.theme.pick("…", "..."))
	return m.fx.do(func(ctx context.Context) tea.Msg {
		msg := doneMsg{ids: ids}
		ended, err := m.fx.source.End(ctx, ids, api.Kill{Now: now}, func(err error) { msg.err = errors.Join(msg.err, err) })
		if err != nil {
			msg.err = errors.Join(msg.err, err)
			return msg
		}
		msg.records = ended.Records
		if len(ended.Named) > 0 {
			msg.text = ended.String()
		}
		for _, s := range ended.Left {
			msg.err = errors.Join(msg.err, fmt.Errorf("%s left process %d (%s) alive", s.Process, s.PID, s.Command))
		}
		return msg
	})
}

// rerun runs finished processes again; what earlier runs left is kept, and hidden
// behind the new one, so a person is asked.
func (m *Model) rerun(about []*node) tea.Cmd {
	var idle []*node
	outputs := false
	for _, n := range about {
		if n.rec.State == process.Idle {
			idle = append(idle, n)
			outputs = outputs || n.rec.ExitState != nil || n.rec.StdoutBytes+n.rec.StderrBytes > 0
		}
	}
	if len(idle) == 0 {
		m.complain(m.who(about) + ": it has not finished; K ends it")
		return nil
	}
	start := func() tea.Cmd {
		m.tail.pinned = m.tail.pinned || !m.tail.cut // the new run is what will be looked at
		return m.task(idle, "started", func(ctx context.Context, id process.ID) (api.Signaled, error) {
			rec, err := m.fx.source.Start(ctx, id, api.Run{Force: true})
			return api.Signaled{Affected: 1, Process: rec}, err
		})
	}
	if !outputs {
		return start()
	}
	m.dialog = &dialog{title: "Run " + m.who(idle) + " again?", lines: []string{"It has stored output. Earlier runs are kept."},
		choices: []choice{{"y r", "run it again", start}}}
	return nil
}

// remove deletes finished processes.
func (m *Model) remove(about []*node) tea.Cmd {
	var idle []*node
	for _, n := range about {
		if n.rec.State == process.Idle {
			idle = append(idle, n)
		}
	}
	if len(idle) == 0 {
		m.complain(m.who(about) + ": it has not finished; K ends it")
		return nil
	}
	text := "Its runs, events and output go with it. This cannot be undone."
	if skipped := len(about) - len(idle); skipped > 0 {
		text += " " + wording.Plural(skipped, "process that runs stays.", "processes that run stay.")
	}
	m.dialog = &dialog{title: "Delete " + m.who(idle) + "?", lines: []string{text}, danger: true, choices: []choice{
		{"y", "delete it", func() tea.Cmd {
			return m.task(idle, "deleted", func(ctx context.Context, id process.ID) (api.Signaled, error) {
				_, err := m.fx.source.Delete(ctx, id)
				return api.Signaled{Affected: 1}, err
			})
		}},
	}}
	return nil
}
