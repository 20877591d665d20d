//go:build linux

package docs_test

import (
	"regexp"
	"strings"
	"testing"
)

// What varies from run to run and is shown as an example of its kind: another one
// of the kind is as good. Everything else is compared to the letter.
var varying = []*regexp.Regexp{
	regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+Z)?`),                 // dates
	regexp.MustCompile(`\b\d\d:\d\d:\d\d\.\d{3}\b`),                                  // times
	regexp.MustCompile(`\b(\d+(\.\d+)?(h|m|ms|s|µs))+\b`),                            // durations
	regexp.MustCompile(`\b127\.0\.0\.1:\d+`),                                         // the daemon's address
	regexp.MustCompile(`\bpid \d+`),                                                  // processes of the system
	regexp.MustCompile(`"(wallMs|cpuMs|maxRssBytes|stdoutBytes|durationMs)":[\d.]+`), // measurements
}

// expected is an expression for what a document shows: … stands for anything in
// a line, and alone for any lines; /home/ada is the session's home; several
// spaces are as good as one.
func (s *session) expected(shown string) *regexp.Regexp {
	s.t.Helper()
	text := squeeze(strings.ReplaceAll(s.stand.adapt(shown), "/home/ada", s.home))
	return regexp.MustCompile(`(?s)^` + pattern(text) + `$`)
}

func pattern(text string) string {
	for _, v := range varying {
		if at := v.FindStringIndex(text); at != nil {
			return pattern(text[:at[0]]) + "(" + v.String() + ")" + pattern(text[at[1]:])
		}
	}
	quoted := regexp.QuoteMeta(text)
	quoted = regexp.MustCompile(`(?m)^…\n`).ReplaceAllString(quoted, `.*`)
	return strings.ReplaceAll(quoted, "…", `[^\n]*`)
}

// squeeze makes one space of several: columns are as wide as what is in them.
func squeeze(text string) string {
	text = regexp.MustCompile(`(?m)^ +| +$`).ReplaceAllString(text, "")
	return regexp.MustCompile(` +`).ReplaceAllString(text, " ")
}

// The rules by which output is compared would hide mistakes if they were too kind.
func TestExpectedOutput(t *testing.T) {
	s := &session{t: t, home: "/tmp/x"}
	for _, c := range []struct {
		shown, printed string
		same           bool
	}{
		{"hello\n", "hello\n", true},
		{"hello\n", "hello\nmore\n", false},
		{"hello\n", "hullo\n", false},
		{"", "something\n", false},
		{"08:42:33.042  exited  code 137\n", "21:35:26.701  exited            code 137\n", true},
		{"08:42:33.042  exited  code 137\n", "21:35:26.701  exited            code 1\n", false},
		{"started (pid 12, data /home/ada/d)\n", "started (pid 99999, data /tmp/x/d)\n", true},
		{"took 313ms\n", "took 1m06s\n", true},
		{"took 313ms\n", "took long\n", false},
		{`{"id":1,…,"stdout":"hi"}` + "\n", `{"id":1,"a":2,"stdout":"hi"}` + "\n", true},
		{"a\n…\nz\n", "a\nb\nc\nz\n", true},
		{"a\n…\nz\n", "a\nb\nc\n", false},
	} {
		if got := s.expected(c.shown).MatchString(squeeze(c.printed)); got != c.same {
			t.Errorf("%q for %q: %v", c.printed, c.shown, got)
		}
	}
}
