package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/reeverun/reeve/process"
)

// layout is how the lines of the screen are shared out.
type layout struct {
	list   int // rows of the list
	detail int // lines of the lower pane
	footer bool
}

// The least that is worth showing.
const (
	splitHeight  = 16 // below it one pane is shown at a time
	footerHeight = 8
)

func (m *Model) layout() layout {
	var l layout
	left := m.height - 2 // the header and the status line
	if m.away != nil {
		left--
	}
	if l.footer = m.height >= footerHeight; l.footer {
		left--
	}
	switch {
	case m.zoomed || m.height < splitHeight && m.inDetail:
		l.detail = max(0, left-1)
	case m.height < splitHeight:
		l.list = max(0, left-1)
	default:
		l.list = max(3, (left-2)*45/100)
		l.detail = left - 2 - l.list
	}
	return l
}

// View draws the screen.
func (m *Model) View() tea.View {
	v := tea.NewView(strings.Join(m.screen(), "\n"))
	v.AltScreen = true
	v.WindowTitle = "reeve top"
	if m.cfg.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if m.prompt != nil {
		v.Cursor = tea.NewCursor(min(m.width-1, m.prompt.cursorColumn(m.theme, m.width)), m.statusLine())
	}
	return v
}

// statusLine is where the status line is.
func (m *Model) statusLine() int {
	if m.layout().footer {
		return m.height - 2
	}
	return m.height - 1
}

// screen is every line of the screen.
func (m *Model) screen() []string {
	l := m.layout()
	lines := []string{m.header()}
	if m.away != nil {
		lines = append(lines, m.theme.paint(alarm, m.theme.pad(" "+m.awayText(), m.width)))
	}
	if m.help {
		return append(lines, m.helpLines(m.height-len(lines))...)
	}
	if l.list > 0 {
		lines = append(lines, m.listLines(l.list)...)
	}
	if l.detail > 0 {
		lines = append(lines, m.detailLines(l.detail)...)
	}
	lines = fill(lines, m.statusLine())
	if m.dialog != nil {
		lines = m.overlay(lines)
	}
	status := m.statusLines()
	lines = append(lines[:max(0, len(lines)-len(status)+1)], status...)
	if l.footer {
		lines = append(lines, m.footer())
	}
	return fill(lines, m.height)
}

// awayText says what is wrong with the daemon.
func (m *Model) awayText() string {
	if final(m.away) {
		return "the daemon refuses: " + m.theme.safe(m.away.Error())
	}
	return "the daemon is away: trying again" + m.theme.pick("…", "...")
}

// fill makes exactly so many lines.
func fill(lines []string, n int) []string {
	n = max(0, n)
	for len(lines) < n {
		lines = append(lines, "")
	}
	return lines[:n]
}

// header counts what there is.
func (m *Model) header() string {
	t := m.theme
	left := t.paint(bold, "reeve top")
	if m.width >= 60 && m.cfg.Host != "" {
		left += " " + t.paint(dim, t.safe(m.cfg.Host))
	}
	if !m.loaded {
		return t.spread(left, "loading"+t.pick("…", "..."), m.width)
	}
	right := m.counts()
	if f := m.filterText(); f != "" {
		right = t.paint(cyan, f) + "  " + right
	}
	return t.spread(left, right, m.width)
}

// counts says how many there are in which state.
func (m *Model) counts() string {
	c := m.board.census
	if !m.all { // the list does not go back to the first
		ends := m.overview.ExitStates
		c.failed = max(c.failed, ends[string(process.ExitFailed)]+ends[string(process.ExitTimeout)])
	}
	words := []string{fmt.Sprintf("%d running", c.running)}
	add := func(n int, what, color string) {
		if n > 0 {
			words = append(words, m.theme.paint(color, fmt.Sprintf("%d %s", n, what)))
		}
	}
	add(c.paused, "paused", yellow)
	add(c.queued, "queued", "")
	add(c.failed, "failed", red)
	add(len(m.approvals), "to approve", note)
	words = append(words, fmt.Sprintf("%d in all", m.total()))
	return strings.Join(words, ", ")
}

// total is how many processes there are, also where the list does not go back to
// the first.
func (m *Model) total() int {
	if m.all {
		return len(m.board.nodes)
	}
	return max(len(m.board.nodes), m.overview.Total)
}

func (m *Model) filterText() string {
	var words []string
	if f := m.board.filter.state; f != anyState {
		words = append(words, f.String())
	}
	if f := m.board.filter.text; f != "" {
		words = append(words, "/"+m.theme.safe(f))
	}
	if n := len(m.marked); n > 0 {
		words = append(words, fmt.Sprintf("%d marked", n))
	}
	return strings.Join(words, " ")
}

// statusLines are what has just been said, or is being asked. A sentence that is
// longer than a line takes another: what to do next is at its end.
func (m *Model) statusLines() []string {
	most := min(3, max(1, m.height/8)) // a small screen is for the list
	if m.prompt != nil {
		return []string{m.prompt.view(m.theme, m.width)}
	}
	lines := strings.Split(m.theme.widths.Wrap(m.theme.safe(m.status), m.width, ""), "\n")
	if len(lines) > most {
		lines[most-1] = m.theme.clip(strings.Join(lines[most-1:], " "), m.width)
		lines = lines[:most]
	}
	for i, line := range lines {
		if m.bad {
			line = m.theme.paint(red, line)
		}
		lines[i] = line
	}
	return lines
}
