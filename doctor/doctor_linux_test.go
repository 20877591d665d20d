package doctor_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/reeverun/reeve/doctor"
)

// expect compares some of a report's statuses.
func expect(t *testing.T, r doctor.Report, want map[string]doctor.Status) {
	t.Helper()
	for key, status := range want {
		if c, ok := r.Check(key); !ok || c.Status != status {
			t.Errorf("%s is %+v, want %s", key, c, status)
		}
	}
}

// TestTheCallerIsNotConfined: what the probes did to threads ended with them,
// and nothing is left in cgroups.
func TestTheCallerIsNotConfined(t *testing.T) {
	if confined(t) {
		t.Skip("this process is confined already: nothing can be told apart")
	}
	dir := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { doctor.Probe(t.Context(), dir) })
	}
	all.Wait()
	// A thread ends a moment after its goroutine.
	for deadline := time.Now().Add(20 * time.Second); confined(t); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("a confined thread goes on living")
		}
	}
	if _, err := os.ReadDir("/"); err != nil {
		t.Error(err)
	}
	for range 20 { // from whatever thread
		out, err := exec.Command("/bin/cat", "/proc/self/status").Output()
		if err != nil || restricted(string(out)) {
			t.Fatalf("a child is confined: %v\n%s", err, out)
		}
	}
	mine := "reeve-doctor-" + strconv.Itoa(os.Getpid()) + "-*"
	for _, pattern := range []string{"/sys/fs/cgroup/" + mine, "/sys/fs/cgroup/*/" + mine, "/sys/fs/cgroup/*/*/" + mine, "/sys/fs/cgroup/*/*/*/" + mine} {
		if left, _ := filepath.Glob(pattern); len(left) > 0 {
			t.Errorf("cgroups are left: %v", left)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
}

// confined reports whether any thread of this process is.
func confined(t *testing.T) bool {
	t.Helper()
	tasks, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil || len(tasks) == 0 {
		t.Fatal("the threads of this process cannot be seen: ", err)
	}
	for _, path := range tasks {
		if status, err := os.ReadFile(path); err == nil && restricted(string(status)) {
			return true
		}
	}
	return false
}

func restricted(status string) bool {
	return strings.Contains(status, "NoNewPrivs:\t1") || strings.Contains(status, "Seccomp:\t2")
}

func TestAsAnOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become somebody else")
	}
	private := t.TempDir()
	if err := os.Chmod(private, 0o700); err != nil {
		t.Fatal(err)
	}
	r := probeAs(t, "plain", private, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}})
	expect(t, r, map[string]doctor.Status{
		"tree-control": doctor.Limited, "tier-cgroup2": doctor.Missing, "tier-subreaper": doctor.OK, "pidfd": doctor.OK,
		"limit-memory": doctor.Missing, "limit-pids": doctor.Missing, "limit-cpu": doctor.Missing,
		"no-new-privs": doctor.OK, "data-write": doctor.Missing,
		"sandbox-confined": doctor.OK,
	})
	if c, _ := r.Check("tree-control"); !strings.Contains(c.Meaning, "subreaper") || !strings.Contains(c.Reason, "cgroup2") || c.Advice == "" {
		t.Errorf("it does not say what is used and why not more: %+v", c)
	}
}

func TestFewOpenFiles(t *testing.T) {
	expect(t, probeAs(t, "few files", t.TempDir(), nil), map[string]doctor.Status{"open-files": doctor.Limited})
}

// inUserNamespace starts the helper as root of a namespace of its own.
func inUserNamespace(t *testing.T, more uintptr) *syscall.SysProcAttr {
	t.Helper()
	if c, _ := doctor.Probe(t.Context(), t.TempDir()).Check("namespace-mount"); c.Status != doctor.OK {
		t.Skip("this user cannot make namespaces: ", c.Reason)
	}
	return &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | more,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}}
}

func TestWhereNamespacesAreForbidden(t *testing.T) {
	r := probeAs(t, "no namespaces", t.TempDir(), inUserNamespace(t, 0))
	expect(t, r, map[string]doctor.Status{"namespace-user": doctor.Missing, "namespace-mount": doctor.Missing, "namespace-pid": doctor.Missing,
		"namespace-net": doctor.Missing, "namespace-ipc": doctor.Missing, "no-new-privs": doctor.OK,
		"sandbox-sandbox": doctor.Limited})
	if c, _ := r.Check("namespace-user"); !strings.Contains(c.Reason, "no more namespaces") || !strings.Contains(c.Advice, "max_user_namespaces") {
		t.Errorf("it does not say why: %+v", c)
	}
}

func TestAFullDisk(t *testing.T) {
	expect(t, probeAs(t, "small disk", t.TempDir(), inUserNamespace(t, syscall.CLONE_NEWNS)), map[string]doctor.Status{"data-space": doctor.Missing})
}

// TestWhatTheKernelHides: a filter that answers like an old kernel.
func TestWhatTheKernelHides(t *testing.T) {
	if c, _ := doctor.Probe(t.Context(), t.TempDir()).Check("seccomp"); c.Status != doctor.OK {
		t.Skip("calls cannot be hidden here: ", c.Reason)
	}
	r := probeAs(t, "old kernel", t.TempDir(), nil)
	expect(t, r, map[string]doctor.Status{"pidfd": doctor.Missing, "landlock": doctor.Missing, "seccomp": doctor.Missing, "inotify": doctor.Missing,
		"sandbox-confined": doctor.Limited, "sandbox-sandbox": doctor.Limited, "no-new-privs": doctor.OK, "data-holes": doctor.OK})
}
