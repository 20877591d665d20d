package interpret

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/reeverun/reeve/process"
)

// marks sees lines with a "!" only.
type marks struct {
	hooks
	seen []string
}

func (m *marks) OnLine(_ *Context, l Line) { m.seen = append(m.seen, l.Text) }

func (m *marks) Interest(_ process.Stream, block []byte, from int) int {
	if i := bytes.IndexByte(block[from:], '!'); i >= 0 {
		return from + i
	}
	return len(block)
}

func TestFilterSkipsLines(t *testing.T) {
	for in, want := range map[string][]string{
		"":                                nil,
		"a\nb\n":                          nil,
		"!a\nb\nc!\n":                     {"!a", "c!"},
		"a\n!b\n!c\nd\n":                  {"!b", "!c"},
		"a\nb\n\n!":                       {"!"},
		strings.Repeat("x\n", 99) + "!\n": {"!"},
	} {
		m := &marks{}
		s := newSession(m)
		if s.Wants(process.Stdout, []byte(in)) != (want != nil) {
			t.Errorf("Wants(%q)", in)
		}
		feed(s, process.Stdout, in)
		if !slices.Equal(m.seen, want) {
			t.Errorf("%q: saw %q, want %q", in, m.seen, want)
		}
	}
}

// blind panics where it should say what it wants to see.
type blind struct{ hooks }

func (blind) Interest(process.Stream, []byte, int) int { panic("no") }

func TestPanicInInterest(t *testing.T) {
	s := newSession(blind{})
	if !s.Wants(process.Stdout, []byte("a\n")) {
		t.Error("a panic is not reported")
	}
	expect(t, feed(s, process.Stdout, "a\n"), process.InterpreterError{Error: "panic in OnLine: no", Disabled: true})
	if s.Wants(process.Stdout, []byte("a\n")) {
		t.Error("a disabled interpreter wants lines")
	}
}

func TestFilterIgnoresTheUnfinishedRest(t *testing.T) {
	m := &marks{}
	s := newSession(m)
	block := []byte("a\nb!")
	s.Block(process.Stdout, block, []Span{{0, 1, 2}}, nil)
	if m.seen != nil {
		t.Errorf("saw %q", m.seen)
	}
}

func TestLineOfAPayload(t *testing.T) {
	s := newSession(hooks{line: func(c *Context, l Line) {
		if l.Text == "x" {
			c.Warn("w", "")
			c.Warn("w", "")
		}
	}})
	var lines []int
	block := []byte("a\nx\nb\nx\n")
	s.Block(process.Stdout, block, Lines(block, nil), func(line int, _ process.Payload) { lines = append(lines, line) })
	if !slices.Equal(lines, []int{1, 1, 3, 3}) {
		t.Errorf("%v", lines)
	}
}

func TestLastLine(t *testing.T) {
	var got []string
	s := newSession(hooks{line: func(c *Context, l Line) {
		got = append(got, c.LastLine(process.Stdout)+"|"+c.LastLine(process.Stderr))
	}})
	feed(s, process.Stdout, "a\n\n")
	feed(s, process.Stderr, "e\nf\n")
	feed(s, process.Stdout, "  \nb\n")
	if want := []string{"a|", "a|", "a|e", "a|f", "a|f", "b|f"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestRecent(t *testing.T) {
	for _, how := range []string{"lines", "block", "skip"} {
		var got []string
		s := newSession(hooks{exit: func(c *Context, _ process.Exit) { got = slices.Collect(c.Recent(process.Stderr)) }})
		var all strings.Builder
		for i := range 400 {
			line := fmt.Sprintf("line %d\n\n", i)
			all.WriteString(line)
			if how == "lines" {
				feed(s, process.Stderr, line)
			}
		}
		switch how {
		case "block":
			feed(s, process.Stderr, all.String())
		case "skip":
			s.Skip(process.Stderr, []byte(all.String()+"unfinished"), all.Len())
		}
		s.Exit(process.Exit{})
		if len(got) != 16 || got[0] != "line 399" || got[15] != "line 384" {
			t.Errorf("%s: %q", how, got)
		}
	}
}

func TestLongTextsAreClipped(t *testing.T) {
	s := newSession(hooks{line: func(c *Context, l Line) { c.Warn("w", l.Text) }})
	got := feed(s, process.Stdout, strings.Repeat("é", 3000)+"\n")[0].(process.WarningDetected).Message
	if len(got) > maxText || !strings.HasSuffix(got, "é…") {
		t.Errorf("%d bytes, ends in %q", len(got), got[len(got)-8:])
	}
}
