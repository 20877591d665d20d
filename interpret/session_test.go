package interpret

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/process"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// hooks is an interpreter made of functions.
type hooks struct {
	line    func(*Context, Line)
	exit    func(*Context, process.Exit)
	partial func(*Context, Line)
}

func (h hooks) OnLine(c *Context, l Line) {
	if h.line != nil {
		h.line(c, l)
	}
}

func (h hooks) OnExit(c *Context, e process.Exit) {
	if h.exit != nil {
		h.exit(c, e)
	}
}

func (h hooks) OnPartial(c *Context, l Line) {
	if h.partial != nil {
		h.partial(c, l)
	}
}

// feed gives a session text as one block and returns what came of it.
func feed(s *Session, stream process.Stream, text string) (out []process.Payload) {
	last := 0
	block := []byte(text)
	s.Block(stream, block, Lines(block, nil), func(line int, p process.Payload) {
		if line < last {
			panic("lines descend")
		}
		last = line
		out = append(out, p)
	})
	return out
}

func newSession(i Interpreter) *Session {
	return NewSession(i, Options{Now: func() time.Time { return epoch.Add(time.Second) }, Started: epoch})
}

// show writes payloads one a line, for comparison.
func show(ps []process.Payload) string {
	var b strings.Builder
	for _, p := range ps {
		fmt.Fprintf(&b, "%s %+v\n", process.New(p).Kind, p)
	}
	return b.String()
}

func expect(t *testing.T, got []process.Payload, want ...process.Payload) {
	t.Helper()
	if g, w := show(got), show(want); g != w {
		t.Errorf("got\n%swant\n%s", g, w)
	}
}

// Execra 9: a finding in a line, a summary at the exit.
func TestFindingsAndSummaryAreEvidence(t *testing.T) {
	s := newSession(hooks{
		line: func(c *Context, l Line) {
			if strings.Contains(l.Text, "ALERT") {
				c.Finding(process.Finding{Severity: process.Warning, Code: "test.alert", Message: l.Text})
			}
		},
		exit: func(c *Context, e process.Exit) { c.Summary("done") },
	})
	f := process.Finding{Severity: process.Warning, Code: "test.alert", Message: "ALERT x", At: epoch.Add(time.Second)}
	expect(t, feed(s, process.Stdout, "a\nALERT x\nb\n"), process.FindingEmitted{Finding: f})
	expect(t, s.Exit(process.Exit{}), process.SummarySet{Summary: "done"})
	e := s.Evidence()
	if e.Summary != "done" || len(e.Findings) != 1 || e.Findings[0].Code != "test.alert" {
		t.Errorf("%+v", e)
	}
}

// Execra 10: a panic is told once, and only the interpreter ends.
func TestPanicDisables(t *testing.T) {
	calls := 0
	s := newSession(hooks{
		line: func(c *Context, l Line) {
			calls++
			c.EnterPhase("p", "")
			panic("boom")
		},
		exit: func(*Context, process.Exit) { calls++ },
	})
	p := process.Phase{ID: 1, Name: "p"}
	expect(t, feed(s, process.Stdout, "a\nb\n"), process.PhaseEntered(p),
		process.InterpreterError{Error: "panic in OnLine: boom", Disabled: true})
	expect(t, feed(s, process.Stdout, "c\n"))
	expect(t, s.Partial(process.Stdout, "d"))
	expect(t, s.Exit(process.Exit{}), process.PhaseExited(p))
	if calls != 1 {
		t.Errorf("called %d times", calls)
	}
}

func TestPanicInEveryHook(t *testing.T) {
	s := newSession(hooks{partial: func(*Context, Line) { panic("p") }})
	expect(t, s.Partial(process.Stdout, "?"), process.InterpreterError{Error: "panic in OnPartial: p", Disabled: true})
	s = newSession(hooks{exit: func(*Context, process.Exit) { panic("e") }})
	expect(t, s.Exit(process.Exit{}), process.InterpreterError{Error: "panic in OnExit: e", Disabled: true})
}

// Execra 11: the first known error is the one that counts.
func TestFirstKnownErrorCounts(t *testing.T) {
	s := newSession(hooks{exit: func(c *Context, e process.Exit) {
		if !c.Succeeded(e) && !c.Classified() {
			c.KnownError("test.broken", "a")
			c.KnownError("test.other", "b")
		}
	}})
	if got := s.Exit(process.Exit{Code: 7}); len(got) != 2 {
		t.Errorf("%v", got)
	}
	if e := s.Evidence().KnownError; e == nil || e.Code != "test.broken" {
		t.Errorf("%v", e)
	}
}

