package doctor_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reeverun/reeve/doctor"
)

// keys are what scripts may rely on, in the order of the report.
var keys = map[string][]string{
	"linux": {"tree-control", "tier-cgroup2", "tier-subreaper", "tier-pgroup", "pidfd",
		"limit-memory", "limit-pids", "limit-cpu",
		"sandbox-confined", "sandbox-sandbox", "no-new-privs", "seccomp", "landlock", "namespace-user", "namespace-mount", "namespace-pid", "namespace-net", "namespace-ipc",
		"inotify", "open-files", "tasks", "clock",
		"data-directory", "data-database", "data-write", "data-space", "data-holes", "data-mmap", "data-socket"},
	"darwin": {"tree-control", "tier-pgroup", "limits", "sandbox", "open-files", "clock",
		"data-directory", "data-database", "data-write", "data-space", "data-socket"},
	"windows": {"tree-control", "tier-jobobject", "sandbox", "clock",
		"data-directory", "data-database", "data-write", "data-space", "data-socket"},
}

func TestReport(t *testing.T) {
	dir := t.TempDir()
	r := doctor.Probe(t.Context(), dir)
	var got []string
	for _, c := range r.Checks {
		got = append(got, c.Key)
		sound(t, c)
	}
	if d := cmp.Diff(keys[runtime.GOOS], got); d != "" {
		t.Errorf("keys (-want +got):\n%s", d)
	}
	if r.System.DataDir != dir || r.System.OS != runtime.GOOS || r.System.Kernel == "" || r.System.User == "" {
		t.Errorf("system %+v", r.System)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("it leaves %v behind", left)
	}
}

// sound checks what holds for every check.
func sound(t *testing.T, c doctor.Check) {
	t.Helper()
	if c.Name == "" || c.Section == "" || !strings.HasSuffix(c.Meaning, ".") {
		t.Errorf("%+v does not say what it means in a sentence", c)
	}
	if c.Advice != "" && c.Status == doctor.OK {
		t.Errorf("%+v gives advice nobody needs", c)
	}
	if (c.Reason == "") != (c.Status == doctor.OK) {
		t.Errorf("%+v: a reason belongs to what is not ok, and to that only", c)
	}
	if !slices.Contains([]doctor.Status{doctor.OK, doctor.Limited, doctor.Missing}, c.Status) {
		t.Errorf("%+v has a status of its own", c)
	}
}

func TestJSON(t *testing.T) {
	r := doctor.Report{System: doctor.System{OS: "linux", Arch: "amd64", Kernel: "6.18", User: "me", DataDir: "/data"},
		Checks: []doctor.Check{{Section: "tree", Key: "pidfd", Name: "pidfd", Status: doctor.Missing, Meaning: "M.", Reason: "r", Advice: "A."}}}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"system":{"os":"linux","arch":"amd64","kernel":"6.18","user":"me","dataDir":"/data"},` +
		`"checks":[{"section":"tree","key":"pidfd","name":"pidfd","status":"missing","meaning":"M.","reason":"r","advice":"A."}]}`
	if string(b) != want {
		t.Errorf("got  %s\nwant %s", b, want)
	}
}

func TestSections(t *testing.T) {
	r := doctor.Probe(t.Context(), t.TempDir())
	n := 0
	for _, s := range r.Sections() {
		if s.Title == "" || len(s.Checks) == 0 {
			t.Errorf("section %q is empty or has no title", s.Key)
		}
		n += len(s.Checks)
	}
	if n != len(r.Checks) {
		t.Errorf("the sections hold %d of %d checks", n, len(r.Checks))
	}
	if sum := r.Count(doctor.OK) + r.Count(doctor.Limited) + r.Count(doctor.Missing); sum != n {
		t.Errorf("%d checks are counted, there are %d", sum, n)
	}
	if _, ok := r.Check("no-such-check"); ok {
		t.Error("a check that does not exist is found")
	}
}

// What the program brings along is part of the report, before the data directory.
func TestExtraChecks(t *testing.T) {
	r := doctor.Probe(t.Context(), t.TempDir(), doctor.Extra{Key: "typescript", Name: "TypeScript",
		Try: func(context.Context) doctor.Verdict {
			return doctor.Verdict{Status: doctor.Limited, Meaning: "Programs run, slowly.", Reason: "no V8 was built in", Advice: "Build it with cgo."}
		}})
	c, ok := r.Check("typescript")
	if !ok || c.Status != doctor.Limited || c.Section != doctor.SectionEnvironments || c.Name != "TypeScript" {
		t.Errorf("%+v", c)
	}
	sound(t, c)
	sections := r.Sections()
	if n := len(sections); sections[n-2].Key != doctor.SectionEnvironments || sections[n-2].Title == "" || sections[n-1].Key != doctor.SectionData {
		t.Errorf("%+v", sections)
	}
}

func TestACancelledProbeStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := doctor.Probe(ctx, t.TempDir()); len(r.Checks) != 0 {
		t.Errorf("it went on: %v", r.Checks)
	}
}

func TestTheDataDirectory(t *testing.T) {
	at := func(t *testing.T, dir, key string, want doctor.Status) doctor.Check {
		t.Helper()
		c, ok := doctor.Probe(t.Context(), dir).Check(key)
		if !ok || c.Status != want {
			t.Errorf("%s is %+v, want %s", key, c, want)
		}
		return c
	}
	t.Run("private", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		at(t, dir, "data-directory", doctor.OK)
		if c, _ := doctor.Probe(t.Context(), dir).Check("data-write"); c.Status == doctor.Missing { // the disk may be slow
			t.Errorf("%+v", c)
		}
	})
	t.Run("not made yet", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "a", "b")
		at(t, dir, "data-directory", doctor.OK)
		if _, err := os.Stat(filepath.Dir(dir)); err == nil {
			t.Error("it was made by looking at it")
		}
	})
	t.Run("a file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		at(t, file, "data-directory", doctor.Missing)
		at(t, file, "data-write", doctor.Missing)
	})
	t.Run("a damaged database", func(t *testing.T) {
		dir := t.TempDir()
		at(t, dir, "data-database", doctor.OK) // there is none
		if err := os.WriteFile(filepath.Join(dir, "reeve.db"), []byte(strings.Repeat("not a database\n", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
		if c := at(t, dir, "data-database", doctor.Missing); !strings.Contains(c.Advice, "--recover") {
			t.Errorf("the advice is %q", c.Advice)
		}
	})
	t.Run("a long path", func(t *testing.T) {
		at(t, filepath.Join(t.TempDir(), strings.Repeat("x", 100)), "data-socket", doctor.Limited)
	})
	t.Run("readable by others", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("modes tell nothing on Windows")
		}
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if c := at(t, dir, "data-directory", doctor.Limited); !strings.Contains(c.Advice, "chmod 700 "+dir) {
			t.Errorf("the advice is %q", c.Advice)
		}
	})
}
