package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// indexFold is strings.Index for what must be of the same length in either case:
// ASCII is compared without regard to case.
func indexFold(s, what string) int {
	if what == "" {
		return -1
	}
	return strings.Index(lower(s), lower(what))
}

// lower changes ASCII letters only, so that positions stay as they are.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func (e *entry) has(what string) bool { return indexFold(ansi.Strip(e.text), what) >= 0 }

// findFrom goes from an entry in a direction to the next one that has the text.
// Older pages are fetched as long as it is not found.
func (m *Model) findFrom(at, step int) tea.Cmd {
	d := &m.tail
	if !d.opened {
		d.finding = true
		return nil
	}
	for i := at; i >= 0 && i < len(d.entries); i += step {
		if d.entries[i].has(d.find) {
			d.pinned, d.top, d.found = false, max(0, i-m.layout().detail/2), d.entries[i].seq
			m.say("")
			return nil
		}
	}
	switch {
	case step < 0 && !d.whole && len(d.entries) > 0:
		d.finding = true
		m.say("searching further up" + m.theme.pick("…", "..."))
		return m.past(d.entries[0].seq)
	case step < 0:
		m.say("not found above: n searches downwards")
	default:
		m.say("not found below: N searches upwards")
	}
	return nil
}

// findNext goes on from what was found last.
func (m *Model) findNext(step int) tea.Cmd {
	d := &m.tail
	if d.find == "" {
		m.say("press / and say what to search for")
		return nil
	}
	for i := range d.entries {
		if d.entries[i].seq == d.found {
			return m.findFrom(i+step, step)
		}
	}
	return m.findFrom(len(d.entries)-1, -1)
}

// findAgain goes on upwards after an older page has come.
func (m *Model) findAgain(added int) tea.Cmd {
	if !m.tail.finding {
		return nil
	}
	m.tail.finding = false
	return m.findFrom(added-1, -1)
}
