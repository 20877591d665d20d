package interpret

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/reeverun/reeve/process"
)

func TestLiteralsOf(t *testing.T) {
	for expr, want := range map[string]string{
		`^error: (.*)$`:             "error: ",
		`^(?:FAIL|ok)\s`:            "FAIL ok",
		`(?i)Password`:              "password~",
		`\d+`:                       "",
		`a*b?`:                      "",
		`(?:x|\d)y?`:                "",
		`(ab)+c`:                    "ab",
		`(?:ab){2,3}`:               "ab",
		`warning\[(\w+)\]: x`:       "warning[",
		`^\s+--> `:                  "--> ",
		`x|yz`:                      "x yz",
		`\[(?:npm|yarn)\] (\d+)/\d`: "npm yarn",
		"\uFFFD":                    "",
		`(?i)é`:                     "",
	} {
		var got []string
		for _, l := range literalsOf(expr) {
			if l.fold {
				l.text += "~"
			}
			got = append(got, l.text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", expr, got, want)
		}
	}
}

func TestSearchFindsWhatIsThere(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const letters = "abAB:%"
	word := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = letters[rng.IntN(len(letters))]
		}
		return string(b)
	}
	for range 5000 {
		block, lit := word(rng.IntN(30)), word(1+rng.IntN(4))
		from := rng.IntN(len(block) + 1)
		fold := rng.IntN(2) == 0
		want := strings.Index(block[from:], lit)
		if fold {
			lit = strings.ToLower(lit)
			want = strings.Index(strings.ToLower(block[from:]), lit)
		}
		if want < 0 {
			want = len(block)
		} else {
			want += from
		}
		s := newSearch(literal{lit, fold})
		if got := s.find([]byte(block), from); got != want {
			t.Fatalf("%q (fold %v) in %q from %d: %d, want %d", lit, fold, block, from, got, want)
		}
		if s.in(block[from:]) != (want < len(block)) {
			t.Fatalf("%q (fold %v) in %q", lit, fold, block[from:])
		}
	}
}

