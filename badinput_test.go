package reeve_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/process"
)

func asJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestBadRequestsAreRefused(t *testing.T) {
	rt := open(t, reeve.Config{})
	spawn(t, rt, reeve.Command("true").Ref("taken").Parked())
	for name, c := range map[string]struct {
		task  *reeve.Task
		want  error
		field string
	}{
		"empty program":     {reeve.Command(""), reeve.ErrInvalid, "command.program"},
		"NUL in program":    {reeve.Command("a\x00b"), reeve.ErrInvalid, "command.program"},
		"NUL in argument":   {reeve.Command("echo", "a\x00b"), reeve.ErrInvalid, "command.args"},
		"NUL in dir":        {reeve.Command("echo").Dir("a\x00b"), reeve.ErrInvalid, "command.cwd"},
		"NUL in env":        {reeve.Command("echo").Env("A", "\x00"), reeve.ErrInvalid, "command.env"},
		"bad env name":      {reeve.Command("echo").Env("A=B", "c"), reeve.ErrInvalid, "command.env"},
		"empty ref":         {reeve.Command("echo").Ref(""), reeve.ErrInvalid, "ref"},
		"blank ref":         {reeve.Command("echo").Ref(" \t"), reeve.ErrInvalid, "ref"},
		"taken ref":         {reeve.Command("echo").Ref(" taken "), reeve.ErrRefConflict, ""},
		"unknown parent":    {reeve.Command("echo").Parent(999), reeve.ErrInvalid, "parent"},
		"no timeout":        {reeve.Command("echo").Timeout(0), reeve.ErrInvalid, "timeout"},
		"negative timeout":  {reeve.Command("echo").Timeout(-time.Second), reeve.ErrInvalid, "timeout"},
		"negative grace":    {reeve.Command("echo").Grace(-time.Second), reeve.ErrInvalid, "grace"},
		"unknown rules":     {reeve.Command("echo").Interpreter("nobody"), reeve.ErrInvalid, "interpreter"},
		"empty tag":         {reeve.Command("echo").Tags(""), reeve.ErrInvalid, "tags"},
		"unknown policy":    {reeve.Command("echo").RawOutput("tape"), reeve.ErrInvalid, "rawOutput"},
		"no log directory":  {reeve.Command("echo").RawOutput(reeve.Persist), reeve.ErrInvalid, "rawOutput"},
		"unknown leftovers": {reeve.Command("echo").Leftovers("adopt"), reeve.ErrInvalid, "command.leftovers"},
		"bad success code":  {reeve.Command("echo").SuccessCodes(300), reeve.ErrInvalid, "command.successCodes"},
		"no environment":    {reeve.In("typescript", "1"), reeve.ErrNoEnvironment, ""},
		"not a command":     {reeve.In("function", "x").Arg("y"), reeve.ErrInvalid, "command"},
		"nameless function": {reeve.In("function", ""), reeve.ErrInvalid, "code"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := rt.Spawn(t.Context(), c.task)
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			var e *process.Error
			if errors.As(err, &e) && e.Field != c.field {
				t.Errorf("field %q, want %q (%v)", e.Field, c.field, err)
			}
		})
	}
	page, err := rt.Processes(t.Context(), reeve.Query{})
	if err != nil || len(page.Processes) != 1 {
		t.Errorf("refused requests left %d records, %v", len(page.Processes)-1, err)
	}
	if id := spawn(t, rt, reeve.Command("true").Parked()).ID(); id != 2 {
		t.Errorf("refused requests used up ids: the next is %d", id)
	}
}

func TestWhatTheSystemRefusesIsAnOutcome(t *testing.T) {
	rt := open(t, reeve.Config{})
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("no program"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		task *reeve.Task
		says string
	}{
		"missing program":     {reeve.Command("no-such-program-anywhere"), "no-such-program-anywhere"},
		"missing path":        {reeve.Command("/no/such/program"), "/no/such/program"},
		"not executable":      {reeve.Command(plain), "permission denied"},
		"missing dir":         {reeve.Command("true").Dir(filepath.Join(dir, "gone")), "gone"},
		"dir is a file":       {reeve.Command("true").Dir(plain), "plain"},
		"huge argument":       {reeve.Command("true", strings.Repeat("x", 3<<20)), "argument"},
		"a folder as program": {reeve.Command(dir), ""},
	} {
		t.Run(name, func(t *testing.T) {
			rec := finish(t, rt, c.task)
			if r := rec.Outcome.Reason; r == nil || r.Kind != process.FailSpawn || !strings.Contains(r.Error, c.says) || rec.Error != r.Error {
				t.Errorf("outcome %+v, error %q", rec.Outcome, rec.Error)
			}
			if !rec.StartedAt.IsZero() || rec.Exit.Code != 1 {
				t.Errorf("started %v, exit %+v", rec.StartedAt, rec.Exit)
			}
		})
	}
}

