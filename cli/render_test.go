package cli

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/doctor"
	"github.com/reeverun/reeve/process"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares a text with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
}

var now = time.Date(2026, 6, 24, 12, 0, 0, 0, time.UTC)

func ptr[T any](v T) *T { return &v }

// ago is a time before now.
func ago(d time.Duration) process.Stamp { return process.Stamp{Time: now.Add(-d)} }

// samples are processes in every state.
func samples() []process.Record {
	command := func(words ...string) *process.CommandRecord {
		return &process.CommandRecord{Program: words[0], Args: words[1:]}
	}
	exit := func(code int, reason string) *process.Exit { return &process.Exit{Code: code, Reason: reason} }
	return []process.Record{
		{ID: 108, Environment: "command", State: process.Queued, Command: command("go", "test", "./..."), Run: 1, CreatedAt: ago(time.Second), Tags: []string{"ci"}},
		{ID: 107, Environment: "command", State: process.Running, Command: command("sh", "-c", "echo 'it is a long command line'; sleep 10 && echo done with all of it"), Run: 1,
			Progress: process.Fraction(0.42), StartedAt: ptr(ago(90 * time.Second)), CreatedAt: ago(95 * time.Second), Usage: process.Usage{WallMS: 90_000}, Parent: ptr(process.ID(106))},
		{ID: 106, Environment: "typescript", State: process.Running, Paused: true, Label: ptr("dépôt 日本語 \x1b[31mred\nline"), Run: 1, Code: ptr("await x()"),
			StartedAt: ptr(ago(3 * time.Hour)), CreatedAt: ago(3 * time.Hour), Usage: process.Usage{WallMS: 4_000}, Ref: ptr("nightly")},
		{ID: 9, Environment: "typescript", State: process.Terminating, Code: ptr("while (true) {\n  spin();\n}"), Run: 2, StartedAt: ptr(ago(time.Minute)), CreatedAt: ago(50 * time.Hour), Usage: process.Usage{WallMS: 61_000}},
		{ID: 8, Environment: "command", State: process.Idle, ExitState: ptr(process.ExitSuccess), Exit: exit(0, "completed"), Command: command("true"), Run: 1, StartedAt: ptr(ago(time.Hour)), CreatedAt: ago(time.Hour), Usage: process.Usage{WallMS: 12}},
		{ID: 7, Environment: "command", State: process.Idle, ExitState: ptr(process.ExitFailed), Exit: exit(7, "exit status 7"), Command: command("make", "it fail"), Run: 1, StartedAt: ptr(ago(time.Hour)), CreatedAt: ago(time.Hour), Usage: process.Usage{WallMS: 3_725_000}},
		{ID: 6, Environment: "command", State: process.Idle, ExitState: ptr(process.ExitTimeout), Exit: exit(124, "timeout"), Command: command("sleep", "100"), Run: 1, StartedAt: ptr(ago(time.Hour)), CreatedAt: ago(time.Hour), Usage: process.Usage{WallMS: 9_950}},
		{ID: 5, Environment: "command", State: process.Idle, ExitState: ptr(process.ExitCanceled), Exit: exit(130, "canceled"), Command: command("cat"), Run: 1, CreatedAt: ago(time.Hour)},
		{ID: 4, Environment: "command", State: process.Idle, Command: command("echo", ""), CreatedAt: ago(0)},
	}
}

func TestPsTable(t *testing.T) {
	golden(t, "ps.txt", psTable(samples(), now, 0, palette{}))
	golden(t, "ps-80.txt", psTable(samples(), now, 80, palette{}))
	golden(t, "ps-40-color.txt", psTable(samples(), now, 40, palette{on: true}))
	if psTable(nil, now, 80, palette{}) != "" {
		t.Error("an empty list has a head")
	}
	for _, width := range []int{20, 40, 60, 80, 100, 200} {
		for line := range strings.Lines(psTable(samples(), now, width, palette{})) {
			if n := columns(strings.TrimSuffix(line, "\n")); n > max(width, 25) {
				t.Errorf("%d columns in %d: %q", n, width, line)
			}
		}
	}
}

func TestTree(t *testing.T) {
	all := samples()
	all[4].Parent, all[5].Parent, all[6].Parent = ptr(process.ID(7)), ptr(process.ID(4)), ptr(process.ID(4))
	all[3].Parent = ptr(process.ID(999)) // deleted meanwhile
	golden(t, "tree.txt", drawTrees(grow(all), 0, palette{}))
	golden(t, "tree-50.txt", drawTrees(grow(all), 50, palette{}))
}

