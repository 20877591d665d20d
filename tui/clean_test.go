package tui

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                                       "plain",
		"\x1b[31mred\x1b[0m black":                    "\x1b[31mred\x1b[m black",
		"\x1b[1;38;5;196mbright\x1b[m":                "\x1b[1;38;5;196mbright\x1b[m",
		"\x1b[38;2;1;2;3mrgb":                         "\x1b[38;2;1;2;3mrgb\x1b[m",
		"\x1b[48;2;1;2;999mbad":                       "bad",
		"\x1b[31;39mnone":                             "none",
		"\x1b[4:3mcurly":                              "\x1b[4mcurly\x1b[m",
		"\x1b[8mhidden\x1b[5mblinking":                "hidden\x1b[mblinking\x1b[m",
		"a\x1b[2Jb\x1b[10;10Hc\x1b[?1049hd":           "abcd",
		"\x1b]0;title\atext":                          "text",
		"\x1b]52;c;c2VjcmV0\x1b\\text":                "text",
		"\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\": "link",
		"\x1bP+q544e\x1b\\text":                       "text",
		"\x1b]never ends":                             "",
		"\x1b[31":                                     "",
		"\x1b":                                        "",
		"\x1bctext\x1b(0text":                         "texttext",
		"\u009b31mc1\u009b2J":                         "\x1b[31mc1\x1b[m",
		"\u009d0;title\u009ctext":                     "text",
		"tab\tstop":                                   "tab     stop",
		"bell\a back\b\b del\x7f nul\x00":             "bell back del nul",
		"right\u202eleft\u2066":                       "rightleft",
		"\xff\xfe":                                    "\ufffd\ufffd",
		"\x1b[>4;2m\x1b[?1mkeys":                      "keys",
		"\x1b[3 qcursor\x1b[!p":                       "cursor",
		"\x1b[31\x1b[2Jbroken":                        "broken",
	} {
		if got, _ := (theme{}).clean(in, style{}); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// Colours last until they are changed, also for the next line.
func TestColoursLast(t *testing.T) {
	first, after := theme{}.clean("\x1b[31;1mone", style{})
	second, _ := theme{}.clean("two\x1b[22m three", after)
	if first != "\x1b[1;31mone\x1b[m" || second != "\x1b[1;31mtwo\x1b[m\x1b[31m three\x1b[m" {
		t.Errorf("%q, %q", first, second)
	}
	if plain, _ := (theme{plain: true}).clean("\x1b[31mred", style{}); plain != "red" {
		t.Errorf("%q", plain)
	}
	if ascii, _ := (theme{ascii: true}).clean("wörd", style{}); ascii != "w?rd" {
		t.Errorf("%q", ascii)
	}
}

var ours = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// Whatever a program writes, colours are all that is left of its control.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"\x1b[31mred", "\x1b]0;t\a", "\u009b2J", "\x1b[38;5;1", "\x1bP\x1b\\", "\x1b[1;2;3;;m\x1b[:m"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, th := range []theme{{}, {ascii: true, plain: true}} {
			got, after := th.clean(s, style{})
			again, _ := th.clean(s, after)
			for _, out := range []string{got, again} {
				rest := ours.ReplaceAllString(out, "")
				if i := strings.IndexFunc(rest, func(r rune) bool { return r != ' ' && r != '\u200d' && !unicode.IsPrint(r) }); i >= 0 || !utf8.ValidString(out) {
					t.Fatalf("%q became %q", s, out)
				}
			}
		}
	})
}
