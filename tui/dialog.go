package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// dialog asks something that a single key answers. Every other key means no.
type dialog struct {
	title   string
	lines   []string // fit to be shown
	from    int      // the first of them that is shown
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
	if by, ok := map[string]int{"up": -1, "k": -1, "down": 1, "j": 1, "pgup": -8, "pgdown": 8}[key]; ok {
		d.from = min(max(0, d.from+by), max(0, len(m.dialogText())-m.dialogRoom()))
		return nil
	}
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

// dialogText is what is to be read before one decides, to the last character.
func (m *Model) dialogText() []string {
	if len(m.dialog.lines) == 0 {
		return nil
	}
	return strings.Split(m.theme.widths.Hardwrap(strings.Join(m.dialog.lines, "\n"), max(1, m.width-2), true), "\n")
}

// dialogRoom is how many of its lines can be shown: a title, the choices, how to
// leave and a rule are always there.
func (m *Model) dialogRoom() int { return max(0, m.statusLine()-3-len(m.dialog.choices)) }

// overlay draws the dialog over the lowest lines.
func (m *Model) overlay(lines []string) []string {
	box := m.dialogLines(min(len(lines), m.height))
	return append(lines[:len(lines)-len(box)], box...)
}

// dialogLines is a box over the whole width; on a small screen the middle of it is
// scrolled, and the choices are always seen.
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
	room := m.dialogRoom()
	var middle []string
	text := m.dialogText()
	for _, line := range text[min(d.from, len(text)):min(d.from+room, len(text))] {
		middle = append(middle, "  "+line)
	}
	if more := len(text) - d.from - len(middle); more > 0 && room > 0 {
		middle[room-1] = t.paint(dim, t.clip(fmt.Sprintf("  %s %d more lines: down shows them", t.pick("…", "..."), more+1), m.width))
	}
	all := append(append([]string{head}, middle...), foot...)
	return all[:min(len(all), height)]
}
