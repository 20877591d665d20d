package reeve_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/process"
)

// member returns the process of a supervisor's child, once it has been run n times.
func member(t *testing.T, rt *reeve.Runtime, id reeve.ID, name string, n int) *reeve.Process {
	t.Helper()
	var child *reeve.Process
	eventually(t, name+" to run", func() bool {
		page, err := rt.Processes(t.Context(), reeve.Query{Parent: id})
		if err != nil {
			t.Fatal(err)
		}
		for i := range page.Processes {
			if c := &page.Processes[i]; c.Label == name && c.Number >= n && (c.State == process.Running || c.Outcome != nil) {
				child = c
			}
		}
		return child != nil
	})
	return child
}

func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// Children of all environments live side by side; a function that fails is called
// again, a command that succeeded is not.
func TestSupervisorInGo(t *testing.T) {
	rt := open(t, reeve.Config{})
	var calls atomic.Int64
	flaky := func(ctx context.Context, _ *reeve.FuncCall) error {
		if calls.Add(1) < 3 {
			return errors.New("not yet")
		}
		return nil
	}
	inner := reeve.Supervisor("inner").Child("deep", reeve.Transient, reeve.Func("flaky", flaky))
	h, err := rt.Spawn(t.Context(), reeve.Supervisor("app").Strategy(reeve.OneForOne).MaxRestarts(5, time.Minute).
		Backoff(reeve.Backoff{Initial: time.Millisecond, Max: 10 * time.Millisecond, Factor: 1, Jitter: -1}).
		Child("hello", reeve.Transient, reeve.Sh("echo hello $WHO").Env("WHO", "world")).
		Child("flaky", reeve.Transient, reeve.Func("flaky", flaky)).
		Child("inner", reeve.Transient, inner))
	if err != nil {
		t.Fatal(err)
	}
	outcome, err := h.Wait(t.Context())
	if err != nil || outcome.Kind != process.OutcomeSucceeded {
		t.Fatalf("%+v, %v", outcome, err)
	}
	rec, err := h.Process(t.Context())
	if err != nil || rec.Exit.Reason != "all children completed" || calls.Load() != 4 {
		t.Errorf("%+v, %v, %d calls", rec.Exit, err, calls.Load())
	}
	var out bytes.Buffer
	hello := member(t, rt, h.ID(), "hello", 1)
	if _, err := rt.WriteOutput(t.Context(), &out, hello.ID, 0, reeve.Stdout); err != nil || out.String() != "hello world\n" || hello.Number != 1 {
		t.Errorf("%q, %v, run %d", out.String(), err, hello.Number)
	}
}