func TestShow(t *testing.T) {
	time.Local = time.UTC
	r := samples()[5]
	r.Command.Dir = ptr("/src")
	r.Ref, r.Label, r.Tags, r.Parent = ptr("release"), ptr("the release"), []string{"ci", "slow"}, ptr(process.ID(3))
	r.CompletedAt = ptr(ago(time.Minute))
	r.Options.Timeout = time.Hour
	r.Error = ptr("exit status 7")
	r.Usage = process.Usage{WallMS: 3_725_000, PausedMS: 60_000, CPUMS: 500, MaxRSSBytes: 5 << 20}
	r.Outcome = &process.Outcome{Kind: process.OutcomeFailed, Reason: &process.FailureReason{Kind: process.FailExitCode, ExitCode: 7}, Summary: "2 of 10 failed",
		Findings:  []process.Finding{{Severity: process.Warning, Code: "make.old", Message: "a target is old", Action: &process.Action{Kind: process.ActionCommand, Value: "make clean"}}},
		Survivors: []process.Survivor{{PID: 99, Command: "zombie"}}}
	r.Stdout, r.StdoutBytes = ptr("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n\x1b[2Jeleven\n"), 2_000_000
	r.Stderr, r.StderrBytes = ptr("no end"), 6
	golden(t, "show.txt", showText(&r, nil, nil, now, palette{}))
	idle := samples()[8]
	golden(t, "show-idle.txt", showText(&idle, nil, nil, now, palette{}))
}

func TestEventLines(t *testing.T) {
	time.Local = time.UTC
	var b strings.Builder
	for i, p := range []process.Payload{
		process.ProcessCreated{Environment: "command", Tags: []string{}}, process.ProcessQueued{}, process.ProcessStarted{PID: 4711},
		process.OutputAppended{Stream: process.Stdout, Line: "hello \x1b[31mred"}, process.OutputElided{Bytes: 3000},
		process.PhaseEntered{ID: 1, Name: "build", Label: "Building"}, process.ProgressUpdated{Progress: process.Fraction(0.5)},
		process.WarningDetected{Code: "w", Message: "careful"}, process.KnownErrorDetected{Code: "e", Message: "broken"},
		process.FindingEmitted{Finding: process.Finding{Severity: process.Info, Code: "f", Message: "found"}},
		process.SummarySet{Summary: "all done"}, process.SignalDelivered{Signal: "SIGTERM", Action: "delivered"},
		process.ToolCalled{Call: 3, Service: "pets", Tool: "delete_pet"},
		process.ApprovalRequested{Approval: 7, Call: 3, Service: "pets", Tool: "delete_pet", ExpiresAt: now},
		process.ApprovalDecided{Approval: 7, Call: 3, State: process.ApprovalDenied, By: "ada", Reason: "not \x1b[2Jtoday"},
		process.ApprovalDecided{Approval: 7, Call: 3, State: process.ApprovalApproved},
		process.ToolReturned{Call: 3, Service: "pets", Tool: "delete_pet", Code: "denied", Error: "a person said no", DurationMS: 61_000},
		process.ToolReturned{Call: 4, Service: "pets", Tool: "list", OK: true, DurationMS: 12},
		process.Exited{Code: 1}, process.Cancelled{Now: true}, process.TimedOut{TimeoutMS: 500}, process.Lagged{Missed: 4},
		process.Finalized{Outcome: process.Outcome{Kind: process.OutcomeFailed, Reason: &process.FailureReason{Kind: process.FailTimeout}, Summary: "slow"}},
	} {
		ev := process.New(p)
		ev.Seq, ev.Process, ev.Run, ev.At = int64(i+1), 12, 1, now
		b.WriteString(eventLine(&ev, i%2 == 0, palette{}) + "\n")
	}
	golden(t, "events.txt", b.String())
}

func TestDoctorText(t *testing.T) {
	r := &doctor.Report{System: doctor.System{OS: "linux", Arch: "amd64", Kernel: "6.1", User: "ann", DataDir: "/data"}, Checks: []doctor.Check{
		{Section: doctor.SectionTree, Key: "a", Name: "cgroup v2", Status: doctor.OK, Meaning: "A kill leaves nothing behind."},
		{Section: doctor.SectionSandbox, Key: "b", Name: "Landlock", Status: doctor.Missing, Meaning: "Files cannot be kept from a job by Landlock.", Reason: "the kernel was built without it, which is what some distributions of long standing do", Advice: "boot with lsm=landlock"},
		{Section: doctor.SectionSandbox, Key: "c", Name: "user namespaces", Status: doctor.Limited, Meaning: "Only root has them."},
	}}
	golden(t, "doctor.txt", doctorText(r, 60, palette{}))
}

