package tui

import (
	"slices"
	"strings"
)

// keyHelp is what a key does.
type keyHelp struct{ keys, does string }

// allKeys are all of them, as help shows them.
func allKeys() []keyHelp {
	return []keyHelp{
		{"up down j k", "select; in the lower pane: scroll"},
		{"PgUp PgDn g G", "by pages; to the beginning, to the end"},
		{"left right w", "fold and unfold a tree; long lines: move along, wrap"},
		{"Tab Enter", "go to the other pane; the lower one on the whole screen"},
		{"l e t v T", "output, events, timeline, info, an agent's transcript"},
		{"/ n N", "search the list; in the lower pane: find, further down, up"},
		{"s", "sort: state, newest, time, cpu, tokens, name"},
		{"f", "filter: all, active, paused, failed, done"},
		{"Space", "mark; actions are then about all that are marked"},
		{"p", "pause the tree, or let it go on"},
		{"R", "resume: what is paused, or an agent from its transcript"},
		{"K", "kill, and show that nothing is left"},
		{"r", "run again"},
		{"d", "delete what has finished"},
		{"S", "send a signal"},
		{"a D", "approve, deny what waits for a decision"},
		{"c :", "run a new command"},
		{"i", "attach: type into it; Ctrl-] returns"},
		{"Esc", "back to the list; then no marks, no search, no filter"},
		{"? q", "this help; quit: processes go on"},
	}
}

// helpLines show the keys, from one on.
func (m *Model) helpLines(height int) []string {
	lines := m.allHelp()
	from := min(m.helpFrom, max(0, len(lines)-height))
	return fill(lines[from:], height)
}

// allHelp is the whole of it; what a line has no room for is wrapped.
func (m *Model) allHelp() []string {
	const keys = 14
	t := m.theme
	lines := []string{t.clip(t.paint(bold, "Keys")+t.paint(dim, "  (up and down scroll, any other key returns)"), m.width)}
	for _, k := range append(allKeys(), keyHelp{"States", t.legend()}) {
		head := "  " + t.paint(cyan, t.pad(k.keys, keys)) + " "
		for does := range strings.SplitSeq(t.widths.Wrap(k.does, max(8, m.width-keys-3), ""), "\n") {
			lines = append(lines, head+does)
			head = blanks(keys + 3)
		}
	}
	return lines
}

// helpKey scrolls the help, or leaves it.
func (m *Model) helpKey(key string) {
	switch key {
	case "up", "k":
		m.helpFrom = max(0, m.helpFrom-1)
	case "down", "j":
		m.helpFrom = min(m.helpFrom+1, max(0, len(m.allHelp())+1-m.height))
	default:
		m.help, m.helpFrom = false, 0
	}
}

// listKeys are what people need most in the list, the most useful first.
func listKeys() []keyHelp {
	return []keyHelp{{"?", "help"}, {"q", "quit"}, {"Enter", "open"}, {"p", "pause"}, {"K", "kill"}, {"r", "run again"}, {"/", "search"}, {"c", "new"},
		{"l", "output"}, {"e", "events"}, {"t", "timeline"}, {"v", "info"}, {"s", "sort"}, {"f", "filter"}, {"Space", "mark"}, {"d", "delete"}}
}

// detailKeys are what people need most in the lower pane.
func detailKeys() []keyHelp {
	return []keyHelp{{"?", "help"}, {"Esc", "back"}, {"l", "output"}, {"e", "events"}, {"t", "timeline"}, {"v", "info"}, {"/", "find"}, {"w", "wrap"},
		{"G", "end"}, {"p", "pause"}, {"K", "kill"}, {"r", "run again"}, {"i", "attach"}, {"q", "quit"}}
}

// footer is the keys that people need most, as many as fit.
func (m *Model) footer() string {
	t := m.theme
	keys := listKeys()
	if len(m.approvals) > 0 {
		keys = slices.Insert(keys, 2, keyHelp{"a", "approve"})
	}
	if m.inDetail {
		keys = detailKeys()
	}
	line := ""
	for _, k := range keys {
		next := t.paint(bold, k.keys) + " " + k.does
		if t.width(line)+t.width(next)+2 > m.width {
			break
		}
		if line != "" {
			line += "  "
		}
		line += next
	}
	return line
}