func TestPhaseStack(t *testing.T) {
	s := newSession(hooks{line: func(c *Context, l Line) {
		switch verb, name, _ := strings.Cut(l.Text, " "); verb {
		case "in":
			c.EnterPhase(name, "l")
		case "out":
			c.ExitPhase(name)
		case "label":
			c.UpdatePhase(name)
		}
	}})
	ph := func(id int, name, label string) process.Phase { return process.Phase{ID: id, Name: name, Label: label} }
	expect(t, feed(s, process.Stdout, "label x\nout a\nin a\nlabel m\nlabel m\nin b\nout zz\nin c\nout a\n"),
		process.InterpreterError{Error: `phase "a" exited, but no phase is open`},
		process.PhaseEntered(ph(1, "a", "l")),
		process.PhaseUpdated(ph(1, "a", "m")),
		process.PhaseEntered(ph(2, "b", "l")),
		process.InterpreterError{Error: `phase "zz" exited, but it is not open: the innermost is "b"`},
		process.PhaseEntered(ph(3, "c", "l")),
		process.InterpreterError{Error: `phase "a" exited inside "c"`},
		process.PhaseExited(ph(3, "c", "l")),
		process.PhaseExited(ph(2, "b", "l")),
		process.PhaseExited(ph(1, "a", "m")))
	feed(s, process.Stdout, "in x\nin y\n")
	if p := s.Evidence().Phase; p == nil || p.Name != "y" {
		t.Errorf("%v", p)
	}
	expect(t, s.Exit(process.Exit{}), process.PhaseExited(ph(5, "y", "l")), process.PhaseExited(ph(4, "x", "l")))
}

func TestProgressIsClampedAndThinned(t *testing.T) {
	var next process.Progress
	s := newSession(hooks{line: func(c *Context, l Line) { c.Progress(next) }})
	told := func(p process.Progress) []process.Payload {
		next = p
		return feed(s, process.Stdout, "x\n")
	}
	frac := func(v float64) process.Progress {
		return process.Progress{Kind: process.ProgressDeterminate, Unit: process.UnitFraction, Value: v}
	}
	for _, tc := range []struct {
		in   float64
		want []float64
	}{{-1, []float64{0}}, {0, nil}, {0.0005, nil}, {0.001, []float64{0.001}}, {0.5, []float64{0.5}},
		{0.4, []float64{0.4}}, {0.9995, []float64{0.9995}}, {2, []float64{1}}, {1, nil}} {
		var want []process.Payload
		for _, v := range tc.want {
			want = append(want, process.ProgressUpdated{Progress: frac(v)})
		}
		expect(t, told(frac(tc.in)), want...)
	}
	expect(t, told(frac(0.9999)))
	expect(t, s.Exit(process.Exit{}), process.ProgressUpdated{Progress: frac(0.9999)})
}

func TestMillionStepsMakeAThousandEvents(t *testing.T) {
	const steps = 1_000_000
	s := newSession(hooks{line: func(c *Context, l Line) {
		for i := range int64(steps + 1) {
			c.Progress(process.Progress{Kind: process.ProgressDeterminate, Unit: process.UnitCount, Done: i, Total: steps})
		}
	}})
	got := feed(s, process.Stdout, "go\n")
	if len(got) != 1001 {
		t.Errorf("%d events", len(got))
	}
	if p := s.Evidence().Progress; p.Done != steps {
		t.Errorf("ends at %+v", p)
	}
}

func TestOpenEndedCountIsThinned(t *testing.T) {
	s := newSession(hooks{line: func(c *Context, l Line) {
		for i := range int64(100_000) {
			c.Progress(process.Progress{Kind: process.ProgressDeterminate, Unit: process.UnitCount, Done: i})
		}
	}})
	if n := len(feed(s, process.Stdout, "go\n")); n > 1200 {
		t.Errorf("%d events", n)
	}
	s.Exit(process.Exit{})
	if p := s.Evidence().Progress; p.Done != 99_999 {
		t.Errorf("ends at %+v", p)
	}
}

