package tui

import (
	"fmt"
	"strings"

	"github.com/reeverun/reeve/process"
)

// column is a column of the list before the name.
type column struct {
	head  string
	width int
	right bool
	need  int // the screen must be this wide
	cell  func(*row) (text, color string)
}

// columns are those that there is room and use for.
func (m *Model) columns() []column {
	word := m.width >= 60
	state := column{head: "STATE", width: 13, cell: func(r *row) (string, string) { return m.theme.badge(&r.rec, word) }}
	if m.theme.ascii {
		state.width = 15
	}
	if !word {
		state.head, state.width = "ST", 3
	}
	all := []column{
		{head: "ID", width: max(3, m.board.census.digits), right: true, cell: func(r *row) (string, string) { return r.rec.ID.String(), "" }},
		state,
		{head: "TIME", width: 7, right: true, need: 30, cell: m.timeCell},
		{head: "CPU%", width: 5, right: true, need: 60, cell: loadCell},
	}
	if m.board.tokens {
		all = append(all, column{head: "TOKENS", width: 6, right: true, need: 70, cell: tokensCell})
	}
	if m.board.bars {
		all = append(all, column{head: "PROGRESS", width: 11, need: 70, cell: m.progressCell})
	}
	kept := all[:0]
	for _, c := range all {
		if m.width >= c.need {
			kept = append(kept, c)
		}
	}
	return kept
}

func (m *Model) timeCell(r *row) (string, string) {
	if r.rec.StartedAt == nil {
		return "", ""
	}
	now := m.now
	if m.away != nil { // nobody knows what it does now
		now = m.awaySince
	}
	color := ""
	if r.rec.Paused || r.asks {
		color = yellow
	}
	return wholeSeconds(r.clock(now)), color
}

func loadCell(r *row) (string, string) {
	if r.cpu < 0 || !r.ticks() {
		return "", ""
	}
	return fmt.Sprintf("%.0f", r.cpu), ""
}

func tokensCell(r *row) (string, string) {
	if r.rec.Usage.Tokens == 0 {
		return "", ""
	}
	return shortCount(r.rec.Usage.Tokens), ""
}

func (m *Model) progressCell(r *row) (string, string) {
	share, known := r.rec.Progress.Share()
	if !known || r.rec.State == process.Idle {
		return "", ""
	}
	return fmt.Sprintf("%s %3d%%", m.theme.bar(share, 6), int(share*100)), green
}

// listLines is the head of the list and its rows.
func (m *Model) listLines(height int) []string {
	columns := m.columns()
	head := "  "
	for _, c := range columns {
		head += m.cell(c, c.head) + " "
	}
	sorted := ""
	if m.width >= 40 {
		sorted = "by " + m.board.order.String()
	}
	head = m.theme.spread(head+"NAME", sorted, m.width)
	lines := []string{m.theme.paint(dim, head)}
	rows := m.shown()
	for i := range rows {
		lines = append(lines, m.rowLine(&rows[i], columns))
	}
	if len(rows) == 0 {
		lines = append(lines, "", "  "+m.theme.paint(dim, m.emptyText()))
	}
	return fill(lines, height+1)
}

func (m *Model) emptyText() string {
	switch {
	case !m.loaded:
		return ""
	case len(m.board.nodes) > 0:
		return "Nothing matches: Esc shows all again."
	}
	return "Nothing has been run yet: press c to run a command, or use 'reeve run'."
}

func (m *Model) cell(c column, text string) string {
	if c.right {
		return m.theme.padLeft(text, c.width)
	}
	return m.theme.pad(text, c.width)
}

// rowLine draws a row. The one that is selected has no colours of its own: they
// would end its background.
func (m *Model) rowLine(r *row, columns []column) string {
	selected := r.rec.ID == m.selected
	var b strings.Builder
	b.WriteString(pointer(selected, m.marked[r.rec.ID]))
	for _, c := range columns {
		text, color := c.cell(r)
		text = m.cell(c, text)
		if !selected && !r.faint {
			text = m.theme.paint(color, text)
		}
		b.WriteString(text + " ")
	}
	name := m.theme.within(r.branch, (m.width-m.theme.width(b.String()))/2)
	if r.asks {
		name += "approve? "
	}
	name += r.title
	if r.folded && r.below > 0 {
		name += fmt.Sprintf(" (+%d)", r.below)
	}
	if p := r.rec.Phase; p != nil && r.rec.State != process.Idle {
		name += "  " + m.theme.safe(p.Name)
	}
	b.WriteString(name)
	line := m.theme.clip(b.String(), m.width)
	switch {
	case selected && m.inDetail:
		return m.theme.paint(bold, line)
	case selected:
		return m.theme.paint(reverse, line+blanks(m.width-m.theme.width(line)))
	case r.faint:
		return m.theme.paint(dim, line)
	}
	return line
}

// pointer shows without colours, too, what is selected and what is marked.
func pointer(selected, marked bool) string {
	switch {
	case selected && marked:
		return ">*"
	case selected:
		return "> "
	case marked:
		return " *"
	}
	return "  "
}
