package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/reeverun/reeve/process"
)

// isAgent reports whether what is selected has a transcript.
func (m *Model) isAgent() bool {
	n := m.node()
	return n != nil && n.rec.Environment == process.EnvAgent
}

func (m *Model) showTranscript() {
	if !m.isAgent() {
		m.complain("only an agent has a transcript")
		return
	}
	m.show(transcriptTab)
}

// fetchTranscript fetches what is new of a conversation.
func (m *Model) fetchTranscript(id process.ID) tea.Cmd {
	after := int64(0)
	if n := len(m.info.said); n > 0 {
		after = m.info.said[n-1].Number
	}
	return m.fx.do(func(ctx context.Context) tea.Msg {
		said, err := m.fx.source.Messages(ctx, id, after)
		return infoMsg{id: id, said: said, err: err}
	})
}

// hear adds messages that are new; an answer that came late has known ones.
func (m *Model) hear(said []process.Message) {
	for _, message := range said {
		if n := len(m.info.said); n == 0 || message.Number > m.info.said[n-1].Number {
			m.info.said = append(m.info.said, message)
		}
	}
}

// transcriptLines is a conversation, readable: who speaks, and what they say.
func (m *Model) transcriptLines() []string {
	if !m.isAgent() {
		return []string{m.theme.paint(dim, "Only an agent has a transcript.")}
	}
	if m.info.err != nil {
		return []string{m.theme.paint(red, m.theme.safe(m.info.err.Error()))}
	}
	var lines []string
	for i := range m.info.said {
		lines = append(lines, m.messageLines(&m.info.said[i])...)
	}
	return lines
}

func (m *Model) messageLines(msg *process.Message) []string {
	t, color := m.theme, blue
	switch {
	case msg.Failed:
		color = yellow
	case msg.Role == process.RoleAssistant:
		color = green
	case msg.Role == process.RoleUser:
		color = bold
	}
	who := strings.TrimSpace(string(msg.Role) + " " + msg.Name)
	lines := []string{t.paint(color, t.safe(who)) + t.paint(dim, fmt.Sprintf("  #%d step %d %s", msg.Number, msg.Step, msg.At.Local().Format("15:04:05")))}
	for line := range strings.SplitSeq(strings.TrimRight(msg.Text, "\r\n"), "\n") {
		for part := range strings.SplitSeq(t.widths.Wrap(t.safe(line), max(8, m.width-2), ""), "\n") {
			lines = append(lines, "  "+part)
		}
	}
	for _, c := range msg.Calls {
		lines = append(lines, "  "+t.paint(cyan, "call "+t.safe(c.Name))+" "+t.safe(string(c.Arguments)))
	}
	return append(lines, "")
}
