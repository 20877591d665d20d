package command_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/command"
	"github.com/reeverun/reeve/env/envtest"
	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/process"
)

// bounded runs a script with options and returns what became of it and what the
// host heard.
func bounded(t *testing.T, e env.Environment, dir, script string, o process.Options) (env.Result, *envtest.Host, error) {
	t.Helper()
	s := sh(script)
	s.Command.Dir, s.Options = dir, o
	if err := e.(env.Checker).Check(s); err != nil {
		t.Fatal(err)
	}
	h := envtest.NewHost(t)
	res, err := e.Execute(t.Context(), env.Input{EID: 1, Run: 1, Spec: s}, h)
	return res, h, err
}

// written is what a script wrote to its file.
func written(t *testing.T, h *envtest.Host) string {
	t.Helper()
	f, err := h.File(process.Stdout)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func held(h *envtest.Host, name string) bool {
	_, e := h.Start()
	return slices.Contains(e.Confined, name)
}

const hog = `exec perl -e '$x = "x" x 300000000; print length $x'`

// The kernel's kill for memory is named, of the leader and of a descendant.
func TestMemoryLimitIsNamed(t *testing.T) {
	e := open(t)
	limits := process.Options{Limits: process.Limits{MemoryBytes: 64 << 20}}
	res, h, err := bounded(t, e, "", hog, limits)
	if !held(h, "memory") {
		_, told := h.Start()
		t.Skipf("no controller counts memory here: %q", told.Missing)
	}
	if err == nil || err.Error() != "killed by the memory limit of 64 MiB" || res.Exit.Code != 137 || res.Exit.Reason != "signal: killed" {
		t.Errorf("%+v, %v", res.Exit, err)
	}
	if len(res.Findings) != 1 || res.Findings[0].Code != "reeve.memory_limit" || res.Findings[0].Severity != process.ErrorSeverity {
		t.Errorf("findings %+v", res.Findings)
	}
	// A descendant's is not the leader's: the exit code decides.
	res, _, err = bounded(t, e, "", "("+hog+"); exit 0", limits)
	if err != nil || res.State != process.ExitSuccess || len(res.Findings) != 1 || res.Findings[0].Severity != process.Warning {
		t.Errorf("%+v, %v", res, err)
	}
	res, _, err = bounded(t, e, "", "("+hog+"); exit 3", limits)
	if err == nil || err.Error() != "exit status 3: a process of its tree was killed by the memory limit of 64 MiB" || res.Exit.Code != 3 || res.Exit.Signal != "" {
		t.Errorf("%+v, %v", res.Exit, err)
	}
}

func TestCPULimitIsNamed(t *testing.T) {
	res, h, err := bounded(t, open(t), "", "while :; do :; done", process.Options{Limits: process.Limits{CPUMS: 100}})
	if err == nil || err.Error() != "killed by the CPU limit of 100ms" || res.Exit.Signal == "" || len(res.Findings) != 1 || !held(h, "cpu") {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestOpenFilesAreLimited(t *testing.T) {
	_, h, err := bounded(t, open(t), "", "ulimit -n", process.Options{Limits: process.Limits{OpenFiles: 99}})
	if err != nil || written(t, h) != "99\n" || !held(h, "openFiles") {
		t.Errorf("%q, %v", written(t, h), err)
	}
}

// A fork bomb stays in its job. It is a small one, and ends by itself.
func TestForkBombIsHeld(t *testing.T) {
	res, h, err := bounded(t, open(t), "", `i=0; while [ $i -lt 300 ]; do sleep 5 & i=$((i+1)); done 2>&1; exit 0`, process.Options{Limits: process.Limits{PIDs: 64}})
	if !held(h, "pids") {
		_, told := h.Start()
		t.Skipf("no controller counts processes here: %q", told.Missing)
	}
	if err == nil && res.State == process.ExitSuccess {
		t.Errorf("300 processes were started: %+v, %q", res, written(t, h))
	}
}

// What is required and cannot be had: nothing ran, and the sentence says why.
func TestRequireRefuses(t *testing.T) {
	s, err := keeper.NewInProcess(keeper.Options{Name: t.TempDir(), Tier: keeper.TierGroup})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dir := t.TempDir()
	_, h, err := bounded(t, command.New(s), dir, "touch ran", process.Options{Require: []string{process.TreeKill}})
	if _, ok := err.(*env.SpawnError); !ok || !strings.HasPrefix(err.Error(), "it was not started: this machine cannot enforce tree-kill: ") || !strings.Contains(err.Error(), "options.require") {
		t.Errorf("%T %v", err, err)
	}
	if left, _ := os.ReadDir(dir); h.WasStarted() || len(left) > 0 {
		t.Errorf("it ran: %v", left)
	}
	if _, h, err := bounded(t, open(t), "", "true", process.Options{Require: []string{process.TreeKill}}); err != nil || held(h, process.TreeKill) {
		t.Errorf("%v", err)
	}
}

// What can never be is refused when it is asked for, by the field's name.
func TestBoundsAreChecked(t *testing.T) {
	data := t.TempDir()
	below := data + "/logs"
	if err := os.Mkdir(below, 0o700); err != nil {
		t.Fatal(err)
	}
	link := t.TempDir() + "/link"
	if err := os.Symlink(below, link); err != nil {
		t.Fatal(err)
	}
	e := command.New(nil, data, "/nowhere/at/all")
	for _, c := range []struct {
		o         process.Options
		dir, want string
	}{
		{o: process.Options{Require: []string{process.TreeKill, "magic"}}, want: "options.require[1]"},
		{o: process.Options{Require: []string{"memory"}}, want: "set options.limits.memoryBytes"},
		{o: process.Options{Require: []string{"landlock"}}, want: "set options.sandbox"},
		{o: process.Options{Require: []string{"no-network"}, Sandbox: process.Confined}, want: "as sandbox only"},
		{o: process.Options{Limits: process.Limits{MemoryBytes: 5}}, want: "options.limits.memoryBytes"},
		{o: process.Options{Sandbox: process.Sandboxed}, dir: "/", want: "command.cwd: / cannot be"},
		{o: process.Options{Sandbox: process.Confined}, dir: "/", want: "command.cwd: / cannot be"},
		{o: process.Options{Sandbox: process.Sandboxed}, dir: data, want: "is or holds"},
		{o: process.Options{Sandbox: process.Sandboxed}, dir: below, want: "lies in"},
		{o: process.Options{Sandbox: process.Confined}, dir: link, want: "lies in"},
		{o: process.Options{Sandbox: process.Confined}, dir: data + "/..", want: "is or holds"},
		{o: process.Options{Sandbox: process.Sandboxed}, dir: "/tmp", want: "is or holds"},
		{o: process.Options{Sandbox: process.Confined}, dir: "/tmp"},
		{o: process.Options{Sandbox: process.Confined}, dir: "/usr"},
		{o: process.Options{Sandbox: process.Sandboxed}},
		{dir: data},
	} {
		if c.dir == "/tmp" && !strings.HasPrefix(data, "/tmp/") {
			continue
		}
		s := sh("true")
		s.Command.Dir, s.Options = c.dir, c.o
		err := e.Check(s)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v in %s: %v, want %q", c.o, c.dir, err, c.want)
		}
	}
}

// The host's variables stay with the host; what is given arrives.
func TestConfinedEnvironment(t *testing.T) {
	t.Setenv("REEVE_TEST_SECRET", "hush")
	t.Setenv("LC_ALL", "C")
	e := open(t)
	for _, kind := range process.Sandboxes() {
		dir := t.TempDir()
		s := sh(`echo "[$REEVE_TEST_SECRET][$GIVEN][$LC_ALL][$HOME]"; command -v sh >/dev/null && echo found; env | grep -c hush`)
		s.Command.Dir, s.Options.Sandbox = dir, kind
		s.Command.Env = map[string]process.Secret{"GIVEN": "yes"}
		h := envtest.NewHost(t)
		if _, err := e.Execute(t.Context(), env.Input{EID: 1, Run: 1, Spec: s}, h); err != nil {
			t.Fatal(err)
		}
		want := map[process.Sandbox]string{
			process.Trusted:   "[hush][yes][C][" + os.Getenv("HOME") + "]\nfound\n1\n",
			process.Confined:  "[][yes][C][" + os.Getenv("HOME") + "]\nfound\n0\n",
			process.Sandboxed: "[][yes][C][" + dir + "]\nfound\n0\n",
		}[kind]
		if got := written(t, h); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

// Without a work folder a confined command has /tmp, a sandboxed one its own.
func TestDefaultWorkFolder(t *testing.T) {
	e := open(t)
	for _, kind := range []process.Sandbox{process.Confined, process.Sandboxed} {
		s := &process.Spec{Environment: process.EnvCommand, Code: "pwd; f=$(mktemp ./reeve-test-XXXXXX) && ls -A | wc -l; rm $f", Options: process.Options{Sandbox: kind}}
		h := envtest.NewHost(t)
		if _, err := e.Execute(t.Context(), env.Input{EID: 1, Run: 1, Spec: s}, h); err != nil {
			t.Fatal(err)
		}
		got := written(t, h)
		if !strings.HasPrefix(got, "/tmp\n") || kind == process.Sandboxed && held(h, "own-root") && got != "/tmp\n1\n" {
			t.Errorf("%s: %q", kind, got)
		}
	}
}

// A sandboxed tree can be paused, goes on, and dies by a kill.
func TestSandboxedTreeIsControlled(t *testing.T) {
	e := open(t).(*command.Env)
	dir := t.TempDir()
	s := sh("(while :; do echo x >> beat; sleep 0.01; done) & setsid sleep 600 & wait")
	s.Command.Dir, s.Options.Sandbox = dir, process.Sandboxed
	h := envtest.NewHost(t)
	done := make(chan env.Result, 1)
	go func() {
		res, _ := e.Execute(t.Context(), env.Input{EID: 1, Run: 1, Spec: s}, h)
		done <- res
	}()
	<-h.Began
	size := func() int64 {
		if info, err := os.Stat(dir + "/beat"); err == nil {
			return info.Size()
		}
		return 0
	}
	grows := func(from int64) bool {
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
			if size() > from {
				return true
			}
		}
		return false
	}
	if !grows(0) {
		t.Fatal("it does nothing")
	}
	if err := e.Pause(t.Context(), 1, false); err != nil {
		t.Fatal(err)
	}
	stood := size()
	time.Sleep(50 * time.Millisecond) // five beats, if it were not paused
	if size() != stood {
		t.Error("a paused tree goes on")
	}
	if err := e.Resume(1); err != nil || !grows(stood) {
		t.Errorf("it does not go on: %v", err)
	}
	e.Kill(1)
	if res := <-done; len(res.Survivors) > 0 {
		t.Errorf("survivors %+v", res.Survivors)
	}
}