func TestLimitsAreSaidOnce(t *testing.T) {
	i := 0
	s := NewSession(hooks{line: func(c *Context, l Line) {
		i++
		c.Finding(process.Finding{Code: fmt.Sprint(i), At: epoch})
		c.EnterPhase("p", "")
		c.UpdatePhase(fmt.Sprint(i))
		c.ExitPhase("p")
		c.ExitPhase("nope")
		c.Progress(process.Progress{Kind: process.ProgressDeterminate, Unit: process.UnitCount, Done: int64(i), Total: int64(100 + i)})
	}}, Options{Limits: Limits{Findings: 3, Phases: 2, Labels: 1, Progress: 2, Errors: 1}})
	var n = map[process.Kind]int{}
	var errs []string
	for _, p := range append(feed(s, process.Stdout, strings.Repeat("x\n", 20)), s.Exit(process.Exit{})...) {
		n[process.New(p).Kind]++
		if e, ok := p.(process.InterpreterError); ok {
			errs = append(errs, e.Error)
		}
	}
	if n["finding_emitted"] != 3 || n["phase_entered"] != 2 || n["phase_exited"] != 2 || n["phase_updated"] != 1 || n["progress_updated"] != 3 {
		t.Errorf("%v", n)
	}
	slices.Sort(errs)
	want := []string{
		"more than 1 interpreter_error events in one run: the rest are not recorded",
		"more than 1 phase_updated events in one run: the rest are not recorded",
		"more than 2 phase_entered events in one run: the rest are not recorded",
		"more than 2 progress_updated events in one run: the rest are not recorded",
		"more than 3 finding_emitted events in one run: the rest are not recorded",
		`phase "nope" exited, but no phase is open`,
	}
	if !slices.Equal(errs, want) {
		t.Errorf("%q", errs)
	}
	if p := s.Evidence().Progress; p.Done != 20 {
		t.Errorf("the last progress was not told: %+v", p)
	}
}

func TestPromptIsToldOnce(t *testing.T) {
	ask := func(c *Context, l Line) { c.Prompt(l.Text) }
	s := newSession(hooks{partial: ask})
	expect(t, s.Partial(process.Stdout, "ok? "), process.PromptDetected{Prompt: "ok? "})
	expect(t, s.Partial(process.Stdout, "ok? "))
	feed(s, process.Stdout, "ok? y\n")
	expect(t, s.Partial(process.Stdout, "ok? "), process.PromptDetected{Prompt: "ok? "})
}

func TestNilSessionDoesNothing(t *testing.T) {
	s := NewSession(nil, Options{})
	s.Restore(process.SummarySet{})
	s.Skip(process.Stdout, []byte("a\n"), 2)
	if s != nil || s.Wants(process.Stdout, []byte("x")) || feed(s, process.Stdout, "a\n") != nil ||
		s.Partial(process.Stdout, "a") != nil || s.Exit(process.Exit{}) != nil || s.Evidence().Summary != "" {
		t.Error("a nil session did something")
	}
}

func TestRestoreGoesOnWhereTheRunWas(t *testing.T) {
	i := hooks{line: func(c *Context, l Line) {
		c.KnownError("again", l.Text)
		c.EnterPhase("inner", "")
	}}
	old := newSession(i)
	stored := feed(old, process.Stdout, "first\n")
	stored = append(stored, process.ProgressUpdated{Progress: process.Fraction(0.5)}, process.LabelUpdated{Label: "x"})
	s := newSession(i)
	s.Restore(stored...)
	feed(s, process.Stdout, "second\n")
	e := s.Evidence()
	if e.KnownError.Message != "first" || e.Phase.ID != 2 || e.Progress.Value != 0.5 || e.Label != "x" {
		t.Errorf("%+v %+v", e, e.Phase)
	}
	if n := len(s.Exit(process.Exit{})); n != 2 {
		t.Errorf("%d phases closed", n)
	}
	s = newSession(i)
	s.Restore(process.InterpreterError{Error: "panic", Disabled: true})
	expect(t, feed(s, process.Stdout, "third\n"))
}

func TestElapsedAndSucceeded(t *testing.T) {
	var elapsed time.Duration
	var ok []bool
	s := NewSession(hooks{exit: func(c *Context, e process.Exit) {
		elapsed = c.Elapsed()
		ok = []bool{c.Succeeded(e), c.Succeeded(process.Exit{}), c.Succeeded(process.Exit{Code: 3, Signal: "SIGKILL"})}
	}}, Options{Now: func() time.Time { return epoch.Add(time.Minute) }, Started: epoch, Succeeds: func(c int) bool { return c == 3 }})
	s.Exit(process.Exit{Code: 3})
	if elapsed != time.Minute || !slices.Equal(ok, []bool{true, false, false}) {
		t.Errorf("%v %v", elapsed, ok)
	}
}
