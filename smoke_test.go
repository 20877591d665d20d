package reeve_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/process"
)

// The acceptance cases of seed 004, in their order.

func TestSuccessfulCommandSucceeds(t *testing.T) {
	rt := open(t, reeve.Config{})
	rec := finish(t, rt, reeve.Command("echo", "hello"))
	if !rec.Outcome.Succeeded() || rec.ExitState != process.ExitSuccess || rec.State != process.Idle {
		t.Errorf("got %+v", rec)
	}
	if want := (process.Exit{Code: 0, Reason: "completed"}); *rec.Exit != want {
		t.Errorf("exit %+v", *rec.Exit)
	}
	if got := output(t, rt, rec.ID, reeve.Stdout); got != "hello\n" {
		t.Errorf("stdout %q", got)
	}
}

func TestInvalidUTF8IsDecodedLossyNotDropped(t *testing.T) {
	rt := open(t, reeve.Config{})
	p := spawn(t, rt, reeve.Sh(`printf '\377\n'`))
	all := events(t, rt, p.ID())
	if got := lines(all, reeve.Stdout); !slices.Equal(got, []string{"\uFFFD"}) {
		t.Errorf("lines %q", got)
	}
	if o := wait(t, p); !o.Succeeded() {
		t.Errorf("outcome %+v", o)
	}
	if got := output(t, rt, p.ID(), reeve.Stdout); got != "\377\n" {
		t.Errorf("exact bytes %q", got)
	}
}

func TestNonZeroExitFails(t *testing.T) {
	rt := open(t, reeve.Config{})
	rec := finish(t, rt, reeve.Sh("exit 7").Interpreter("none"))
	if r := rec.Outcome.Reason; r == nil || r.Kind != process.FailExitCode || r.ExitCode != 7 {
		t.Errorf("outcome %+v", rec.Outcome)
	}
	if want := (process.Exit{Code: 7, Reason: "exit status 7"}); *rec.Exit != want || rec.Error != "exit status 7" {
		t.Errorf("exit %+v, error %q", *rec.Exit, rec.Error)
	}
}

func TestSpawnFailureIsAnOutcome(t *testing.T) {
	rt := open(t, reeve.Config{})
	p := spawn(t, rt, reeve.Command("/nonexistent/program"))
	o := wait(t, p)
	if o.Reason == nil || o.Reason.Kind != process.FailSpawn || o.Reason.Error == "" {
		t.Errorf("outcome %+v", o)
	}
	rec := record(t, rt, p.ID())
	if !rec.StartedAt.IsZero() || rec.Lifecycle != process.LifecycleDead || rec.ExitState != process.ExitFailed {
		t.Errorf("record %+v", rec)
	}
	if got := kinds(events(t, rt, p.ID())); got != "process_created process_queued reaped finalized" {
		t.Errorf("events %s", got)
	}
}

func TestCancelledProcessFinalizesAsCancelled(t *testing.T) {
	rt := open(t, reeve.Config{})
	p := spawn(t, rt, reeve.Command("sleep", "60"))
	awaitEvent(t, rt, p.ID(), isKind(process.KindProcessStarted))
	if err := p.Cancel(); err != nil {
		t.Fatal(err)
	}
	if o := wait(t, p); o.Kind != process.OutcomeCancelled {
		t.Errorf("outcome %+v", o)
	}
	rec := record(t, rt, p.ID())
	if want := (process.Exit{Code: 130, Reason: "canceled", Signal: "SIGTERM"}); *rec.Exit != want || rec.Error != "" {
		t.Errorf("exit %+v, error %q", *rec.Exit, rec.Error)
	}
}

func TestCancellingAFinishedProcessIsNil(t *testing.T) {
	rt := open(t, reeve.Config{})
	p := spawn(t, rt, reeve.Command("true"))
	wait(t, p)
	if err := p.Cancel(); err != nil {
		t.Error(err)
	}
	if err := rt.Cancel(p.ID()); err != nil {
		t.Error(err)
	}
}

