package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// prompt is a line that a person types.
type prompt struct {
	label   string
	text    []rune
	cursor  int
	before  string               // what was there at first
	changed func(string)         // is told of every change; nil: nobody
	done    func(string) tea.Cmd // is called with the line
}

// ask opens a prompt.
func (m *Model) ask(label, text string, done func(string) tea.Cmd) {
	m.prompt = &prompt{label: label, text: []rune(text), cursor: len([]rune(text)), before: text, done: done}
	m.say("")
}

// promptKey edits the line.
func (m *Model) promptKey(msg tea.KeyPressMsg) tea.Cmd {
	p := m.prompt
	switch key := msg.String(); key {
	case "enter":
		m.prompt = nil
		return p.done(string(p.text))
	case "esc":
		m.prompt = nil
		if p.changed != nil {
			p.changed(p.before)
		}
	case "down", "up", "pgdown", "pgup": // look around while typing
		if p.changed != nil {
			cmd, _ := m.move(key)
			return cmd
		}
	default:
		p.edit(key, msg.Text)
	}
	return nil
}

func (p *prompt) edit(key, text string) {
	switch key {
	case "left", "ctrl+b":
		p.cursor = max(0, p.cursor-1)
	case "right", "ctrl+f":
		p.cursor = min(len(p.text), p.cursor+1)
	case "home", "ctrl+a":
		p.cursor = 0
	case "end", "ctrl+e":
		p.cursor = len(p.text)
	case "backspace", "ctrl+h":
		p.cut(p.cursor-1, p.cursor)
	case "delete", "ctrl+d":
		p.cut(p.cursor, p.cursor+1)
	case "ctrl+u":
		p.cut(0, p.cursor)
	case "ctrl+k":
		p.cut(p.cursor, len(p.text))
	case "ctrl+w":
		p.cut(p.wordStart(), p.cursor)
	default:
		p.insert(text)
	}
}

func (p *prompt) wordStart() int {
	i := p.cursor
	for i > 0 && p.text[i-1] == ' ' {
		i--
	}
	for i > 0 && p.text[i-1] != ' ' {
		i--
	}
	return i
}

func (p *prompt) cut(from, to int) {
	from, to = max(0, from), min(to, len(p.text))
	if from >= to {
		return
	}
	p.text = append(p.text[:from:from], p.text[to:]...)
	p.cursor = from
	p.tell()
}

// insert takes typed or pasted text; line ends become blanks.
func (p *prompt) insert(s string) {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	if s == "" {
		return
	}
	runes := []rune(s)
	p.text = append(p.text[:p.cursor:p.cursor], append(runes, p.text[p.cursor:]...)...)
	p.cursor += len(runes)
	p.tell()
}

func (p *prompt) tell() {
	if p.changed != nil {
		p.changed(string(p.text))
	}
}

// view shows the part of the line that the cursor is in.
func (p *prompt) view(t theme, columns int) string {
	text := t.safe(string(p.text[p.hidden(t, columns):]))
	return t.paint(bold, p.label) + t.clip(text, columns-t.width(p.label))
}

// hidden is how many characters have left the screen at the left.
func (p *prompt) hidden(t theme, columns int) int {
	room := max(1, columns-t.width(p.label)-1)
	from := 0
	for t.width(t.safe(string(p.text[from:p.cursor]))) >= room {
		from++
	}
	return from
}

func (p *prompt) cursorColumn(t theme, columns int) int {
	return t.width(p.label) + t.width(t.safe(string(p.text[p.hidden(t, columns):p.cursor])))
}