func TestFirstBytes(t *testing.T) {
	for expr, want := range map[string]string{
		`^error`:        "e",
		`^(?:ok|FAIL) `: "Fo",
		`^(a)?b`:        "ab",
		`^a*b+`:         "ab",
		`^(?i)x1`:       "Xx",
		`(?:^a|^b)c`:    "ab",
		`(^[0-2]{2,3})`: "012",
		`^(?:x{0,2})y`:  "xy",
		`^\bq`:          "q",
		`error`:         "not anchored",
		`^a|b`:          "not anchored",
		`(?:^)?x`:       "not anchored",
		`^`:             "not anchored", // nothing to look at
		`^a*$`:          "not anchored",
	} {
		set, ok := firstBytes(expr)
		got := "not anchored"
		if ok {
			got = ""
			for i, in := range set {
				if in {
					got += string(rune(i))
				}
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", expr, got, want)
		}
	}
	if set, ok := firstBytes(`^[é-ü]`); !ok || !set[0xC3] || !set[0x80] || set['a'] || !set.selective() {
		t.Error("beyond ASCII")
	}
	if set, _ := firstBytes(`^\S`); set.selective() {
		t.Error("any letter is not selective")
	}
}

// FuzzLiterals holds the one promise of the prefilter: it never misses.
func FuzzLiterals(f *testing.F) {
	f.Add(`^(?:error|warning)(\[E\d+\])?: (.*)`, "warning: x")
	f.Add(`(?i)a|b+c`, "ABC")
	f.Fuzz(func(t *testing.T, expr, line string) {
		re, err := regexp.Compile(expr)
		if err != nil || !re.MatchString(line) {
			return
		}
		line = Text([]byte(line))
		for i := range line { // (?i) folds ASCII only
			if line[i] >= 0x80 {
				return
			}
		}
		set := literalsOf(expr)
		found := len(set) == 0
		for _, l := range set {
			found = found || newSearch(l).in(line)
		}
		if !found {
			t.Errorf("%q matches %q without any of %v", expr, line, set)
		}
		if first, ok := firstBytes(expr); ok && (line == "" || !first[line[0]]) {
			t.Errorf("%q matches %q, which begins otherwise", expr, line)
		}
	})
}

func TestStripANSI(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                "plain",
		"\x1b[31mred\x1b[0m":   "red",
		"\x1b[38;5;12mx\x1b[K": "x",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\": "link",
		"\x1b]0;title\ax":                          "x",
		"\x1b(Bx\x1b=y\x1b7":                       "xy",
		"a\x1b":                                    "a",
		"a\x1b[12":                                 "a",
		"a\x1b]unfinished":                         "a",
		"a\x1b(":                                   "a",
	} {
		if got := stripANSI(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// everyLine hides the Filter of an interpreter.
type everyLine struct{ PartialInterpreter }

// checkFilter asserts that the prefilter changes nothing but the cost.
func checkFilter(t *testing.T, r *Rules, stdout, stderr string, code int) {
	t.Helper()
	run := func(i Interpreter) string {
		s := newSession(i)
		ps := append(feed(s, process.Stdout, stdout), feed(s, process.Stderr, stderr)...)
		return show(plainPointers(append(ps, s.Exit(process.Exit{Code: code})...)))
	}
	fast, slow := run(r.New()), run(everyLine{r.New().(PartialInterpreter)})
	if strip := regexp.MustCompile(`0xc[0-9a-f]+`); strip.ReplaceAllString(fast, "") != strip.ReplaceAllString(slow, "") {
		t.Errorf("with filter\n%swithout\n%s", fast, slow)
	}
}

func benchBlock(b *testing.B, i Interpreter, block []byte) {
	s := NewSession(i, Options{})
	spans := Lines(block, nil)
	b.SetBytes(int64(len(block)))
	for b.Loop() {
		s.Block(process.Stdout, block, spans, func(int, process.Payload) {})
	}
}

func BenchmarkInterpreters(b *testing.B) {
	goLog := bytes.Repeat([]byte("2026/01/02 03:04:05 request served path=/a/b/1 status=200 bytes=5120 took=12ms user=abc agent=curl/8\n"), 2600)
	for _, name := range NewRegistry().Names() {
		b.Run("plain/"+name, func(b *testing.B) { benchBlock(b, mustBuiltin(b, name), logBlock(256<<10)) })
	}
	b.Run("golog/generic", func(b *testing.B) { benchBlock(b, mustBuiltin(b, "generic"), goLog) })
	b.Run("every/generic", func(b *testing.B) {
		benchBlock(b, mustBuiltin(b, "generic"), bytes.Repeat([]byte("[ 45%] Building CXX object src/CMakeFiles/app.dir/main.cc.o and some more of the same\n"), 3000))
	})
	b.Run("unfiltered/generic", func(b *testing.B) {
		benchBlock(b, everyLine{mustBuiltin(b, "generic").(PartialInterpreter)}, logBlock(256<<10))
	})
	b.Run("wants/generic", func(b *testing.B) {
		s, block := NewSession(mustBuiltin(b, "generic"), Options{}), logBlock(256<<10)
		b.SetBytes(int64(len(block)))
		for b.Loop() {
			if s.Wants(process.Stdout, block) {
				b.Fatal("wanted")
			}
			s.Skip(process.Stdout, block, len(block))
		}
	})
}

func TestScanRemembersOnlyWithinABlock(t *testing.T) {
	m := mustLoad(t, `rules: [{kind: warning, match: 'W', code: w}]`).New()
	s := newSession(m)
	block := []byte("aaa\n")
	for i := range 3 { // the same buffer, new bytes
		copy(block, fmt.Sprintf("%sx\n", []string{"aa", "Wa", "aa"}[i]))
		n := 0
		s.Block(process.Stdout, block, Lines(block, nil), func(int, process.Payload) { n++ })
		if want := i % 2; n != want {
			t.Errorf("block %d: %d events", i, n)
		}
	}
}