func TestConcurrencyOneSerializes(t *testing.T) {
	rt := open(t, reeve.Config{Concurrency: 1})
	dir := t.TempDir()
	// Each fails if the other is under way: no clock is needed to see overlap.
	script := "mkdir " + dir + "/busy && sleep 0.2 && rmdir " + dir + "/busy"
	a, b := spawn(t, rt, reeve.Sh(script)), spawn(t, rt, reeve.Sh(script))
	if o := wait(t, a); !o.Succeeded() {
		t.Errorf("first: %+v", o)
	}
	if o := wait(t, b); !o.Succeeded() {
		t.Errorf("second: %+v", o)
	}
}

func TestTimedOutProcessFailsAsTimeout(t *testing.T) {
	rt := open(t, reeve.Config{})
	rec := finish(t, rt, reeve.Command("sleep", "60").Timeout(100*time.Millisecond))
	if r := rec.Outcome.Reason; r == nil || r.Kind != process.FailTimeout || rec.ExitState != process.ExitTimeout {
		t.Errorf("outcome %+v", rec.Outcome)
	}
	if want := (process.Exit{Code: 124, Reason: "timeout", Signal: "SIGTERM"}); *rec.Exit != want {
		t.Errorf("exit %+v", *rec.Exit)
	}
}

func TestCompletedProcessSurvivesReopen(t *testing.T) {
	dir := t.TempDir()
	rt := open(t, reeve.Config{Dir: dir})
	id := finish(t, rt, reeve.Command("echo", "kept").Label("title").Tags("ci")).ID
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	rt = open(t, reeve.Config{Dir: dir})
	rec := record(t, rt, id)
	if rec.State != process.Idle || rec.Label != "title" || !rec.Outcome.Succeeded() {
		t.Errorf("record %+v", rec)
	}
	page, err := rt.Processes(t.Context(), reeve.Query{Tag: "ci"})
	if err != nil || len(page.Processes) != 1 || page.Processes[0].ID != id {
		t.Errorf("page %+v, %v", page, err)
	}
	if got := output(t, rt, id, reeve.Stdout); got != "kept\n" {
		t.Errorf("stdout %q", got)
	}
	gapless(t, events(t, rt, id))
}

func TestQueryFilters(t *testing.T) {
	rt := open(t, reeve.Config{})
	start := time.Now().Add(-time.Minute)
	keep := finish(t, rt, reeve.Command("true").Tags("keep")).ID
	skip := finish(t, rt, reeve.Command("false").Tags("skip").Ref("other")).ID
	success := process.ExitSuccess
	for name, q := range map[string]reeve.Query{
		"tag":    {Tag: "keep"},
		"all":    {Tag: "keep", State: process.Idle, Since: start, Until: time.Now().Add(time.Minute), Limit: 10},
		"status": {Status: &success},
	} {
		page, err := rt.Processes(t.Context(), q)
		if err != nil || len(page.Processes) != 1 || page.Processes[0].ID != keep {
			t.Errorf("%s: %+v, %v", name, page, err)
		}
	}
	page, err := rt.Processes(t.Context(), reeve.Query{Ref: "other"})
	if err != nil || len(page.Processes) != 1 || page.Processes[0].ID != skip {
		t.Errorf("ref: %+v, %v", page, err)
	}
	for name, q := range map[string]reeve.Query{
		"active": {State: process.Running}, "environment": {Environment: "function"},
		"parent": {Parent: keep}, "since": {Since: time.Now().Add(time.Hour)}, "until": {Until: start},
	} {
		if page, err := rt.Processes(t.Context(), q); err != nil || len(page.Processes) != 0 {
			t.Errorf("%s: %+v, %v", name, page, err)
		}
	}
}

