package reeve_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/process"
)

// hooks is an interpreter made of functions.
type hooks struct {
	line func(*interpret.Context, interpret.Line)
	exit func(*interpret.Context, process.Exit)
}

func (h hooks) OnLine(c *interpret.Context, l interpret.Line) {
	if h.line != nil {
		h.line(c, l)
	}
}

func (h hooks) OnExit(c *interpret.Context, e process.Exit) {
	if h.exit != nil {
		h.exit(c, e)
	}
}

func TestFindingsPersistIntoTheOutcome(t *testing.T) {
	dir := t.TempDir()
	rt := open(t, reeve.Config{Dir: dir})
	rec := finish(t, rt, reeve.Sh("echo fine; echo ALERT here; echo fine").InterpretedBy(hooks{
		line: func(c *interpret.Context, l interpret.Line) {
			if strings.HasPrefix(l.Text, "ALERT") {
				c.Finding(process.Finding{Severity: process.Warning, Code: "test.alert", Message: l.Text,
					Action: &process.Action{Kind: process.ActionCommand, Value: "fix it"}})
			}
		},
		exit: func(c *interpret.Context, _ process.Exit) { c.Summary("done") },
	}))
	check := func(o *reeve.Outcome) {
		t.Helper()
		if !o.Succeeded() || o.Summary != "done" || len(o.Findings) != 1 || o.Findings[0].Code != "test.alert" || o.Findings[0].Action.Value != "fix it" {
			t.Errorf("outcome %+v", o)
		}
	}
	check(rec.Outcome)
	found, err := rt.Findings(t.Context(), reeve.FindingQuery{Code: "test.alert"})
	if err != nil || len(found) != 1 || found[0].Process != rec.ID || found[0].Run != 1 {
		t.Errorf("findings %+v, %v", found, err)
	}
	rt.Close()
	check(record(t, open(t, reeve.Config{Dir: dir}), rec.ID).Outcome)
}

// A line's events follow the line itself.
func TestInterpretedEventsFollowTheirLine(t *testing.T) {
	rt := open(t, reeve.Config{})
	rec := finish(t, rt, reeve.Sh("echo a; echo b; echo c").InterpretedBy(hooks{
		line: func(c *interpret.Context, l interpret.Line) { c.Warn("w", "about "+l.Text) },
	}))
	var order []string
	for _, ev := range events(t, rt, rec.ID) {
		switch d := ev.Data.(type) {
		case process.OutputAppended:
			order = append(order, d.Line)
		case process.WarningDetected:
			order = append(order, d.Message)
		}
	}
	if got := strings.Join(order, ", "); got != "a, about a, b, about b, c, about c" {
		t.Errorf("order: %s", got)
	}
}

func TestInterpreterPanicDoesNotKillTheJob(t *testing.T) {
	rt := open(t, reeve.Config{})
	calls := 0
	rec := finish(t, rt, reeve.Sh("echo a; echo b").InterpretedBy(hooks{
		line: func(*interpret.Context, interpret.Line) { calls++; panic("bad interpreter") },
		exit: func(*interpret.Context, process.Exit) { calls++ },
	}))
	if !rec.Outcome.Succeeded() || calls != 1 {
		t.Errorf("outcome %+v after %d calls", rec.Outcome, calls)
	}
	all := events(t, rt, rec.ID)
	if count(all, process.KindInterpreterError) != 1 {
		t.Fatalf("events %s", kinds(all))
	}
	for _, ev := range all {
		if d, ok := ev.Data.(process.InterpreterError); ok && (!d.Disabled || !strings.Contains(d.Error, "bad interpreter")) {
			t.Errorf("%+v", d)
		}
	}
}

func TestKnownErrorBecomesTheReason(t *testing.T) {
	rt := open(t, reeve.Config{})
	broken := hooks{exit: func(c *interpret.Context, _ process.Exit) {
		c.KnownError("test.broken", "it broke")
		c.Summary("all is well")
	}}
	rec := finish(t, rt, reeve.Sh("exit 7").InterpretedBy(broken))
	if r := rec.Outcome.Reason; r == nil || r.Kind != process.FailKnownError || r.Code != "test.broken" || rec.Exit.Code != 7 {
		t.Errorf("outcome %+v", rec.Outcome)
	}
	// Evidence never changes the verdict, in neither direction.
	if rec.Outcome.Summary != "all is well" || rec.Outcome.Succeeded() {
		t.Errorf("outcome %+v", rec.Outcome)
	}
	if rec := finish(t, rt, reeve.Sh("exit 0").InterpretedBy(broken)); !rec.Outcome.Succeeded() {
		t.Errorf("outcome %+v", rec.Outcome)
	}
}

