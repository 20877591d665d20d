package tui

import "slices"

// keyHelp is what a key does.
type keyHelp struct{ keys, does string }

// allKeys are all of them, as help shows them.
func allKeys() []keyHelp {
	return []keyHelp{
		{"up down j k", "select; in the lower pane: scroll"},
		{"PgUp PgDn g G", "by pages; to the beginning, to the end"},
		{"left right w", "fold and unfold a tree; long lines: move along, wrap"},
		{"Tab", "go to the other pane"},
		{"Enter", "the lower pane on the whole screen, and back"},
		{"l e t v T", "output, events, timeline, info, an agent's transcript"},
		{"/", "search: narrows the list; in the lower pane: finds"},
		{"n N", "find further down, further up"},
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
		{"Esc", "undo the last narrowing"},
		{"? q", "this help; quit: processes go on"},
	}
}

// helpLines show the keys, from one on.
func (m *Model) helpLines(height int) []string {
	t := m.theme
	lines := []string{t.paint(bold, "Keys") + t.paint(dim, "  (up and down scroll, any other key returns)")}
	for _, k := range allKeys() {
		lines = append(lines, t.clip("  "+t.paint(cyan, t.pad(k.keys, 14))+" "+k.does, m.width))
	}
	from := min(m.helpFrom, max(0, len(lines)-height))
	return fill(lines[from:], height)
}

// helpKey scrolls the help, or leaves it.
func (m *Model) helpKey(key string) {
	switch key {
	case "up", "k":
		m.helpFrom = max(0, m.helpFrom-1)
	case "down", "j":
		m.helpFrom = min(m.helpFrom+1, max(0, len(allKeys())+2-m.height))
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