func TestKeysetPages(t *testing.T) {
	rt := open(t, reeve.Config{})
	var want []reeve.ID
	for range 25 {
		want = append(want, spawn(t, rt, reeve.Command("true").Parked()).ID())
	}
	slices.Reverse(want)
	var got []reeve.ID
	for q := (reeve.Query{Limit: 10}); ; {
		page, err := rt.Processes(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range page.Processes {
			got = append(got, p.ID)
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestRawOutputPolicies(t *testing.T) {
	dir := t.TempDir()
	rt := open(t, reeve.Config{Dir: dir})
	run := func(p reeve.RawOutput) (*reeve.Process, string) {
		rec := finish(t, rt, reeve.Command("echo", "raw line").RawOutput(p))
		return rec, filepath.Join(dir, "logs", rec.ID.String())
	}
	t.Run("persist", func(t *testing.T) {
		_, logs := run(reeve.Persist)
		if b, err := os.ReadFile(logs + "/1.stdout"); err != nil || string(b) != "raw line\n" {
			t.Errorf("%q, %v", b, err)
		}
	})
	t.Run("gzip", func(t *testing.T) {
		rec, logs := run(reeve.PersistGzipOnFinalize)
		f, err := os.Open(logs + "/1.stdout.gz")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(z); err != nil || string(b) != "raw line\n" {
			t.Errorf("%q, %v", b, err)
		}
		if _, err := os.Stat(logs + "/1.stdout"); !os.IsNotExist(err) {
			t.Errorf("plain file: %v", err)
		}
		if got := output(t, rt, rec.ID, reeve.Stdout); got != "raw line\n" {
			t.Errorf("read back %q", got)
		}
	})
	t.Run("memory", func(t *testing.T) {
		rec, logs := run(reeve.MemoryOnly)
		if got := output(t, rt, rec.ID, reeve.Stdout); got != "raw line\n" {
			t.Errorf("read back %q", got)
		}
		if f := files(t, logs); len(f) != 0 {
			t.Errorf("files %v", f)
		}
		if got := lines(events(t, rt, rec.ID), reeve.Stdout); !slices.Equal(got, []string{"raw line"}) {
			t.Errorf("replay %q", got)
		}
	})
	t.Run("disabled", func(t *testing.T) {
		sub := rt.Subscribe(reeve.Filter{Kind: process.KindOutputAppended})
		defer sub.Close()
		rec, logs := run(reeve.Disabled)
		ev, err := sub.Next(bounded(t))
		if o, ok := ev.Data.(process.OutputAppended); err != nil || !ok || o.Line != "raw line" {
			t.Errorf("live: %+v, %v", ev, err)
		}
		if f := files(t, logs); len(f) != 0 {
			t.Errorf("files %v", f)
		}
		if _, err := rt.WriteOutput(t.Context(), io.Discard, rec.ID, 0, reeve.Stdout); err == nil {
			t.Error("disabled output could be read")
		}
		all := events(t, rt, rec.ID)
		if count(all, process.KindOutputElided) != 1 || rec.StdoutBytes != 9 {
			t.Errorf("events %s, %d bytes", kinds(all), rec.StdoutBytes)
		}
		gapless(t, all)
	})
}

func TestZeroConfigWritesNoFile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	rt := open(t, reeve.Config{})
	finish(t, rt, reeve.Shell("echo hi"))
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	if f := files(t, dir); len(f) != 0 {
		t.Errorf("files %v", f)
	}
}

func TestBuildersOfShells(t *testing.T) {
	shell := []string{"sh", "-c", "x"}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/C", "x"}
	}
	for name, c := range map[string]struct {
		task *reeve.Task
		want []string
	}{
		"shell":       {reeve.Shell("x"), shell},
		"systemshell": {reeve.SystemShell("x"), shell},
		"sh":          {reeve.Sh("x"), []string{"sh", "-c", "x"}},
		"cmd":         {reeve.Cmd("x"), []string{"cmd", "/C", "x"}},
		"powershell":  {reeve.PowerShell("x"), []string{"powershell"}},
		"pwsh":        {reeve.Pwsh("x"), []string{"pwsh"}},
		"command":     {reeve.Command("a b; c", "d e").Arg("f").Args("g", "h"), []string{"a b; c", "d e", "f", "g", "h"}},
	} {
		cmd := c.task.Spec().Command
		got := append([]string{cmd.Program}, cmd.Args...)
		if !slices.Equal(got[:len(c.want)], c.want) || got[len(got)-1] != "x" && name != "command" {
			t.Errorf("%s: %q", name, got)
		}
		if cmd.HideWindow != (runtime.GOOS == "windows") {
			t.Errorf("%s: hide window %v", name, cmd.HideWindow)
		}
	}
	if !reeve.Command("x").HideWindow(true).Spec().Command.HideWindow {
		t.Error("hide window is not stored")
	}
}

func TestCommandNeverParses(t *testing.T) {
	rt := open(t, reeve.Config{})
	rec := finish(t, rt, reeve.Command("echo", "$HOME; echo 'x'", "*", "a b"))
	if got := output(t, rt, rec.ID, reeve.Stdout); got != "$HOME; echo 'x' * a b\n" {
		t.Errorf("%q", got)
	}
}

func TestEnvironmentDirAndStdin(t *testing.T) {
	t.Setenv("REEVE_TEST_INHERITED", "yes")
	rt := open(t, reeve.Config{})
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	run := func(task *reeve.Task) string {
		t.Helper()
		rec := finish(t, rt, task)
		if !rec.Outcome.Succeeded() {
			t.Fatalf("outcome %+v: %s", rec.Outcome, output(t, rt, rec.ID, reeve.Stderr))
		}
		return output(t, rt, rec.ID, reeve.Stdout)
	}
	if got := run(reeve.Sh("echo $A-$B-$REEVE_TEST_INHERITED").Env("A", "1").Envs(map[string]string{"B": "2"})); got != "1-2-yes\n" {
		t.Errorf("env %q", got)
	}
	if got := run(reeve.Command("/usr/bin/env").EnvClear().Env("ONLY", "this")); got != "ONLY=this\n" {
		t.Errorf("cleared env %q", got)
	}
	if got := run(reeve.Command("pwd").Dir(dir)); got != dir+"\n" {
		t.Errorf("dir %q, want %q", got, dir)
	}
	big := strings.Repeat("stdin without a writer\n", 40_000)
	if got := run(reeve.Command("cat").Stdin([]byte(big))); got != big {
		t.Errorf("stdin: %d bytes back of %d", len(got), len(big))
	}
	if got := run(reeve.Command("cat")); got != "" {
		t.Errorf("no stdin: %q", got)
	}
	if got := run(reeve.Sh("echo out; echo err >&2; echo out2").MergeStreams()); got != "out\nerr\nout2\n" {
		t.Errorf("merged %q", got)
	}
}

func TestStdinInherit(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	old := os.Stdin
	os.Stdin = r
	defer func() { os.Stdin = old; r.Close() }()
	if _, err := w.WriteString("from the terminal\n"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	rt := open(t, reeve.Config{})
	rec := finish(t, rt, reeve.Command("cat").StdinInherit())
	if got := output(t, rt, rec.ID, reeve.Stdout); got != "from the terminal\n" {
		t.Errorf("%q", got)
	}
}

func TestSuccessCodes(t *testing.T) {
	rt := open(t, reeve.Config{})
	if rec := finish(t, rt, reeve.Sh("exit 3").SuccessCodes(0, 3)); rec.ExitState != process.ExitSuccess || rec.Exit.Code != 3 {
		t.Errorf("%+v", rec.Outcome)
	}
	if rec := finish(t, rt, reeve.Sh("exit 0").SuccessCodes(3)); rec.ExitState != process.ExitFailed || rec.Exit.Code != 0 {
		t.Errorf("%+v", rec.Outcome)
	}
}

func TestKilledBySignal(t *testing.T) {
	rt := open(t, reeve.Config{})
	rec := finish(t, rt, reeve.Sh("kill -9 $$").Interpreter("none"))
	if want := (process.Exit{Code: 137, Reason: "signal: killed", Signal: "SIGKILL"}); *rec.Exit != want {
		t.Errorf("exit %+v", *rec.Exit)
	}
	if r := rec.Outcome.Reason; r == nil || r.Kind != process.FailSignal || r.Signal != "SIGKILL" {
		t.Errorf("outcome %+v", rec.Outcome)
	}
}
