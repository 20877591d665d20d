package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// dialog asks something that a single key answers. Every other key means no.
type dialog struct {
	title   string
	lines   []string // fit to be shown
	choices []choice
	danger  bool
}

type choice struct {
	keys string // separated by blanks; the first is shown
	text string
	do   func() tea.Cmd
}

func (m *Model) dialogKey(key string) tea.Cmd {
	d := m.dialog
	m.dialog = nil
	for _, c := range d.choices {
		for k := range strings.FieldsSeq(c.keys) {
			if k == key {
				return c.do()
			}
		}
	}
	return nil
}

// overlay draws the dialog over the lowest lines.
func (m *Model) overlay(lines []string) []string {
	box := m.dialogLines(min(len(lines), m.height))
	return append(lines[:len(lines)-len(box)], box...)
}

// dialogLines is a box over the whole width; a small screen loses the middle of
// it, never the choices.
func (m *Model) dialogLines(height int) []string {
	t, d := m.theme, m.dialog
	color := note
	if d.danger {
		color = alarm
	}
	head := t.paint(color, t.pad(" "+t.safe(d.title), m.width))
	var foot []string
	for _, c := range d.choices {
		first, _, _ := strings.Cut(c.keys, " ")
		foot = append(foot, t.clip("  "+t.paint(bold, first)+"  "+c.text, m.width))
	}
	foot = append(foot, t.clip("  "+t.paint(bold, "Esc")+"  leave it", m.width), t.paint(dim, t.rule(m.width)))
	room := max(0, height-1-len(foot))
	middle := make([]string, 0, len(d.lines))
	for _, line := range d.lines {
		middle = append(middle, t.clip("  "+line, m.width))
	}
	if len(middle) > room {
		middle = middle[:room]
		if room > 0 {
			middle[room-1] = "  " + t.pick("…", "...")
		}
	}
	all := append(append([]string{head}, middle...), foot...)
	return all[:min(len(all), height)]
}