// What a child must not be is said when the supervisor is spawned.
func TestSupervisorInGoIsChecked(t *testing.T) {
	rt := open(t, reeve.Config{})
	for want, task := range map[string]*reeve.Task{
		`children: is missing`: reeve.Supervisor("x"),
		`child "a" of the supervisor: timeout: -1s is not positive`:   reeve.Supervisor("x").Child("a", reeve.Permanent, reeve.Sh("true").Timeout(-time.Second)),
		`child "a" of the supervisor: parked: is not possible here`:   reeve.Supervisor("x").Child("a", reeve.Permanent, reeve.Sh("true").Parked()),
		`children[0].restart: "often" is not possible`:                reeve.Supervisor("x").Child("a", "often", reeve.Sh("true")),
		`children: are for supervisors`:                               reeve.Sh("true").Child("a", reeve.Permanent, reeve.Sh("true")),
		`child "a" of the supervisor: command: is not UTF-8`:          reeve.Supervisor("x").Child("a", reeve.Permanent, reeve.Command("\xff")),
		`children[1].name: "a" is the name of children[0], too`:       reeve.Supervisor("x").Child("a", reeve.Permanent, reeve.Sh("true")).Child("a", reeve.Permanent, reeve.Sh("true")),
		`child "a" of the supervisor: command.stdin: cannot be inher`: reeve.Supervisor("x").Child("a", reeve.Permanent, reeve.Sh("true").StdinInherit()),
	} {
		if _, err := rt.Spawn(t.Context(), task); !errors.Is(err, reeve.ErrInvalid) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Secrets of children survive the runtime, sealed, and are found nowhere else.
func TestSecretsOfSupervisedChildren(t *testing.T) {
	dir := t.TempDir()
	rt := open(t, reeve.Config{Dir: dir})
	const secret = "hush-hush-4711"
	h, err := rt.Spawn(t.Context(), reeve.Supervisor("app").
		Child("a", reeve.Temporary, reeve.Sh("printf %s $TOKEN | wc -c").Env("TOKEN", secret)).
		Child("n", reeve.Temporary, reeve.Supervisor("inner").Child("b", reeve.Temporary, reeve.Sh("wc -c").Stdin([]byte(secret)))))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
		if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte(secret)) {
			t.Errorf("%s holds the secret", d.Name())
		}
		return nil
	})
	rt = open(t, reeve.Config{Dir: dir})
	if _, err := rt.Run(t.Context(), h.ID(), reeve.RunOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := rt.Wait(t.Context(), h.ID()); err != nil {
		t.Fatal(err)
	}
	a, n := member(t, rt, h.ID(), "a", 2), member(t, rt, h.ID(), "inner", 2)
	for _, c := range []*reeve.Process{a, member(t, rt, n.ID, "b", 2)} {
		var out bytes.Buffer
		if _, err := rt.WriteOutput(t.Context(), &out, c.ID, 0, reeve.Stdout); err != nil || strings.TrimSpace(out.String()) != "14" {
			t.Errorf("%s: %q, %v", c.Label, out.String(), err)
		}
	}
}

// A child that somebody else kills is back within five seconds, alone.
func TestChildKilledFromOutside(t *testing.T) {
	rt := open(t, reeve.Config{})
	h, err := rt.Spawn(t.Context(), reeve.Supervisor("app").Child("a", reeve.Permanent, reeve.Sh("exec sleep 1000")).
		Child("b", reeve.Permanent, reeve.Sh("exec sleep 1000")))
	if err != nil {
		t.Fatal(err)
	}
	a, b := member(t, rt, h.ID(), "a", 1), member(t, rt, h.ID(), "b", 1)
	killOutside(t, osPID(t, rt, a.ID))
	start := time.Now()
	again := member(t, rt, h.ID(), "a", 2)
	if took := time.Since(start); took > 5*time.Second || again.ID != a.ID {
		t.Errorf("back after %v as process %d", took, again.ID)
	}
	runs, err := rt.Runs(t.Context(), a.ID)
	if err != nil || len(runs) != 2 || runs[1].Exit == nil || runs[1].Exit.Signal != "SIGKILL" {
		t.Errorf("%+v, %v", runs, err)
	}
	if rec, err := rt.Process(t.Context(), b.ID); err != nil || rec.Number != 1 || rec.State != process.Running {
		t.Errorf("the other one: %+v, %v", rec, err)
	}
	if err := h.Cancel(); err != nil {
		t.Fatal(err)
	}
	if outcome, err := h.Wait(t.Context()); err != nil || outcome.Kind != process.OutcomeCancelled || len(outcome.Survivors) > 0 {
		t.Errorf("%+v, %v", outcome, err)
	}
}

// osPID is the operating system's of a process's newest run.
func osPID(t *testing.T, rt *reeve.Runtime, id reeve.ID) (pid int) {
	t.Helper()
	eventually(t, "the start", func() bool {
		events, err := rt.Events(t.Context(), id, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range slices.Backward(events) {
			if s, ok := ev.Data.(process.ProcessStarted); ok {
				pid = s.PID
				return true
			}
		}
		return false
	})
	return pid
}

func killOutside(t *testing.T, pid int) {
	t.Helper()
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
}
