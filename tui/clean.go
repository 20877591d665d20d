package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tabWidth is where terminals have their tab stops.
const tabWidth = 8

// clean makes a line of a program's output fit to be shown: colours stay, every
// other control sequence and character goes. The line begins in a style and
// returns the one it ends in, as colours may last for many lines.
func (t theme) clean(line string, from style) (string, style) {
	if from == (style{}) && harmless(line) {
		return line, from
	}
	c := cleaner{theme: t, style: from}
	c.restyle(style{}, from)
	for len(line) > 0 {
		line = line[c.step(line):]
	}
	c.restyle(c.style, style{})
	return c.out.String(), c.style
}

// harmless reports whether a line is printable ASCII.
func harmless(line string) bool {
	for i := range len(line) {
		if line[i] < ' ' || line[i] > '~' {
			return false
		}
	}
	return true
}

// cleaner is a line on its way.
type cleaner struct {
	theme  theme
	style  style
	out    strings.Builder
	column int
}

func (c *cleaner) write(s string) { c.out.WriteString(s) }

// step takes the next character or sequence and returns its length.
func (c *cleaner) step(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == '\x1b':
		return c.escape(s)
	case r == '\u009b':
		return n + c.control(s[n:])
	case r == '\u0090' || r == '\u0098' || r >= '\u009d' && r <= '\u009f':
		return n + stringEnd(s[n:])
	case r == '\t':
		stop := tabWidth - c.column%tabWidth
		c.write(blanks(stop))
		c.column += stop
	case unicode.Is(unicode.Zs, r):
		c.print(' ')
	case unicode.IsPrint(r) || r == '\u200d': // it joins an emoji's parts
		c.print(r)
	}
	return n
}

func (c *cleaner) print(r rune) {
	if c.theme.ascii && r > '~' {
		r = '?'
	}
	c.out.WriteRune(r)
	c.column++
}

// escape skips an escape sequence, unless it is about colours.
func (c *cleaner) escape(s string) int {
	if len(s) < 2 {
		return 1
	}
	switch b := s[1]; {
	case b == '[':
		return 2 + c.control(s[2:])
	case b == ']' || b == 'P' || b == 'X' || b == '^' || b == '_': // a string follows
		return 2 + stringEnd(s[2:])
	case b >= ' ' && b <= '/': // intermediate bytes, then a final one
		i := 1
		for i < len(s) && s[i] >= ' ' && s[i] <= '/' {
			i++
		}
		return min(len(s), i+1)
	case b >= '0' && b <= '~':
		return 2
	}
	return 1
}

// control reads a sequence after its introducer and returns its length.
func (c *cleaner) control(s string) int {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '?' {
		i++
	}
	parameters := s[:i]
	plain := i
	for i < len(s) && s[i] >= ' ' && s[i] <= '/' {
		i++
	}
	if i == len(s) {
		return i
	}
	if s[i] < '@' || s[i] > '~' { // broken off: what follows is text again
		return i
	}
	if s[i] == 'm' && plain == i && strings.Trim(parameters, "0123456789;:") == "" && len(parameters) < 100 {
		before := c.style
		c.style.apply(parameters)
		c.restyle(before, c.style)
	}
	return i + 1
}

// restyle writes what changes the terminal from one style to another.
func (c *cleaner) restyle(from, to style) {
	if from == to || c.theme.plain {
		return
	}
	if from != (style{}) {
		c.write("\x1b[m")
	}
	c.write(to.String())
}

// stringEnd is where a control string ends: at BEL or ST, else with the line.
func stringEnd(s string) int {
	for i := range len(s) {
		switch {
		case s[i] == '\a':
			return i + 1
		case s[i] == '\x1b' && i+1 < len(s) && s[i+1] == '\\':
			return i + 2
		case strings.HasPrefix(s[i:], "\u009c"):
			return i + len("\u009c")
		}
	}
	return len(s)
}
