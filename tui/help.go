package tui

// keyHelp is what a key does.
type keyHelp struct{ keys, does string }

// allKeys are all of them, as help shows them.
func allKeys() []keyHelp {
	return []keyHelp{
		{"up down j k", "select; in the lower pane: scroll"},
		{"PgUp PgDn g G", "by pages; to the beginning, to the end"},
		{"left right", "fold and unfold a tree; long lines: move along"},
		{"Tab", "go to the other pane"},
		{"Enter", "the lower pane on the whole screen, and back"},
		{"l e t v", "output, events, timeline, info"},
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
		{"?", "this help"},
		{"q", "quit; processes go on"},
	}
}

// helpLines show the keys; a screen that is too low for them gets two columns, or
// the first of them.
func (m *Model) helpLines(height int) []string {
	t := m.theme
	lines := []string{"", t.paint(bold, " Keys") + t.paint(dim, "  (any key returns)"), ""}
	for _, k := range allKeys() {
		lines = append(lines, t.clip("  "+t.paint(cyan, t.pad(k.keys, 14))+" "+k.does, m.width))
	}
	if len(lines) > height {
		lines = lines[2:]
	}
	return fill(lines, height)
}

// footer is the keys that people need most, as many as fit.
func (m *Model) footer() string {
	t := m.theme
	keys := []keyHelp{{"?", "help"}, {"q", "quit"}, {"p", "pause"}, {"K", "kill"}, {"r", "run again"}, {"/", "search"}, {"Tab", "pane"}, {"l", "output"}, {"e", "events"}, {"t", "timeline"}, {"v", "info"}, {"s", "sort"}, {"f", "filter"}, {"c", "new"}}
	line := ""
	for _, k := range keys {
		next := t.paint(bold, k.keys) + " " + k.does
		if width(line)+width(next)+2 > m.width {
			break
		}
		if line != "" {
			line += "  "
		}
		line += next
	}
	return line
}