func TestPhasesAreClosedAtTheEnd(t *testing.T) {
	rt := open(t, reeve.Config{})
	rec := finish(t, rt, reeve.Sh("echo go; exit 3").InterpretedBy(hooks{
		line: func(c *interpret.Context, _ interpret.Line) {
			c.EnterPhase("outer", "Outer")
			c.EnterPhase("inner", "Inner")
			c.Progress(process.Fraction(7))
			c.ExitPhase("nobody")
		},
	}))
	var got []string
	for _, ev := range events(t, rt, rec.ID) {
		switch d := ev.Data.(type) {
		case process.PhaseEntered:
			got = append(got, "+"+d.Name)
		case process.PhaseExited:
			got = append(got, "-"+d.Name)
		case process.ProgressUpdated:
			if d.Progress.Value != 1 {
				t.Errorf("progress %+v is not clamped", d.Progress)
			}
		case process.InterpreterError, process.Reaped, process.Finalized:
			got = append(got, string(ev.Kind))
		}
	}
	if s := strings.Join(got, " "); s != "+outer +inner interpreter_error -inner -outer reaped finalized" {
		t.Errorf("order: %s", s)
	}
	if rec.Phase != nil {
		t.Errorf("an open phase in a finished record: %+v", rec.Phase)
	}
}

func TestSummaryLineBeforeExitReachesTheHookFirst(t *testing.T) {
	rt := open(t, reeve.Config{})
	for range 10 {
		last := ""
		rec := finish(t, rt, reeve.Sh("sleep 0.01; printf 'result: 42'").InterpretedBy(hooks{
			line: func(_ *interpret.Context, l interpret.Line) { last = l.Text },
			exit: func(c *interpret.Context, _ process.Exit) { c.Summary(last) },
		}))
		if rec.Outcome.Summary != "result: 42" {
			t.Fatalf("summary %q", rec.Outcome.Summary)
		}
	}
}

func TestGenericIsTheDefault(t *testing.T) {
	rt := open(t, reeve.Config{})
	rec := finish(t, rt, reeve.Sh(`echo "[1/4] one"; echo "[2/4] two"; echo "cannot find it" >&2; exit 2`))
	if rec.Progress.Kind != process.ProgressDeterminate || rec.Progress.Done != 2 || rec.Progress.Total != 4 {
		t.Errorf("progress %+v", rec.Progress)
	}
	if rec.Outcome.Reason.Kind != process.FailExitCode || rec.Outcome.Summary != "cannot find it" {
		t.Errorf("outcome %+v", rec.Outcome)
	}
}

func TestRuleFilesAndRegisteredInterpreters(t *testing.T) {
	dir := t.TempDir()
	rules := "rules:\n  - kind: known_error\n    match: 'BOOM (\\w+)'\n    code: my.boom\n    message: it went boom in $1\n"
	if err := os.WriteFile(filepath.Join(dir, "mine.yaml"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	rt := open(t, reeve.Config{RulesDir: dir, Interpreters: map[string]func() reeve.Interpreter{
		"coded": func() reeve.Interpreter {
			return hooks{exit: func(c *interpret.Context, _ process.Exit) { c.Summary("coded") }}
		},
	}})
	rec := finish(t, rt, reeve.Sh("echo BOOM here; exit 1").Interpreter("mine"))
	if r := rec.Outcome.Reason; r.Kind != process.FailKnownError || r.Code != "my.boom" || r.Message != "it went boom in here" {
		t.Errorf("reason %+v", r)
	}
	if rec := finish(t, rt, reeve.Command("true").Interpreter("coded")); rec.Outcome.Summary != "coded" {
		t.Errorf("outcome %+v", rec.Outcome)
	}
}
