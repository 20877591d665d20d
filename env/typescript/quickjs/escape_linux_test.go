package quickjs

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const escapeVariable = "REEVE_TEST_ESCAPE"

// escapee is a process that confines itself as a child does, and then tries to
// get out. It prints what worked.
func escapee() bool {
	secret := os.Getenv(escapeVariable)
	if secret == "" {
		return false
	}
	confined, missing := confine()
	attempts := map[string]func() error{
		"open":   func() error { f, err := os.Open(secret); f.Close(); return err },
		"create": func() error { return os.WriteFile(secret+".new", nil, 0o600) },
		"stat":   func() error { _, err := os.Stat(secret); return err },
		"tcp":    func() error { _, err := net.Dial("tcp", "127.0.0.1:1"); return socketDenied(err) },
		"udp":    func() error { _, err := net.Dial("udp", "127.0.0.1:1"); return err },
		"unix":   func() error { _, err := net.Dial("unix", "/tmp/none"); return socketDenied(err) },
		"exec":   func() error { return exec.Command("/bin/true").Run() },
		"execve": func() error { return syscall.Exec("/bin/true", []string{"true"}, nil) },
		"fork": func() error {
			_, _, e := syscall.RawSyscall(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0)
			return errnoError(e)
		},
		"kill":     func() error { return syscall.Kill(os.Getppid(), 0) },
		"ptrace":   func() error { return syscall.PtraceAttach(os.Getppid()) },
		"userns":   func() error { return unix.Unshare(unix.CLONE_NEWUSER) },
		"mount":    func() error { return unix.Mount("none", "/", "tmpfs", 0, "") },
		"chdir":    func() error { return os.Chdir("/tmp") },
		"io_uring": func() error { _, _, e := syscall.RawSyscall(unix.SYS_IO_URING_SETUP, 1, 0, 0); return errnoError(e) },
		"bpf":      func() error { _, _, e := syscall.RawSyscall(unix.SYS_BPF, 0, 0, 0); return errnoError(e) },
		"memfd":    func() error { _, err := unix.MemfdCreate("x", 0); return err },
		"setuid":   func() error { return syscall.Setuid(0) },
	}
	worked := []string{}
	for name, try := range attempts {
		done := make(chan error)
		go func() { done <- try() }() // on any thread: the filter holds for all
		if err := <-done; err == nil {
			worked = append(worked, name)
		}
	}
	text, _ := json.Marshal(map[string][]string{"worked": worked, "confined": confined, "missing": missing})
	fmt.Println(string(text))
	return true
}

func errnoError(e syscall.Errno) error {
	if e == 0 {
		return nil
	}
	return e
}

// socketDenied: a connection that is refused has got a socket.
func socketDenied(err error) error {
	if err != nil && !strings.Contains(err.Error(), "not permitted") {
		return nil
	}
	return err
}

func TestNothingOutsideIsReachable(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{escapeVariable + "=" + secret}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the escapee: %v, %q", err, out)
	}
	var said struct{ Worked, Confined, Missing []string }
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	if !strings.Contains(strings.Join(said.Confined, " "), "seccomp") {
		t.Skipf("this machine has no system call filter: %q", said.Missing)
	}
	if len(said.Worked) > 0 {
		t.Errorf("a confined process could: %q", said.Worked)
	}
}

// A child that waits holds no thread of the parent's.
func TestWaitingHoldsNoThread(t *testing.T) {
	const many = 24
	threads := func() int {
		entries, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	before := threads()
	started(t, Config{Prelude: "(function () { return {} })", Ahead: many})
	if more := threads() - before; more > many/2 {
		t.Errorf("%d children cost %d threads", many, more)
	}
}
