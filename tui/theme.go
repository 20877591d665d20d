package tui

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/wording"
)

// theme is how things look: in which characters, and whether in colours.
type theme struct {
	ascii  bool
	plain  bool        // no colours
	widths ansi.Method // how the terminal counts columns
}

// The colours, by meaning, as the terminal's own palette has them: they fit dark
// and light ones.
const (
	bold    = "1"
	dim     = "2"
	reverse = "7"
	red     = "31"
	green   = "32"
	yellow  = "33"
	blue    = "34"
	cyan    = "36"
	alarm   = "1;7;31"
	note    = "1;7;33"
)

// paint colours a text; without colours what is bold or reversed stays so.
func (t theme) paint(code, s string) string {
	if s == "" || code == "" {
		return s
	}
	if t.plain {
		switch code {
		case bold, reverse:
		case alarm, note:
			code = reverse
		default:
			return s
		}
	}
	return "\x1b[" + code + "m" + s + "\x1b[m"
}

// pick chooses the character that the terminal can show.
func (t theme) pick(unicode, ascii string) string {
	if t.ascii {
		return ascii
	}
	return unicode
}

// look is the badge of a state and its colour.
type look struct{ unicode, ascii, color string }

func lookOf(state string) look {
	switch state {
	case "running":
		return look{"●", "[R]", blue}
	case "paused":
		return look{"‖", "[P]", yellow}
	case "queued":
		return look{"○", "[Q]", dim}
	case "terminating":
		return look{"◌", "[K]", yellow}
	case "success":
		return look{"✓", "[D]", green}
	case "failed":
		return look{"✗", "[E]", red}
	case "timeout":
		return look{"✗", "[T]", red}
	case "canceled":
		return look{"■", "[C]", yellow}
	}
	return look{"·", "[I]", dim}
}

// badge is a state with its sign, and its colour.
func (t theme) badge(r *process.Record, word bool) (text, color string) {
	state := wording.State(r)
	l := lookOf(state)
	text = t.pick(l.unicode, l.ascii)
	if word {
		text += " " + state
	}
	return text, l.color
}

// legend says what the badges mean.
func (t theme) legend() string {
	var words []string
	for _, state := range []string{"running", "paused", "queued", "terminating", "success", "failed", "timeout", "canceled", "idle"} {
		l := lookOf(state)
		words = append(words, t.pick(l.unicode, l.ascii)+t.pick("\u00a0", " ")+state) // kept together
	}
	return strings.Join(words, " ")
}

// bar shows a share of 1 in a number of columns.
func (t theme) bar(share float64, width int) string {
	if width < 1 {
		return ""
	}
	full := min(width, max(0, int(share*float64(width)+0.5)))
	return strings.Repeat(t.pick("█", "#"), full) + strings.Repeat(t.pick("░", "."), width-full)
}

// rule is a horizontal line.
func (t theme) rule(width int) string { return strings.Repeat(t.pick("─", "-"), max(0, width)) }

// branch draws where a row hangs in its tree.
func (t theme) branch(last bool) (own, below string) {
	if last {
		return t.pick("└─ ", "`- "), "   "
	}
	return t.pick("├─ ", "|- "), t.pick("│  ", "|  ")
}

// levels is how many levels of a tree are drawn; deeper ones show the innermost.
const levels = 64

// deepest drops the outermost level of an indent that has too many.
func deepest(indent string) string {
	const perLevel = 3
	if utf8.RuneCountInString(indent) <= levels*perLevel {
		return indent
	}
	return string([]rune(indent)[perLevel:])
}

// within shortens a branch that would leave no room for a name: how it hangs in
// the nearest levels matters most.
func (t theme) within(branch string, columns int) string {
	if over := t.width(branch) - columns; over > 0 {
		return t.widths.TruncateLeft(branch, over+1, t.pick("…", "~"))
	}
	return branch
}

// safe is a text of others, in one line, in characters that can be shown.
func (t theme) safe(s string) string {
	s = wording.Plain(s)
	if !t.ascii {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r > '~' {
			return '?'
		}
		return r
	}, s)
}
