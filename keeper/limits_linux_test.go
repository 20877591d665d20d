package keeper_test

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/keeper"
)

// shell runs a script with limits; what it prints is read to the end.
func shell(t *testing.T, s keeper.Spawner, spec keeper.Spec, script string) (keeper.Job, string) {
	t.Helper()
	j, r := begin(t, s, spec, script)
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.WaitEmpty(soon(t)); err != nil {
		t.Fatalf("%v: %v", err, j.Members())
	}
	return j, string(out)
}

func begin(t *testing.T, s keeper.Spawner, spec keeper.Spec, script string) (keeper.Job, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	_ = r.SetReadDeadline(time.Now().Add(patience))
	spec.Path, spec.Args, spec.Env, spec.Stdout, spec.Stderr = "/bin/sh", []string{"-c", script}, []string{"PATH=/usr/bin:/bin"}, w, w
	j, err := s.Spawn(t.Context(), spec)
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.Release)
	t.Cleanup(j.Kill)
	return j, r
}

func holds(t *testing.T, j keeper.Job, name string) bool {
	t.Helper()
	return slices.Contains(j.Enforced().Held, name)
}

// eachKind runs a test in each tier and sandbox.
func eachKind(t *testing.T, o keeper.Options, f func(t *testing.T, s keeper.Spawner, spec keeper.Spec)) {
	for _, tier := range []keeper.Tier{keeper.TierCgroup2, keeper.TierSubreaper, keeper.TierGroup} {
		o.Tier, o.Name = tier, t.Name()
		s, err := keeper.NewInProcess(o)
		if err != nil {
			t.Logf("%s: %v", tier, err)
			continue
		}
		for _, kind := range []keeper.Sandbox{keeper.Trusted, keeper.Confined, keeper.Sandboxed} {
			t.Run(string(tier)+"/"+string(kind), func(t *testing.T) { f(t, s, keeper.Spec{Sandbox: kind, Dir: t.TempDir()}) })
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A fork bomb harms nobody: another job runs meanwhile, and its own kill ends
// it.
func TestForkBomb(t *testing.T) {
	eachKind(t, keeper.Options{PIDs: 200}, func(t *testing.T, s keeper.Spawner, spec keeper.Spec) {
		j, out := begin(t, s, spec, `bomb() { bomb & bomb & exec sleep 600; }; echo up; bomb 2>/dev/null`)
		if !holds(t, j, "pids") {
			t.Skipf("no controller: %q", j.Enforced().Missing)
		}
		if _, err := out.Read(make([]byte, 3)); err != nil {
			t.Fatal(err)
		}
		// It has stopped growing when it has hit the limit.
		for last, deadline := -1, time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			n := len(j.Members())
			if n > 50 && n == last {
				break
			}
			last = n
		}
		if n := len(j.Members()); n < 50 || n > 200 {
			t.Errorf("%d processes of 200", n)
		}
		if other, _ := shell(t, s, spec, "true"); other.Killed() != "" {
			t.Error("another job was harmed")
		}
		j.Kill()
		if err := j.WaitEmpty(soon(t)); err != nil {
			t.Errorf("%v: %d left", err, len(j.Members()))
		}
	})
}

func TestPIDs(t *testing.T) {
	eachKind(t, keeper.Options{}, func(t *testing.T, s keeper.Spawner, spec keeper.Spec) {
		spec.Limits.PIDs = 20
		j, out := shell(t, s, spec, `i=0; while [ $i -lt 60 ]; do sleep 1 & i=$((i+1)); done; echo started`)
		if !holds(t, j, "pids") {
			t.Skipf("no controller: %q", j.Enforced().Missing)
		}
		if strings.Contains(out, "started") || !strings.Contains(out, "fork") {
			t.Errorf("60 processes where 20 may be: %q", out)
		}
	})
}

const eatMemory = `x=$(head -c 300000000 /dev/zero | tr '\0' a); echo "${#x}"`

// A memory bomb is ended, and the end has a name.
func TestMemoryBomb(t *testing.T) {
	eachKind(t, keeper.Options{}, func(t *testing.T, s keeper.Spawner, spec keeper.Spec) {
		spec.Limits.Memory = 64 << 20
		j, out := begin(t, s, spec, eatMemory)
		if !holds(t, j, "memory") {
			t.Skipf("no controller: %q", j.Enforced().Missing)
		}
		if err := j.WaitEmpty(soon(t)); err != nil {
			t.Fatal(err)
		}
		if b, _ := io.ReadAll(out); strings.Contains(string(b), "300000000") {
			t.Error("it got its memory")
		}
		if j.Killed() != keeper.LimitMemory {
			t.Errorf("killed by %q", j.Killed())
		}
		if other, _ := shell(t, s, spec, "true"); other.Killed() != "" {
			t.Error("another job was harmed")
		}
	})
}

// Where no cgroup counts memory, each process's data is limited instead.
func TestMemoryOfEachProcess(t *testing.T) {
	s := open(t, keeper.Options{Name: t.Name()}.Without("memory"))
	defer s.Close()
	j, out := shell(t, s, keeper.Spec{Limits: keeper.Limits{Memory: 64 << 20}}, eatMemory)
	if strings.Contains(out, "300000000") {
		t.Error("it got its memory")
	}
	if m := j.Enforced().Missing; len(m) != 1 || !strings.HasPrefix(m[0], "memory: of the whole job") {
		t.Errorf("missing %q", m)
	}
	requires(t, s, keeper.Spec{Limits: keeper.Limits{Memory: 64 << 20}, Require: []string{"memory"}}, "memory")
}

func TestCPU(t *testing.T) {
	eachKind(t, keeper.Options{}, func(t *testing.T, s keeper.Spawner, spec keeper.Spec) {
		spec.Limits.CPU = 200 * time.Millisecond
		j, _ := shell(t, s, spec, `while :; do :; done & while :; do :; done`)
		if j.Killed() != keeper.LimitCPU || !holds(t, j, "cpu") {
			t.Errorf("killed by %q, %+v", j.Killed(), j.Enforced())
		}
		if used := j.Usage().CPU; used < 50*time.Millisecond || used > 10*time.Second {
			t.Errorf("it used %v", used)
		}
		if other, _ := shell(t, s, spec, "true"); other.Killed() != "" {
			t.Error("another job was harmed")
		}
	})
}

func TestOpenFiles(t *testing.T) {
	eachKind(t, keeper.Options{}, func(t *testing.T, s keeper.Spawner, spec keeper.Spec) {
		spec.Limits.OpenFiles = 77
		j, out := shell(t, s, spec, `ulimit -n; ulimit -Hn`)
		if out != "77\n77\n" || !holds(t, j, "openFiles") {
			t.Errorf("%q, %+v", out, j.Enforced())
		}
	})
}

// requires checks that a job is refused for want of a feature.
func requires(t *testing.T, s keeper.Spawner, spec keeper.Spec, name string) {
	t.Helper()
	spec.Path = "/bin/true"
	j, err := s.Spawn(t.Context(), spec)
	if err == nil {
		j.Release()
		t.Errorf("it started without %s", name)
		return
	}
	var missing *keeper.MissingError
	var refused *keeper.SpawnError
	if !errors.As(err, &missing) || !errors.As(err, &refused) || refused.Op != keeper.OpRequire {
		t.Errorf("%v is no refusal", err)
		return
	}
	if len(missing.Names) != 1 || !strings.HasPrefix(missing.Names[0], name+": ") {
		t.Errorf("missing is %q, not %s", missing.Names, name)
	}
}

func TestBadLimits(t *testing.T) {
	s := open(t, keeper.Options{})
	defer s.Close()
	for _, spec := range []keeper.Spec{
		{Sandbox: "prison"}, {Require: []string{"luck"}}, {Limits: keeper.Limits{Memory: -1}}, {Sandbox: keeper.Sandboxed, Dir: "/"},
	} {
		spec.Path = "/bin/true"
		if _, err := s.Spawn(t.Context(), spec); !errors.As(err, new(*keeper.SpawnError)) {
			t.Errorf("%+v: %v", spec, err)
		}
	}
}
