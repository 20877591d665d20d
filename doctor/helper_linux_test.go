package doctor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/doctor"
)

// The test binary, started with this variable, first takes something from
// itself and then prints the report about the directory that is its argument.
const helperVar = "REEVE_DOCTOR_TEST"

func helperMain() {
	mode := os.Getenv(helperVar)
	if mode == "" {
		return
	}
	dir := os.Args[1]
	if err := deprive(mode, dir); err != nil {
		fmt.Fprintln(os.Stderr, mode+":", err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(doctor.Probe(context.Background(), dir)); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

func deprive(mode, dir string) error {
	switch mode {
	case "plain":
		return nil
	case "few files":
		return unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 200, Max: 200})
	case "no namespaces": // inside a user namespace, whose limits are its own
		return os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0)
	case "small disk":
		return unix.Mount("none", dir, "tmpfs", 0, "size=1m")
	case "old kernel":
		return hide(unix.SYS_PIDFD_OPEN, unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_SECCOMP, unix.SYS_INOTIFY_INIT1)
	}
	return fmt.Errorf("unknown mode")
}

// hide makes system calls answer, in all threads, as a kernel does that does
// not know them.
func hide(calls ...uint32) error {
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}}
	for i, nr := range calls {
		filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: nr, Jt: uint8(len(calls) - i)})
	}
	filter = append(filter, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)})
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread() // the flag is this thread's, and goes to all with the filter
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program))); e != 0 {
		return e
	}
	return nil
}

// probeAs runs the helper.
func probeAs(t *testing.T, mode, dir string, sys *syscall.SysProcAttr) doctor.Report {
	t.Helper()
	cmd := exec.Command(shared(t), dir)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), helperVar+"="+mode)
	cmd.SysProcAttr = sys
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	var r doctor.Report
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	for _, c := range r.Checks {
		sound(t, c)
	}
	return r
}

// shared copies the test binary to where every user may execute it.
func shared(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "reeve-doctor-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	path := filepath.Join(dir, "probe")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(f, self); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}
