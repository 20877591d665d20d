package interpret

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/process"
)

func mustLoad(t testing.TB, text string) *Rules {
	t.Helper()
	r, err := LoadRules("x", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// play runs rules over stdout and stderr and an exit code.
func play(t testing.TB, rules, stdout, stderr string, code int) []process.Payload {
	t.Helper()
	s := newSession(mustLoad(t, rules).New())
	out := feed(s, process.Stdout, stdout)
	out = append(out, feed(s, process.Stderr, stderr)...)
	return append(out, s.Exit(process.Exit{Code: code})...)
}

// Execra 20.
func TestFirstMatchWinsAndBenignIsSilent(t *testing.T) {
	const rules = `
rules:
  - {kind: benign, match: '^done\.$'}
  - {kind: known_error, match: '^ERROR: (.*)$', code: x.err, message: $1}
  - {kind: warning, match: 'boom|done', code: x.never}
`
	expect(t, play(t, rules, "done.\nERROR: boom\n", "", 0), process.KnownErrorDetected{Code: "x.err", Message: "boom"})
}

// Execra 21.
func TestFlatPhasesAutoExitAndEmitBoundaryProgress(t *testing.T) {
	const rules = `
rules:
  - {kind: phase, match: '^fetch', name: fetch, from: 0, to: 0.25}
  - {kind: phase, match: '^build (.*)', name: build, label: Building $1, from: 0.25, to: 0.5}
`
	p1, p2 := process.Phase{ID: 1, Name: "fetch", Label: "fetch"}, process.Phase{ID: 2, Name: "build", Label: "Building x"}
	p2b := p2
	p2b.Label = "Building y"
	at := func(v float64) process.Payload { return process.ProgressUpdated{Progress: process.Fraction(v)} }
	expect(t, play(t, rules, "fetch\nbuild x\nbuild y\n", "", 0),
		process.PhaseEntered(p1), at(0), at(0.25), process.PhaseExited(p1),
		process.PhaseEntered(p2), process.PhaseUpdated(p2b), at(0.5), process.PhaseExited(p2b))
	expect(t, play(t, rules, "fetch\nbuild x\n", "", 1),
		process.PhaseEntered(p1), at(0), at(0.25), process.PhaseExited(p1),
		process.PhaseEntered(p2), process.PhaseExited(p2)) // a failed phase is not a completed one
}

// Execra 22.
func TestByteProgressScalesIntoPhase(t *testing.T) {
	const rules = `
rules:
  - {kind: phase, match: '^Downloading', name: download, from: 0.05, to: 0.25}
  - {kind: progress, match: '([\d.]+)/([\d.]+ ?[kMG]i?B)', done: $1, total: $2, unit: bytes}
`
	s := newSession(mustLoad(t, rules).New())
	feed(s, process.Stdout, "Downloading\n 12.34/50 MB\n")
	if v := s.Evidence().Progress.Value; math.Abs(v-0.09936) > 1e-9 {
		t.Errorf("%v", v)
	}
	s = newSession(mustLoad(t, rules).New())
	feed(s, process.Stdout, " 12.34/50 MB\n")
	if p := s.Evidence().Progress; p.Unit != process.UnitBytes || p.Done != 12_340_000 || p.Total != 50_000_000 {
		t.Errorf("without a phase: %+v", p)
	}
}

// Execra 23.
func TestNotesBlockBecomesFinding(t *testing.T) {
	const rules = `
rules:
  - {kind: notes, match: '^Notes$', code: x.notes}
  - {kind: warning, match: 'careful', code: x.warn}
`
	note := func(text string) process.Payload {
		return process.FindingEmitted{Finding: process.Finding{
			Severity: process.Info, Code: "x.notes", Message: text, At: epoch.Add(time.Second)}}
	}
	expect(t, play(t, rules, "Notes\n-----\none careful\ntwo\n\ncareful\n", "", 0),
		note("one careful\ntwo"), process.WarningDetected{Code: "x.warn", Message: "careful"})
	expect(t, play(t, rules, "Notes\n-----\nunfinished\n", "", 0), note("unfinished"))
	expect(t, play(t, rules, "Notes\n-----\n\n", "", 0))
	expect(t, play(t, rules, "Notes\ncareful\n", "", 0), process.WarningDetected{Code: "x.warn", Message: "careful"})
	// The other stream does not interrupt a block.
	s := newSession(mustLoad(t, rules).New())
	feed(s, process.Stdout, "Notes\n-----\none\n")
	feed(s, process.Stderr, "\ncareful\n")
	expect(t, feed(s, process.Stdout, "two\n\n"), note("one\ntwo"))
}

// Execra 24.
func TestFallbackSynthesizesKnownErrorOnlyWhenUnclassified(t *testing.T) {
	const rules = `
rules:
  - {kind: benign, match: '^bye'}
  - {kind: known_error, match: '^fatal: (.*)', code: x.fatal, message: $1}
fallback: {code: x.cmd}
`
	known := func(code, msg string) process.Payload { return process.KnownErrorDetected{Code: code, Message: msg} }
	expect(t, play(t, rules, "out\n", "first\n it broke \n\nbye\n", 7), known("x.cmd", "it broke"))
	expect(t, play(t, rules, "out\nbye\n", "bye\n", 7), known("x.cmd", "out"))
	expect(t, play(t, rules, "", "fatal: x\nlater\n", 7), known("x.fatal", "x"))
	expect(t, play(t, rules, "", "it broke\n", 0))
	expect(t, play(t, rules, "", "", 7))
	expect(t, play(t, rules+"\n", "", "\x1b[31m \x1b[0m\n", 7)) // blank but for colours
	for _, e := range []process.Exit{{Code: 137, Signal: "SIGKILL"}, {Code: 124, Reason: process.ReasonTimeout}, {Code: 130, Reason: process.ReasonCanceled}} {
		s := newSession(mustLoad(t, rules).New())
		feed(s, process.Stderr, "it broke\n")
		expect(t, s.Exit(e))
	}
}

func TestRuleKeys(t *testing.T) {
	at := epoch.Add(time.Second)
	rel := "main.c:3"
	for name, tc := range map[string]struct {
		rules, stdout string
		want          []process.Payload
	}{
		"default message is the line": {`rules: [{kind: warning, match: 'W', code: w}]`, "  a W b \n",
			[]process.Payload{process.WarningDetected{Code: "w", Message: "a W b"}}},
		"named groups and dollars": {`rules: [{kind: warning, match: 'costs (?P<n>\d+)', code: w, message: '$${n}=${n}/$n$1'}]`, "costs 5\n",
			[]process.Payload{process.WarningDetected{Code: "w", Message: "${n}=5/55"}}},
		"code from a group": {`rules: [{kind: known_error, match: 'E(\d+): (.*)', code: 'x.e$1', message: $2}]`, "E42: no\n",
			[]process.Payload{process.KnownErrorDetected{Code: "x.e42", Message: "no"}}},
		"colours are stripped": {`rules: [{kind: warning, match: '^warning: x$', code: w}]`, "\x1b[1m\x1b[33mwarn\x1b[0ming\x1b[m: x\x1b]0;title\a\n",
			[]process.Payload{process.WarningDetected{Code: "w", Message: "warning: x"}}},
		"stderr only": {`rules: [{kind: warning, match: 'W', code: w, stream: stderr}]`, "W\n", nil},
		"once": {`rules: [{kind: warning, match: 'W(.)', code: w, message: $1, once: true}, {kind: summary, match: W}]`, "W1\nW2\n",
			[]process.Payload{process.WarningDetected{Code: "w", Message: "1"}}},
		"continue": {`rules: [{kind: label, match: 'W', label: l, continue: true}, {kind: warning, match: 'W', code: w}]`, "W\n",
			[]process.Payload{process.LabelUpdated{Label: "l"}, process.WarningDetected{Code: "w", Message: "W"}}},
		"contains": {`rules: [{kind: warning, match: '\d+', contains: [x, y], code: w}]`, "1\n1y\n",
			[]process.Payload{process.WarningDetected{Code: "w", Message: "1y"}}},
		"ignoring case": {`rules: [{kind: warning, match: '(?i)ouch', code: w}]`, "OUCH\nouCh\nouc\n",
			[]process.Payload{process.WarningDetected{Code: "w", Message: "OUCH"}, process.WarningDetected{Code: "w", Message: "ouCh"}}},
		"tallies": {`
rules: [{kind: tally, match: '^ok', tally: ok}, {kind: benign, match: '^bad', tally: bad}, {kind: tally, match: '^odd', tally: odd}]
summary: [{tally: ok, one: one ok, many: $n ok}, {tally: odd, many: $n odd}, {tally: bad, one: one bad, many: $n bad}]`, "ok\nok\nbad\n",
			[]process.Payload{process.SummarySet{Summary: "2 ok, one bad"}}},
		"progress kinds": {`
rules:
  - {kind: progress, match: '^p ([\d.]+)', percent: $1}
  - {kind: progress, match: '^c (\d+) of (\d+)', done: $1, total: $2}
  - {kind: progress, match: '^c ([\d,]+)$', done: $1}
  - {kind: progress, match: '^wait for (.*)', hint: $1}`, "p 12.5\nc 3 of 4\nc 1,234\nwait for x\n",
			[]process.Payload{
				process.ProgressUpdated{Progress: process.Fraction(0.125)},
				process.ProgressUpdated{Progress: process.Progress{Kind: process.ProgressDeterminate, Unit: process.UnitCount, Done: 3, Total: 4}},
				process.ProgressUpdated{Progress: process.Progress{Kind: process.ProgressDeterminate, Unit: process.UnitCount, Done: 1234}},
				process.ProgressUpdated{Progress: process.Progress{Kind: process.ProgressIndeterminate, Hint: "x"}},
			}},
		"related on the next line": {`
rules:
  - {kind: finding, match: '^error: (.*)', code: e, severity: error, message: $1, related_next: '^ +--> (.*)$'}`, "error: a\n  --> main.c:3\nerror: b\nerror: c\n",
			[]process.Payload{
				process.FindingEmitted{Finding: process.Finding{Severity: "error", Code: "e", Message: "a", Related: &rel, At: at}},
				process.FindingEmitted{Finding: process.Finding{Severity: "error", Code: "e", Message: "b", At: at}},
				process.FindingEmitted{Finding: process.Finding{Severity: "error", Code: "e", Message: "c", At: at}},
			}},
		"nested phases left in any order": {`
rules:
  - {kind: phase, match: '^in (.*)', name: $1, label: l, nested: true}
  - {kind: phase_exit, match: '^out (.*)', name: $1}`, "in a\nin b\nout a\nout zz\nout b\n",
			[]process.Payload{
				process.PhaseEntered{ID: 1, Name: "a", Label: "l"}, process.PhaseEntered{ID: 2, Name: "b", Label: "l"},
				process.PhaseExited{ID: 2, Name: "b", Label: "l"}, process.PhaseExited{ID: 1, Name: "a", Label: "l"},
			}},
	} {
		t.Run(name, func(t *testing.T) {
			got := play(t, tc.rules, tc.stdout, "", 0)
			for _, p := range append(got, tc.want...) { // compare what pointers point to
				if f, ok := p.(process.FindingEmitted); ok && f.Finding.Related != nil && *f.Finding.Related != rel {
					t.Errorf("related %q", *f.Finding.Related)
				}
			}
			expect(t, plainPointers(got), plainPointers(tc.want)...)
		})
	}
}

// plainPointers replaces pointers by a mark that prints the same everywhere.
func plainPointers(ps []process.Payload) (out []process.Payload) {
	for _, p := range ps {
		if f, ok := p.(process.FindingEmitted); ok && f.Finding.Related != nil {
			f.Finding.Code += " at " + *f.Finding.Related
			f.Finding.Related = nil
			p = f
		}
		out = append(out, p)
	}
	return out
}

func TestActions(t *testing.T) {
	const rules = `
rules:
  - {kind: finding, match: '^run (.*)', code: a, action: {command: 'fix $1', label: Fix it}}
  - {kind: finding, match: '^see (.*)', code: b, severity: recommendation, action: {link: 'https://example/$1'}}
  - {kind: finding, match: '^do (.*)', code: c, severity: warning, related: $1, action: {instruction: 'Do $1.'}}
`
	want := []process.Action{
		{Kind: process.ActionCommand, Label: "Fix it", Value: "fix x"},
		{Kind: process.ActionLink, Value: "https://example/y"},
		{Kind: process.ActionInstruction, Value: "Do z."},
	}
	for i, p := range play(t, rules, "run x\nsee y\ndo z\n", "", 0) {
		f := p.(process.FindingEmitted).Finding
		if *f.Action != want[i] {
			t.Errorf("%+v", *f.Action)
		}
	}
}

func TestRuleErrorsNameTheirPlace(t *testing.T) {
	for in, want := range map[string]string{
		"":          "the file is empty",
		"rules: 5":  "line 1: cannot unmarshal",
		"a: [":      "line 1: did not find expected",
		"rulez: []": `line 1: unknown key "rulez"`,
		"rules:\n  - kind: benign\n    match: x\n    mesage: y": `line 4: unknown key "mesage"`,
		"rules: []\n---\nrules: []":                             "more than one document",
		"rules:\n  - kind: nope":                                `line 2: rule 1 (nope): kind: "nope" is not a kind: want one of benign, finding,`,
		"rules:\n  - {kind: benign, match: x}\n  - {id: odd, kind: warning, code: c, match: '('}": "line 3: rule 2 (warning odd): match: error parsing regexp: missing closing )",
		"rules:\n  - {kind: benign}":                                                                       "line 2: rule 1 (benign): match: missing",
		"rules:\n  - {kind: benign, match: x, code: c}":                                                    "code: a rule of kind benign has no such key",
		"rules:\n  - {kind: warning, match: x}":                                                            "code: missing",
		"rules:\n  - {kind: warning, match: x, code: c, message: $1}":                                      "message: $1: the expression has 0 groups",
		"rules:\n  - {kind: warning, match: x, code: c, message: '${no}'}":                                 "message: $no: the expression has no group of this name",
		"rules:\n  - {kind: warning, match: x, code: c, message: '5 $'}":                                   "a $ must be followed by a group",
		"rules:\n  - {kind: warning, match: x, code: c, stream: out}":                                      `stream: "out" is not stdout, stderr or both`,
		"rules:\n  - {kind: warning, match: x, code: c, contains: ['']}":                                   "contains: empty",
		"rules:\n  - {kind: finding, match: x, code: c, severity: bad}":                                    `severity: "bad" is not info,`,
		"rules:\n  - {kind: finding, match: x, code: c, action: {label: l}}":                               "action: one of command, link and instruction is missing",
		"rules:\n  - {kind: finding, match: x, code: c, action: {link: l, command: c}}":                    "action: more than one",
		"rules:\n  - {kind: finding, match: x, code: c, related_next: '['}":                                "related_next: error parsing",
		"rules:\n  - {kind: phase, match: x}":                                                              "name: missing",
		"rules:\n  - {kind: phase, match: x, name: n, from: 0.1}":                                          "from, to: one needs the other",
		"rules:\n  - {kind: phase, match: x, name: n, from: 0.6, to: 0.5}":                                 "want 0 <= from <= to <= 1",
		"rules:\n  - {kind: phase, match: x, name: n, from: .nan, to: 0.5}":                                "want 0 <= from <= to <= 1",
		"rules:\n  - {kind: phase, match: '(x)', name: $1, from: 0, to: 0.5}":                              "cannot refer to groups",
		"rules:\n  - {kind: phase, match: x, name: n}\n  - {kind: phase, match: x, name: m, nested: true}": "either all nested or none",
		"rules:\n  - {kind: progress, match: x}":                                                           "progress: want detect, percent,",
		"rules:\n  - {kind: progress, match: x, detect: percent}":                                          "either match or detect",
		"rules:\n  - {kind: progress, detect: magic}":                                                      `"magic" is not percent or ratio`,
		"rules:\n  - {kind: progress, detect: ratio, unit: bytes}":                                         "detect: takes no other key",
		"rules:\n  - {kind: progress, match: '(x)', done: $1, unit: miles}":                                "progress: want detect,",
		"rules:\n  - {kind: tally, match: x}":                                                              "tally: missing",
		"rules: []\nsummary: [{tally: t, many: x}]":                                                        `summary: no rule has the tally "t"`,
		"rules: []\nfallback: {as: known_error}":                                                           "fallback: code: missing",
		"rules: []\nfallback: {as: verdict, code: x}":                                                      `as: "verdict" is not`,
		"rules: []\nfallback: {code: x, prefer: '('}":                                                      "fallback: prefer: error parsing",
		"rules: []\nfallback: {code: x, as: summary}":                                                      "fallback: code: a summary has none",
		"rules: []\nfallback: {code: x, stream: out}":                                                      "fallback: stream:",
		"rules:\n  - {kind: progress, match: x, hint: h, starting: true}":                                  "starting: needs done",
		"rules: []\nformat: xml":                                                                           `format: "xml" is not`,
		"rules:\n  - {kind: benign, match: x, once: maybe}":                                                "line 2: cannot unmarshal",
		strings.Repeat("#", maxRuleFile+1):                                                                 "too many",
	} {
		_, err := LoadRules("x", []byte(in))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), `rules "x": `) || strings.Contains(err.Error(), "interpret.") {
			t.Errorf("%.80q: %v, want %q", in, err, want)
		}
	}
}

func FuzzLoadRules(f *testing.F) {
	files, _ := ruleFiles.ReadDir("rules")
	for _, file := range files {
		data, _ := ruleFiles.ReadFile("rules/" + file.Name())
		f.Add(data, "Step 1/2 50% error: x\n\nNotes\n---\na\n")
	}
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		r, err := LoadRules("fuzz", data)
		if err != nil {
			return
		}
		if len(text) < MaxLine { // in pieces of longer lines "^" matches too
			checkFilter(t, r, text, text, 1)
		}
		s := newSession(r.New())
		ps := append(feed(s, process.Stdout, text), feed(s, process.Stderr, text)...)
		s.Partial(process.Stdout, text)
		for _, p := range append(ps, s.Exit(process.Exit{Code: 1})...) {
			if e, ok := p.(process.InterpreterError); ok && e.Disabled {
				t.Fatal(e.Error)
			}
		}
	})
}