func TestLongScriptRuns(t *testing.T) {
	rt := open(t, reeve.Config{})
	script := "x=0\n" + strings.Repeat("x=$((x+1)) # "+strings.Repeat("padding ", 10)+"\n", 2200) + "echo $x $0\n"
	if len(script) < 200<<10 {
		t.Fatalf("only %d bytes", len(script))
	}
	rec := finish(t, rt, reeve.Sh(script))
	if got := output(t, rt, rec.ID, reeve.Stdout); !strings.HasPrefix(got, "2200 ") {
		t.Errorf("stdout %q, %+v", got, rec.Outcome)
	}
}

func TestUnknownIDs(t *testing.T) {
	rt := open(t, reeve.Config{})
	ctx := t.Context()
	_, perr := rt.Process(ctx, 5)
	_, werr := rt.Wait(ctx, 5)
	_, serr := rt.SubscribeProcess(ctx, 5, 0)
	_, derr := rt.Delete(ctx, 5)
	_, rerr := rt.Run(ctx, 5, reeve.RunOptions{Force: true})
	_, oerr := rt.WriteOutput(ctx, nil, 5, 0, reeve.Stdout)
	for name, err := range map[string]error{"process": perr, "wait": werr, "subscribe": serr, "delete": derr,
		"run": rerr, "output": oerr, "cancel": rt.Cancel(5), "kill": rt.Kill(ctx, 5, reeve.KillOptions{})} {
		if !errors.Is(err, reeve.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestClosedRuntime(t *testing.T) {
	rt := open(t, reeve.Config{})
	p := spawn(t, rt, reeve.Command("true"))
	wait(t, p)
	for range 2 {
		if err := rt.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := rt.Spawn(t.Context(), reeve.Command("true")); !errors.Is(err, reeve.ErrClosed) {
		t.Errorf("spawn: %v", err)
	}
	if _, err := rt.Run(t.Context(), p.ID(), reeve.RunOptions{Force: true}); !errors.Is(err, reeve.ErrClosed) {
		t.Errorf("run: %v", err)
	}
}

func TestOpenWithBadDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := reeve.Open(t.Context(), reeve.Config{Dir: filepath.Join(file, "sub")}); err == nil {
		t.Error("opened below a file")
	}
}

// Nothing a run uses may stay behind: descriptors, goroutines, cgroups.
func TestNothingLeaks(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("counts descriptors in /proc")
	}
	rt := open(t, reeve.Config{Dir: t.TempDir()})
	work := func() {
		for range 10 {
			finish(t, rt, reeve.Sh("echo out; echo err >&2"))
			finish(t, rt, reeve.Command("/nonexistent"))
			finish(t, rt, reeve.Command("sleep", "60").Timeout(5*time.Millisecond))
			finish(t, rt, reeve.Func("f", func(context.Context, *reeve.FuncCall) error { return nil }))
		}
	}
	work()
	fds, routines := settled(t, rt)
	work()
	work()
	fds2, routines2 := settled(t, rt)
	if fds2 > fds+4 {
		t.Errorf("descriptors: %d, then %d", fds, fds2)
	}
	if routines2 > routines+4 {
		t.Errorf("goroutines: %d, then %d", routines, routines2)
	}
}

// settled counts when what ends in the background has ended.
func settled(t *testing.T, _ *reeve.Runtime) (fds, routines int) {
	t.Helper()
	for range 50 {
		d, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		n, g := len(d), runtime.NumGoroutine()
		if n == fds && g == routines {
			return n, g
		}
		fds, routines = n, g
		time.Sleep(20 * time.Millisecond)
	}
	return fds, routines
}
