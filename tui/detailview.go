package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/reeverun/reeve/process"
)

// detailLines is the head of the lower pane and what is in it.
func (m *Model) detailLines(height int) []string {
	lines := []string{m.detailHead()}
	if m.selected == 0 {
		return fill(lines, height+1)
	}
	switch m.tab {
	case outputTab, eventsTab:
		lines = append(lines, m.logLines(height)...)
	default:
		lines = append(lines, m.scrolled(m.laidOut(), height)...)
	}
	return fill(lines, height+1)
}

// detailHead names the process and the tabs.
func (m *Model) detailHead() string {
	t := m.theme
	var names []string
	for i := range tabs {
		if i == transcriptTab && !m.isAgent() {
			continue
		}
		name := i.String()
		if i == m.tab {
			name = t.paint(reverse, " "+name+" ")
			if t.plain {
				name = "[" + i.String() + "]"
			}
		}
		names = append(names, name)
	}
	left := t.rule(2) + " " + strings.Join(names, " ") + " "
	if n := m.node(); n != nil {
		name := n.rec.ID.String()
		if m.inDetail {
			name = t.paint(reverse, " "+name+" ")
		}
		left += name + " " + n.title + " "
	}
	right := t.rule(2)
	if state := m.detailState(); state != "" {
		right = " " + state + " " + right
	}
	left = t.clip(left, m.width-t.width(right)-1)
	return left + t.rule(m.width-t.width(left)-t.width(right)) + right
}

// detailState says where in the log the screen is.
func (m *Model) detailState() string {
	d := &m.tail
	switch {
	case !d.opened || m.tab != outputTab && m.tab != eventsTab:
		return ""
	case d.fetches:
		return "loading" + m.theme.pick("…", "...")
	case d.find != "":
		return "/" + m.theme.safe(d.find)
	case d.pinned && d.follow != nil:
		return "follows"
	case d.pinned:
		return "end"
	case len(d.entries) == 0:
		return ""
	}
	return fmt.Sprintf("%d of %d", min(d.top+1, len(d.entries)), len(d.entries))
}

// visible is which entries are shown.
func (m *Model) visible(height int) []entry {
	d := &m.tail
	last := max(0, d.length()-height)
	from := last
	if !d.pinned {
		from = min(max(0, d.top), last)
	}
	return d.lines(from, min(d.length(), from+height))
}

// logLines shows a part of a log.
func (m *Model) logLines(height int) []string {
	d := &m.tail
	if d.trouble != "" {
		return []string{m.theme.paint(red, m.theme.clip(m.theme.safe(d.trouble), m.width))}
	}
	shown := m.visible(height)
	if len(shown) == 0 && d.opened {
		return []string{m.theme.paint(dim, m.nothingText())}
	}
	lines := make([]string, 0, len(shown))
	for i := range shown {
		if i > 0 && d.kinds == Lines && shown[i].run != shown[i-1].run {
			lines = append(lines, m.theme.paint(dim, m.runRule(shown[i].run)))
		}
		lines = append(lines, m.logLine(&shown[i])...)
	}
	if d.pinned {
		return lines[max(0, len(lines)-height):]
	}
	return lines[:min(len(lines), height)]
}

// nothingText says why a log is empty.
func (m *Model) nothingText() string {
	n := m.node()
	switch {
	case n == nil || n.rec.State != process.Idle || m.tab != outputTab:
		return "Nothing yet."
	case n.rec.Run == 0:
		return "It has not run yet: r runs it."
	}
	return "It wrote nothing."
}

// runRule separates the output of a run from that of the one before.
func (m *Model) runRule(run int) string {
	name := fmt.Sprintf(" %s run %d ", m.theme.rule(2), run)
	return m.theme.clip(name+m.theme.rule(m.width-m.theme.width(name)), m.width)
}

// logLine is one line of a log, or the lines that it is wrapped to; stderr has a
// mark.
func (m *Model) logLine(e *entry) []string {
	text, room := e.text, m.width
	if d := &m.tail; d.find != "" {
		text = m.highlight(text, d.find)
	}
	mark := ""
	if m.tail.kinds == Lines {
		mark, room = " ", max(1, m.width-1)
		if e.stream == process.Stderr {
			mark = m.theme.paint(red, m.theme.pick("▏", "!"))
		}
	}
	if !m.wraps {
		if m.tail.left > 0 {
			text = m.theme.widths.TruncateLeft(text, m.tail.left, "")
		}
		return []string{mark + m.theme.clip(text, room)}
	}
	lines := strings.Split(m.theme.widths.Hardwrap(text, room, true), "\n")
	for i := range lines {
		lines[i] = mark + lines[i]
	}
	return lines
}

// highlight reverses what was searched for; the line's own colours give way.
func (m *Model) highlight(text, what string) string {
	plain := ansi.Strip(text)
	at := indexFold(plain, what)
	if at < 0 {
		return text
	}
	var b strings.Builder
	for at >= 0 {
		b.WriteString(plain[:at] + m.theme.paint(reverse, plain[at:at+len(what)]))
		plain = plain[at+len(what):]
		at = indexFold(plain, what)
	}
	return b.String() + plain
}

// laidOut is what a tab that is no log shows, as a whole.
func (m *Model) laidOut() []string {
	switch m.tab {
	case timelineTab:
		return m.timelineLines()
	case transcriptTab:
		return m.transcriptLines()
	}
	if !m.wraps {
		return m.infoLines()
	}
	return strings.Split(m.theme.widths.Hardwrap(strings.Join(m.infoLines(), "\n"), m.width, true), "\n")
}

// scrolled shows a part of what is laid out as a whole.
func (m *Model) scrolled(lines []string, height int) []string {
	lines = lines[max(0, min(m.tail.offset, len(lines)-height)):]
	out := make([]string, 0, height)
	for _, line := range lines[:min(height, len(lines))] {
		if m.tail.left > 0 {
			line = m.theme.widths.TruncateLeft(line, m.tail.left, "")
		}
		out = append(out, m.theme.clip(line, m.width))
	}
	return out
}
