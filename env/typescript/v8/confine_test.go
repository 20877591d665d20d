//go:build cgo && linux && (amd64 || arm64)

package v8

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/reeverun/reeve/env/typescript/engine"
)

// attempts has a child try everything the probe knows, and returns the errnos.
func attempts(t *testing.T, e *Engine, o engine.Options) map[string]syscall.Errno {
	t.Helper()
	s := program(fmt.Sprintf(`
		const result = {};
		for (const name of probe.names) result[name] = probe(name, %d);
		output(result)`, os.Getpid()))
	s.CPUMS = 10_000
	r := drive(t, takeChild(t, e, o), s)
	if !r.done {
		t.Fatalf("got %+v", r)
	}
	got := map[string]syscall.Errno{}
	for name, errno := range r.output {
		got[name] = syscall.Errno(errno.(float64))
	}
	if len(got) < 40 {
		t.Fatalf("only %d attempts were made", len(got))
	}
	return got
}

// TestEscapes runs as whoever runs the tests, and again as an ordinary user if
// that is root.
func TestEscapes(t *testing.T) {
	e := startEngine(t, Config{probe: 1})
	for _, o := range []engine.Options{{}, {NoJIT: true}} {
		for name, errno := range attempts(t, e, o) {
			if name == "map-code" && !o.NoJIT || name == "stop-timer" {
				continue // the JIT's bread; and see FilterChild
			}
			if errno != syscall.EPERM {
				t.Errorf("%s (no JIT: %v): %v", name, o.NoJIT, errno)
			}
		}
	}
}

// TestEscapesWithoutFilter tests what stands behind the filter.
func TestEscapesWithoutFilter(t *testing.T) {
	e := startEngine(t, Config{probe: 2})
	holds := func(name string) bool { return slices.Contains(e.Info().Confined, name) }
	got := attempts(t, e, engine.Options{})
	refused := []string{"create", "mkdir", "fork", "mount", "chroot", "setuid", "bpf", "reboot", "ptrace", "read-process", "raise-limit", "perf"}
	if holds("empty-root") || holds("landlock") {
		refused = append(refused, "open", "exec")
	}
	if holds("pid-namespace") {
		refused = append(refused, "kill", "tgkill", "pidfd")
	}
	for _, name := range refused {
		if got[name] == 0 {
			t.Errorf("%s can be done", name)
		}
	}
}

func TestChildIsNobody(t *testing.T) {
	e := startEngine(t, Config{})
	c := suspend(t, takeChild(t, e, engine.Options{})) // it has done all it does to itself
	defer c.Close()
	dir := "/proc/" + strconv.Itoa(c.PID())
	status, err := os.ReadFile(dir + "/status")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"CapEff": "0000000000000000", "CapPrm": "0000000000000000", "CapInh": "0000000000000000",
		"CapAmb": "0000000000000000", "NoNewPrivs": "1", "Seccomp": "2", "Threads": "1"}
	if os.Geteuid() == 0 {
		want["Uid"], want["Gid"], want["Groups"] = "65534 65534 65534 65534", "65534 65534 65534 65534", ""
		want["CapBnd"] = "0000000000000000"
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		if expect, ok := want[name]; ok && strings.Join(strings.Fields(value), " ") != expect {
			t.Errorf("%s is %q, want %q", name, strings.TrimSpace(value), expect)
		}
	}
	if fds, err := os.ReadDir(dir + "/fd"); err == nil && len(fds) != 1 {
		t.Errorf("it has %d descriptors", len(fds))
	}
	if adjust, err := os.ReadFile(dir + "/oom_score_adj"); err != nil || strings.TrimSpace(string(adjust)) != "1000" {
		t.Errorf("oom_score_adj is %s, %v", adjust, err)
	}
	if env, err := os.ReadFile(dir + "/environ"); err == nil && strings.Contains(string(env), "PATH=") {
		t.Error("it has our environment")
	}
	for name, at := range map[string]string{"net-namespace": "net", "mount-namespace": "mnt", "ipc-namespace": "ipc", "pid-namespace": "pid", "user-namespace": "user"} {
		ours, _ := os.Readlink("/proc/self/ns/" + at)
		theirs, err := os.Readlink(dir + "/ns/" + at)
		if err == nil && slices.Contains(e.Info().Confined, name) && ours == theirs {
			t.Errorf("it is in our %s", name)
		}
	}
}

func TestInfoNamesEveryHold(t *testing.T) {
	info := startEngine(t, Config{}).Info()
	t.Logf("confined by %v, missing %v", info.Confined, info.Missing)
	for _, name := range []string{"seccomp", "no-new-privs", "no-capabilities", "landlock", "user-namespace", "net-namespace",
		"mount-namespace", "pid-namespace", "ipc-namespace", "empty-root", "uid", "rlimits", "cgroup-pids", "cgroup-memory"} {
		missing := slices.ContainsFunc(info.Missing, func(s string) bool { return strings.HasPrefix(s, name+": ") })
		if slices.Contains(info.Confined, name) == missing {
			t.Errorf("%s is not told once", name)
		}
	}
}

// asUser marks the test process that runs as an ordinary user.
const asUser = "REEVE_TEST_V8_AS_USER"

func TestAsOrdinaryUser(t *testing.T) {
	if os.Getenv(asUser) != "" || os.Geteuid() != 0 {
		t.Skip("this is an ordinary user")
	}
	tests := "^(TestEscapes|TestEscapesWithoutFilter|TestChildIsNobody|TestInfoNamesEveryHold|TestCloseLeavesNothing|TestStopAndContinue|TestProgramRunsAndAnswers)$"
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run="+tests, "-test.v")
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), asUser+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 12345, Gid: 12345}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "missing") {
			t.Log(strings.TrimSpace(line))
		}
	}
	if !strings.Contains(string(out), "--- PASS: TestEscapes") {
		t.Errorf("the tests did not run:\n%s", out)
	}
}