func TestEnvironmentRow(t *testing.T) {
	tab := &table{head: []string{"NAME", "SLOTS", "TIMEOUT", ""}, right: []bool{false, true, true, false}}
	for _, e := range []api.Environment{{Name: "command", Slots: ptr(8)}, {Name: "typescript", Default: true, DefaultTimeoutMS: ptr(int64(30_000))}} {
		tab.rows = append(tab.rows, environmentRow(&e))
	}
	golden(t, "env.txt", tab.render(0, palette{}))
}

func TestFit(t *testing.T) {
	for _, test := range []struct {
		in    string
		limit int
		want  string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"日本語", 4, "日…"}, {"日本語", 6, "日本語"}, {"e\u0301e\u0301", 2, "e\u0301e\u0301"}, {"abc", 1, "…"}, {"abc", 0, ""}} {
		if got := fit(test.in, test.limit); got != test.want || columns(got) > test.limit {
			t.Errorf("fit(%q, %d) = %q", test.in, test.limit, got)
		}
	}
}

func TestPlainHidesControls(t *testing.T) {
	for in, want := range map[string]string{"ok é 日": "ok é 日", "a\x1b[31m": `a\x1b[31m`, "a\nb\tc": `a\nb c`, "\u202e": `\u202e`, "bad\xff": "bad\ufffd"} {
		if got := plain(in); got != want {
			t.Errorf("plain(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestShortDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-1: "0s", 0: "0ms", 999 * time.Millisecond: "999ms", 9_990 * time.Millisecond: "9.9s", 59 * time.Second: "59s",
		61 * time.Second: "1m01s", 3_661 * time.Second: "1h01m", 49 * time.Hour: "2d01h",
	} {
		if got := shortDuration(d); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
}

func TestProgressBar(t *testing.T) {
	for want, p := range map[string]process.Progress{
		"":                                      {},
		"[###############---------------]  50%": process.Fraction(0.5),
		"[##############################] 100% 3/3":             {Kind: process.ProgressDeterminate, Unit: process.UnitCount, Done: 3, Total: 3},
		"[----------------------------]   1% 1.0 KiB/100.0 KiB": {Kind: process.ProgressDeterminate, Unit: process.UnitBytes, Done: 1024, Total: 102400},
	} {
		width := 80
		if strings.Contains(want, "KiB") {
			width = 54
		}
		if got := progressBar(p, width); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for width := range 60 {
		if got := progressBar(process.Fraction(0.5), width); columns(got) >= max(width, 1) && got != "" {
			t.Errorf("%d columns: %q", width, got)
		}
	}
}

func TestExitCode(t *testing.T) {
	for _, test := range []struct {
		rec  process.Record
		want int
	}{
		{process.Record{ExitState: ptr(process.ExitSuccess), Exit: &process.Exit{}}, 0},
		{process.Record{ExitState: ptr(process.ExitSuccess), Exit: &process.Exit{Code: 3}}, 3}, // one of its success codes
		{process.Record{ExitState: ptr(process.ExitFailed), Exit: &process.Exit{Code: 137}}, 137},
		{process.Record{ExitState: ptr(process.ExitFailed), Exit: &process.Exit{Code: 0}}, 1},
		{process.Record{ExitState: ptr(process.ExitFailed)}, 1},
		{process.Record{}, 1},
		{process.Record{ExitState: ptr(process.ExitSuccess)}, 0},
	} {
		if got := exitCode(&test.rec); got != test.want {
			t.Errorf("%+v: %d, want %d", test.rec, got, test.want)
		}
	}
}

func TestEnvironment(t *testing.T) {
	got, err := environment([]string{"A=1", "B=x=y", "=C:=C:\\", "PWD=/old"}, []string{"A=2", "E="}, "/new")
	want := map[string]string{"A": "2", "B": "x=y", "E": "", "PWD": "/new"}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Error(d, err)
	}
	for _, bad := range []string{"A", "=x", ""} {
		if _, err := environment(nil, []string{bad}, ""); !errors.As(err, new(usageError)) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestLetters(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"label", "label", 0}, {"lable", "label", 2}, {"detatch", "detach", 1}, {"x", "", 1}} {
		if got := letters(test.a, test.b); got != test.want {
			t.Errorf("%s, %s: %d", test.a, test.b, got)
		}
	}
}
