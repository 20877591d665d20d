//go:build linux

package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// daemon is one running daemon with the folders it lives in.
type daemon struct {
	binary     string
	base, data string // everything of its own; its data directory within
	addr       string
	token      string // shown with every request that names none, if set
	cmd        *exec.Cmd
	log        *logBuffer
	exited     chan struct{} // closed when it was waited for
	tcp, unix  *http.Client
}

// logBuffer collects what a daemon writes to stderr and stdout.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// start runs a daemon for one test, which is checked and gone when it ends.
func start(t testing.TB, flags ...string) *daemon {
	t.Helper()
	d := startIn(t, newBase(t), flags...)
	return d
}

// newBase makes the folders of a daemon; the path is short, for the socket.
func newBase(t testing.TB) string {
	t.Helper()
	base, err := os.MkdirTemp(suite.dir, "d")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		endKept(t, base)
		_ = os.RemoveAll(base)
	})
	return base
}

// endKept ends the keeper that a crashed daemon has left, with what it holds.
func endKept(t testing.TB, base string) {
	err := eventually(func() error {
		all := livingOf(mark(base))
		for pid, keeper := range all {
			sig := syscall.SIGKILL
			if keeper {
				sig = syscall.SIGTERM // it ends, and tidies up, once it holds nothing
			}
			_ = syscall.Kill(pid, sig)
		}
		if len(all) > 0 {
			return fmt.Errorf("still alive: %v", marked(mark(base)))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// startIn is start with the folders of an earlier daemon.
func startIn(t testing.TB, base string, flags ...string) *daemon {
	t.Helper()
	d, err := launch(suite.binary, base, nil, flags...)
	if err != nil {
		t.Fatal(err)
	}
	d.endWith(t)
	return d
}

// endWith stops the daemon when the test ends, and checks how it went.
func (d *daemon) endWith(t testing.TB) {
	t.Cleanup(func() {
		for _, problem := range d.end() {
			t.Error(problem)
		}
		if t.Failed() {
			t.Logf("the daemon said:\n%s", tail(d.log.String(), 4000))
		}
	})
}

// launch starts a daemon, with variables beside the usual ones, and returns
// when it answers.
func launch(binary, base string, variables []string, flags ...string) (*daemon, error) {
	return launchAs(nil, binary, base, variables, flags...)
}

// launchAs is launch as another user, whose folder the base is; nil: this one.
func launchAs(user *syscall.Credential, binary, base string, variables []string, flags ...string) (*daemon, error) {
	d := &daemon{binary: binary, base: base, data: filepath.Join(base, "data"), log: &logBuffer{}, exited: make(chan struct{})}
	// What a test starts ends with its daemon, unless it is about what does not.
	env := append([]string{"PATH=" + os.Getenv("PATH"), mark(base), "GORACE=exitcode=66", "REEVE_STOP_JOBS=true"}, variables...)
	for name, dir := range map[string]string{"TMPDIR": "tmp", "HOME": "home", "XDG_RUNTIME_DIR": "run"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o700); err != nil {
			return nil, err
		}
		if user != nil {
			if err := os.Chown(filepath.Join(base, dir), int(user.Uid), int(user.Gid)); err != nil {
				return nil, err
			}
		}
		env = append(env, name+"="+filepath.Join(base, dir))
	}
	_ = os.Remove(filepath.Join(d.data, "address")) // of the one before
	d.cmd = exec.Command(binary, append([]string{"serve", "--listen", "127.0.0.1:0", "--data", d.data}, flags...)...)
	d.cmd.Env, d.cmd.Dir = env, base
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: user}
	d.cmd.Stdout, d.cmd.Stderr = d.log, d.log
	d.cmd.WaitDelay = time.Second
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { _ = d.cmd.Wait(); close(d.exited) }()
	if err := d.answer(); err != nil {
		_ = d.cmd.Process.Kill()
		<-d.exited
		return nil, fmt.Errorf("the daemon does not answer: %w\n%s", err, d.log)
	}
	return d, nil
}

// answer waits for the address file and for the first answer.
func (d *daemon) answer() error {
	return eventually(func() error {
		select {
		case <-d.exited:
			return fmt.Errorf("%w: %v", errOver, d.cmd.ProcessState)
		default:
		}
		addr, err := os.ReadFile(filepath.Join(d.data, "address"))
		if err != nil {
			return err
		}
		d.addr = strings.TrimPrefix(strings.TrimSpace(string(addr)), "http://")
		d.tcp = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
		d.unix = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(d.data, "reeve.sock"))
		}}}
		resp, err := d.tcp.Get("http://" + d.addr + "/health")
		if err != nil {
			return err
		}
		return resp.Body.Close()
	})
}

// errOver ends an eventually early.
var errOver = errors.New("it will not come true")

// eventually tries until there is no error or patience is over.
func eventually(try func() error) error {
	deadline := time.Now().Add(patience)
	for tick := time.NewTicker(5 * time.Millisecond); ; <-tick.C {
		err := try()
		if err == nil || errors.Is(err, errOver) || time.Now().After(deadline) {
			tick.Stop()
			return err
		}
	}
}

// crash kills the daemon without warning.
func (d *daemon) crash() {
	_ = d.cmd.Process.Kill()
	<-d.exited
	d.tcp.CloseIdleConnections()
	d.unix.CloseIdleConnections()
}

// over reports whether the daemon has ended.
func (d *daemon) over() bool {
	select {
	case <-d.exited:
		return true
	default:
		return false
	}
}

// end stops the daemon as an operator does and returns what is wrong with how
// it went. A daemon that has ended before is not checked again.
func (d *daemon) end() (problems []string) {
	if d.over() {
		return races(d)
	}
	d.tcp.CloseIdleConnections()
	d.unix.CloseIdleConnections()
	below := descendants(d.cmd.Process.Pid)
	_ = d.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-d.exited:
	case <-time.After(patience):
		_ = d.cmd.Process.Signal(syscall.SIGQUIT)
		<-d.exited
		return []string{"SIGTERM did not end the daemon:\n" + tail(d.log.String(), 6000)}
	}
	if code := d.cmd.ProcessState.ExitCode(); code != 0 {
		problems = append(problems, fmt.Sprintf("after SIGTERM the daemon exited with %d:\n%s", code, tail(d.log.String(), 4000)))
	}
	if left := marked(mark(d.base)); len(left) > 0 {
		problems = append(problems, fmt.Sprintf("the daemon left processes behind: %v", left))
	}
	if left := alive(below); len(left) > 0 { // those that keep no environment
		problems = append(problems, fmt.Sprintf("the daemon left processes behind: %v", left))
	}
	if left := filesIn(filepath.Join(d.base, "tmp")); len(left) > 0 {
		problems = append(problems, fmt.Sprintf("the daemon left temporary files behind: %v", left))
	}
	return append(problems, races(d)...)
}

func races(d *daemon) (problems []string) {
	for _, bad := range []string{"WARNING: DATA RACE", "panic:", "fatal error:"} {
		if log := d.log.String(); strings.Contains(log, bad) {
			at := strings.Index(log, bad)
			problems = append(problems, "the daemon reported:\n"+log[at:min(len(log), at+4000)])
		}
	}
	return problems
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }
