package process_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reeverun/reeve/process"
)

func TestLifecycleGoesForwardOneStep(t *testing.T) {
	states := []process.Lifecycle{process.LifecycleCreated, process.LifecycleRunning, process.LifecycleZombie, process.LifecycleDead}
	for i, from := range states {
		for j, to := range states {
			err := from.Next(to)
			if j == i+1 {
				if err != nil {
					t.Errorf("%s → %s: %v", from, to, err)
				}
				continue
			}
			var se *process.SyscallError
			if !errors.As(err, &se) || se.Code != process.CodeInternal {
				t.Errorf("%s → %s: %v, want a SyscallError INTERNAL", from, to, err)
			}
		}
	}
}

func TestParseID(t *testing.T) {
	for _, bad := range []string{"", " ", "0", "-1", "abc", "1x", "12abc", "007", "+1", "1.0", "9223372036854775808", " 1"} {
		if id, err := process.ParseID(bad); !errors.Is(err, process.ErrInvalid) {
			t.Errorf("%q is %d, %v", bad, id, err)
		}
	}
	if id, err := process.ParseID("42"); id != 42 || err != nil {
		t.Errorf("42 is %d, %v", id, err)
	}
}

func TestNames(t *testing.T) {
	for _, s := range process.States() {
		if got, err := process.ParseState(string(s)); got != s || err != nil {
			t.Errorf("%s: %s, %v", s, got, err)
		}
	}
	if _, err := process.ParseState("dead"); !errors.Is(err, process.ErrInvalid) || !strings.Contains(err.Error(), "terminating") {
		t.Errorf("got %v", err)
	}
	if got, err := process.ParseExitState("null"); got != process.ExitNone || err != nil {
		t.Errorf("null: %q, %v", got, err)
	}
	if _, err := process.ParseExitState("ok"); err == nil || !strings.Contains(err.Error(), "success, failed, timeout, canceled, null") {
		t.Errorf("got %v", err)
	}
	for name, want := range map[string]process.Signal{"TERM": 1, "sigkill": 2, "INT": 3, "pause": 4, "SIGRESUME": 5} {
		if got, err := process.ParseSignal(name); got != want || err != nil {
			t.Errorf("%s: %d, %v", name, got, err)
		}
	}
	if _, err := process.ParseSignal("HUP"); err == nil {
		t.Error("HUP was accepted")
	}
}

func TestSecretsDoNotShow(t *testing.T) {
	cmd := process.Command{Program: "x", Env: map[string]process.Secret{"K": "hidden"}, StdinData: "hidden"}
	b, err := json.Marshal(cmd)
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{string(b), fmt.Sprintf("%v %+v %#v %s %q", cmd, cmd, cmd, cmd.StdinData, cmd.Env)} {
		if strings.Contains(shown, "hidden") {
			t.Errorf("shown: %s", shown)
		}
	}
	if cmd.StdinData.Reveal() != "hidden" {
		t.Error("it cannot be revealed")
	}
}

func TestErrorsMatchTheirSentinel(t *testing.T) {
	err := fmt.Errorf("doing: %w", process.Invalid("ref", "is empty"))
	if !errors.Is(err, process.ErrInvalid) || errors.Is(err, process.ErrNotFound) {
		t.Error("matching by code fails")
	}
	if got := err.Error(); got != "doing: ref: is empty" {
		t.Errorf("text %q", got)
	}
}

func TestProgressIsClamped(t *testing.T) {
	for _, c := range []struct{ in, want process.Progress }{
		{process.Fraction(1.5), process.Progress{Kind: "determinate", Unit: "fraction", Value: 1}},
		{process.Fraction(-1), process.Progress{Kind: "determinate", Unit: "fraction"}},
		{process.Fraction(math.NaN()), process.Progress{Kind: "determinate", Unit: "fraction"}},
		{process.Progress{Kind: "determinate", Unit: "count", Done: 7, Total: 5}, process.Progress{Kind: "determinate", Unit: "count", Done: 5, Total: 5}},
		{process.Progress{Kind: "determinate", Unit: "bytes", Done: -7}, process.Progress{Kind: "determinate", Unit: "bytes"}},
	} {
		if got := c.in.Clamp(); got != c.want {
			t.Errorf("%+v became %+v", c.in, got)
		}
	}
}

// Each kind of event must survive its JSON form: that is how it is stored.
func TestEventsSurviveJSON(t *testing.T) {
	sig, label, parent, related := "SIGKILL", "title", process.ID(3), "file.go"
	at := time.Date(2026, 6, 24, 12, 0, 0, 123e6, time.UTC)
	payloads := []process.Payload{
		process.ProcessCreated{Environment: "command", Label: &label, Tags: []string{"a"}, Parent: &parent},
		process.ProcessQueued{}, process.ProcessStarted{PID: 7},
		process.OutputAppended{Stream: process.Stderr, Line: "", Offset: 9},
		process.OutputAppended{Stream: process.Stdout, Line: "x", Partial: true},
		process.OutputElided{Stream: process.Stdout, FromSeq: 1, ToSeq: 2, Bytes: 3},
		process.OutputMerged{Output: map[string]any{"k": "v"}},
		process.PhaseEntered{ID: 1, Name: "n", Label: "l"}, process.PhaseUpdated{ID: 1, Name: "n", Label: "m"}, process.PhaseExited{ID: 1, Name: "n", Label: "m"},
		process.ProgressUpdated{Progress: process.Fraction(0.42)},
		process.ProgressUpdated{Progress: process.Progress{Kind: "indeterminate", Hint: "h"}},
		process.ProgressUpdated{Progress: process.Progress{Kind: "determinate", Unit: "count", Done: 3, Total: 10}},
		process.ProgressUpdated{},
		process.LabelUpdated{Label: "l"}, process.WarningDetected{Code: "c", Message: "m"}, process.KnownErrorDetected{Code: "c", Message: "m"},
		process.FindingEmitted{Finding: process.Finding{Severity: process.Recommendation, Code: "c", Message: "m", Related: &related, At: at,
			Action: &process.Action{Kind: process.ActionCommand, Label: "l", Value: "v"}}},
		process.PromptDetected{Prompt: "?"}, process.SummarySet{Summary: "s"}, process.InterpreterError{Error: "e", Disabled: true},
		process.SignalDelivered{Signal: "SIGTERM", Action: "terminate"}, process.Paused{}, process.Resumed{}, process.ChildSpawned{Child: 9}, process.Reparented{From: 1},
		process.Reaped{Steps: []string{"a"}}, process.Exited{Code: 137, Signal: &sig}, process.Exited{},
		process.Cancelled{Now: true}, process.TimedOut{TimeoutMS: 5}, process.Lagged{Missed: 3},
		process.Finalized{Outcome: process.Outcome{Kind: process.OutcomeFailed, Summary: "s",
			Reason: &process.FailureReason{Kind: process.FailExitCode, ExitCode: 7}, Survivors: []process.Survivor{{PID: 1, Command: "x"}}}},
		process.Finalized{Outcome: process.Outcome{Kind: process.OutcomeFailed, Reason: &process.FailureReason{Kind: process.FailKnownError, Code: "x", Message: "m"}}},
		process.Finalized{Outcome: process.Outcome{Kind: process.OutcomeFailed, Reason: &process.FailureReason{Kind: process.FailSpawn, Error: "e"}}},
		process.Finalized{Outcome: process.Outcome{Kind: process.OutcomeFailed, Reason: &process.FailureReason{Kind: process.FailSignal, Signal: "SIGKILL"}}},
		process.Finalized{Outcome: process.Outcome{Kind: process.OutcomeFailed, Reason: &process.FailureReason{Kind: process.FailTimeout}}},
	}
	for _, p := range payloads {
		want := process.New(p)
		want.Seq, want.Cursor, want.Process, want.Run, want.At = 1, 2, 3, 4, at
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got process.Event
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", b, d)
		}
	}
}

func TestEventShape(t *testing.T) {
	ev := process.New(process.OutputAppended{Stream: process.Stdout, Line: "hi", Offset: 3})
	ev.Seq, ev.Cursor, ev.Process, ev.Run, ev.At = 7, 70, 42, 1, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	b, err := json.Marshal(ev)
	want := `{"seq":7,"cursor":"70","process":42,"run":1,"at":"2026-01-02T03:04:05Z","kind":"output_appended","stream":"stdout","line":"hi","offset":3,"partial":false}`
	if err != nil || string(b) != want {
		t.Errorf("%s, %v", b, err)
	}
	var bad process.Event
	for _, in := range []string{`{"kind":"nonsense"}`, `{"kind":"exited","code":"x"}`, `[]`, `{"kind":"exited","cursor":"-1"}`} {
		if err := json.Unmarshal([]byte(in), &bad); err == nil {
			t.Errorf("%s was read", in)
		}
	}
}

func TestRecordHasEveryKey(t *testing.T) {
	b, err := json.Marshal(process.Process{ID: 1})
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.Fields(`id ref parent environment label tags priority state exitState lifecycle paused pausedAt error exit
		outcome code command options output stdoutBytes stderrBytes phase progress run enforced usage createdAt startedAt completedAt`) {
		if _, ok := got[key]; !ok {
			t.Errorf("no %s in %s", key, b)
		}
	}
	for _, key := range []string{"ref", "parent", "exitState", "error", "exit", "outcome", "startedAt", "pausedAt"} {
		if got[key] != nil {
			t.Errorf("%s is %v, want null", key, got[key])
		}
	}
}

func TestOptionsInMilliseconds(t *testing.T) {
	for want, o := range map[string]process.Options{
		`{"timeoutMs":30000}`:                       {Timeout: 30 * time.Second},
		`{"timeoutMs":null}`:                        {Timeout: process.NoTimeout},
		`{"timeoutMs":1,"grace":5000,"drain":1000}`: {Timeout: time.Millisecond, Grace: 5 * time.Second, Drain: time.Second},
	} {
		b, err := json.Marshal(o)
		if err != nil || string(b) != want {
			t.Errorf("%s, %v; want %s", b, err, want)
		}
		var back process.Options
		if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(back, o) {
			t.Errorf("%s came back as %+v, %v", b, back, err)
		}
	}
}

func TestQueryNormalize(t *testing.T) {
	if q, err := (process.Query{}).Normalize(); err != nil || q.Limit != process.DefaultLimit {
		t.Errorf("%+v, %v", q, err)
	}
	bad := process.ExitState("odd")
	for _, q := range []process.Query{{Limit: -1}, {Limit: 1001}, {State: "odd"}, {Status: &bad}, {Cursor: "x"}} {
		if _, err := q.Normalize(); !errors.Is(err, process.ErrInvalid) {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

func FuzzEvent(f *testing.F) {
	f.Add([]byte(`{"seq":1,"kind":"exited","code":1,"signal":null}`))
	f.Add([]byte(`{"seq":1,"kind":"finalized","outcome":{"kind":"failed","reason":{"kind":"known_error","code":1}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var ev process.Event
		if json.Unmarshal(b, &ev) != nil {
			return
		}
		if _, err := json.Marshal(ev); err != nil {
			t.Fatalf("%s was read and cannot be written: %v", b, err)
		}
	})
}
