package remote_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/remote"
	"github.com/reeverun/reeve/process"
)

func parentOf(path string) string { return filepath.Dir(path) }

// nobody is a daemon of another user for the same directory.
func nobody(t testing.TB, c remote.Config) *exec.Cmd {
	t.Helper()
	b, err := json.Marshal(orders{Config: c})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{"REMOTE_TEST_DAEMON=" + string(b)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	return cmd
}

// A new client takes over; the old one's waits say so, and its jobs go on.
func TestTwoClients(t *testing.T) {
	c := config(t)
	first := connect(t, c)
	m := mark()
	gate := filepath.Join(t.TempDir(), "gate")
	j := start(t, first, script("j", "while [ ! -e "+gate+" ]; do sleep 0.01; done; exit 9", nil))
	k := start(t, first, script("k", "exec sleep "+m, nil))
	waiting := make(chan error, 1)
	go func() {
		_, err := k.Wait(context.Background())
		waiting <- err
	}()
	second := connect(t, c)
	select {
	case err := <-waiting:
		if !errors.Is(err, remote.ErrTakenOver) {
			t.Errorf("the old wait: %v", err)
		}
	case <-time.After(patience):
		t.Error("the old wait hangs")
	}
	if _, err := first.Spawn(soon(t), script("x", "true", nil)); !errors.Is(err, remote.ErrTakenOver) {
		t.Errorf("spawn: %v", err)
	}
	if _, err := k.Signal(process.SIGTERM); !errors.Is(err, remote.ErrTakenOver) {
		t.Errorf("signal: %v", err)
	}
	k.Kill()
	k.Release()
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	exits(t, adopt(t, second, "j"), keeper.Exit{Code: 9})
	if _, err := j.Wait(soon(t)); !errors.Is(err, remote.ErrTakenOver) {
		t.Errorf("what ended under the new client is told by the old: %v", err)
	}
	if n := len(adopt(t, second, "k").Members()); n != 1 {
		t.Errorf("%d members: the old client's kill had an effect", n)
	}
}

// Clients that take over from each other while jobs are started leave no job
// that the last one does not know.
func TestTakeOverWhileSpawning(t *testing.T) {
	c := config(t)
	connect(t, c)
	known := make(map[string]bool)
	for round := range 10 {
		cl, err := remote.Connect(soon(t), c)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range cl.Jobs() {
			known[i.Name] = true
		}
		var wg sync.WaitGroup
		for n := range 10 {
			wg.Go(func() { _, _ = cl.Spawn(soon(t), script(fmt.Sprintf("%d-%d", round, n), "exec sleep 600", nil)) })
		}
		if round%2 == 0 {
			wg.Wait()
		}
		next, err := remote.Connect(soon(t), c)
		if err != nil {
			t.Fatal(err)
		}
		before := len(next.Jobs())
		wg.Wait()
		if after := len(next.Jobs()); after != before {
			t.Errorf("%d jobs became %d", before, after)
		}
		cl.Close()
		next.Close()
	}
	cl := connect(t, c)
	if got, want := len(cl.Jobs()), recorded(t, c); got != want {
		t.Errorf("%d jobs, %d files", got, want)
	}
}

// A keeper without client and running job ends; with either it stays.
func TestIdle(t *testing.T) {
	c := config(t)
	c.Idle = 150 * time.Millisecond
	cl := connect(t, c)
	time.Sleep(3 * c.Idle)
	if pidOf(c.Dir) == 0 {
		t.Fatal("it ended under its client")
	}
	gate := filepath.Join(t.TempDir(), "go")
	start(t, cl, script("j", "while ! [ -e "+gate+" ]; do sleep 0.01; done; exit 3", nil))
	cl.Close()
	time.Sleep(3 * c.Idle)
	if pidOf(c.Dir) == 0 {
		t.Fatal("it ended over its job")
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it ends", func() bool { return pidOf(c.Dir) == 0 })
	if _, err := os.Stat(filepath.Join(c.Dir, "socket")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket: %v", err)
	}
	exits(t, adopt(t, connect(t, c), "j"), keeper.Exit{Code: 3})
}

// Signals of a terminal do not reach it, and those sent to it do nothing while
// a job runs.
func TestSignals(t *testing.T) {
	c := config(t)
	cl := connect(t, c)
	j := start(t, cl, script("j", "trap 'exit 1' HUP INT TERM; while :; do sleep 0.01; done", nil))
	pid := pidOf(c.Dir)
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	if f := strings.Fields(rest); f[3] != fmt.Sprint(pid) {
		t.Errorf("session %s of keeper %d", f[3], pid)
	}
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGPIPE} {
		signalKeeper(t, pid, s)
	}
	if n := len(j.Members()); n < 1 || pidOf(c.Dir) != pid {
		t.Errorf("%d members", n)
	}
	j.Kill()
	exits(t, j, keeper.Exit{Code: 137, Signal: "SIGKILL"})
	signalKeeper(t, pid, syscall.SIGTERM)
	eventually(t, "it ends", func() bool { return pidOf(c.Dir) == 0 })
	exits(t, j, keeper.Exit{Code: 137, Signal: "SIGKILL"})
	exits(t, start(t, cl, script("k", "exit 4", nil)), keeper.Exit{Code: 4})
}

// The keeper inherits nothing, and neither do its jobs: not a descriptor, not
// its variable, not its place in the queue of the kernel that is out of memory.
func TestNothingIsInherited(t *testing.T) {
	stray, err := syscall.Dup(0) // without close-on-exec
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(stray)
	c := config(t)
	cl := connect(t, c)
	out := logFile(t)
	own, err := os.ReadFile("/proc/self/oom_score_adj")
	if err != nil {
		t.Fatal(err)
	}
	spec := script("j", `ls /proc/$$/fd; cat /proc/$$/oom_score_adj; env | grep -c REEVE_KEEPER; pwd; :`, out)
	exits(t, start(t, cl, spec), keeper.Exit{})
	dir, _ := os.Getwd()
	if got, want := content(t, out), "0\n1\n2\n"+string(own)+"0\n"+dir+"\n"; got != want {
		t.Errorf("the job has %q instead of %q", got, want)
	}
	links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pidOf(c.Dir)))
	for _, l := range links {
		if to, _ := os.Readlink(l); strings.Contains(to, "pipe:") {
			t.Errorf("the keeper has %s: %s", l, to)
		}
	}
	if cwd, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pidOf(c.Dir))); cwd != "/" {
		t.Errorf("the keeper is in %s", cwd)
	}
}

func TestNames(t *testing.T) {
	c := config(t)
	cl := connect(t, c)
	for _, name := range []string{"a/b", "..", ".hidden", "a b", "ü", strings.Repeat("x", 201), "a\n"} {
		_, err := cl.Spawn(soon(t), script(name, "true", nil))
		var e *keeper.SpawnError
		if !errors.As(err, &e) || e.Op != keeper.OpCheck || !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%q: %v", name, err)
		}
	}
	j := start(t, cl, script("42-1", "exit 0", nil))
	exits(t, j, keeper.Exit{})
	for range 2 {
		_, err := cl.Spawn(soon(t), script("42-1", "exit 1", nil))
		if !errors.Is(err, fs.ErrExist) {
			t.Errorf("a name twice: %v", err)
		}
		cl.Close()
		cl = connect(t, c)
	}
	cl.Forget("42-1")
	cl.Forget("no such job")
	exits(t, start(t, cl, script("42-1", "exit 2", nil)), keeper.Exit{Code: 2})
	if _, err := cl.Adopt("no such job"); !errors.Is(err, process.ErrNotFound) {
		t.Errorf("adopt: %v", err)
	}
}

// Arguments and variables are bytes, not text.
func TestBytes(t *testing.T) {
	cl := connect(t, config(t))
	out := logFile(t)
	spec := script("j", `printf %s "$1$V"`, out)
	spec.Args = append(spec.Args, "sh", "a\xff\xfeb\n")
	spec.Env = append(spec.Env, "V=\x80ü")
	exits(t, start(t, cl, spec), keeper.Exit{})
	if got := content(t, out); got != "a\xff\xfeb\n\x80ü" {
		t.Errorf("%q", got)
	}
}

// The path of a socket is short, wherever the directory is.
func TestLongPath(t *testing.T) {
	c := config(t)
	c.Dir = filepath.Join(c.Dir, strings.Repeat("long/", 40))
	exits(t, start(t, connect(t, c), script("j", "exit 6", nil)), keeper.Exit{Code: 6})
}

// The second keeper of a directory is refused, and harms nothing.
func TestOneKeeper(t *testing.T) {
	c := config(t)
	cl := connect(t, c)
	if err := remote.Serve(soon(t), c); !errors.Is(err, process.ErrOwned) {
		t.Errorf("serve: %v", err)
	}
	var wg sync.WaitGroup
	cl.Close()
	signalKeeper(t, pidOf(c.Dir), syscall.SIGTERM)
	for range 4 { // all at once, while the old one ends
		wg.Go(func() {
			cl, err := remote.Connect(soon(t), c)
			if err != nil {
				t.Error(err)
				return
			}
			cl.Close()
		})
	}
	wg.Wait()
	exits(t, start(t, connect(t, c), script("j", "exit 5", nil)), keeper.Exit{Code: 5})
}

// A keeper can also be served by this process, and ends with its context.
func TestServe(t *testing.T) {
	c := config(t)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- remote.Serve(ctx, c) }()
	eventually(t, "it serves", func() bool {
		sock, err := remote.Dial(c.Dir)
		if err == nil {
			sock.Close()
		}
		return err == nil
	})
	cl := connect(t, c)
	if pid, _ := cl.Keeper(); pid != os.Getpid() {
		t.Errorf("keeper %d", pid)
	}
	m := mark()
	start(t, cl, script("j", "exec sleep "+m, nil))
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if left := alive(m); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A keeper that cannot start says why.
func TestCannotStart(t *testing.T) {
	c := config(t)
	c.Tier = keeper.TierJobObject
	if _, err := remote.Connect(soon(t), c); err == nil || !strings.Contains(err.Error(), "does not exist on this system") {
		t.Errorf("%v", err)
	}
	c = config(t)
	c.Executable = "/bin/false"
	if _, err := remote.Connect(soon(t), c); err == nil || !strings.Contains(err.Error(), filepath.Join(c.Dir, "log")) {
		t.Errorf("%v", err)
	}
	c.Executable = "/no/such/program"
	if _, err := remote.Connect(soon(t), c); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := remote.Connect(ctx, config(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A job's file that cannot be made refuses the start.
func TestRecordsGone(t *testing.T) {
	c := config(t)
	cl := connect(t, c)
	if err := os.RemoveAll(filepath.Join(c.Dir, "jobs")); err != nil {
		t.Fatal(err)
	}
	m := mark()
	_, err := cl.Spawn(soon(t), script("j", "exec sleep "+m, nil))
	var e *keeper.SpawnError
	if !errors.As(err, &e) || e.Op != keeper.OpHold || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if left := alive(m); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A job's input and a job's terminal are a daemon's, one after the other.
func TestInputAcrossDaemons(t *testing.T) {
	c := config(t)
	out := logFile(t)
	for name, spec := range map[string]keeper.Spec{
		"pipe":     {StdinPipe: true},
		"terminal": {PTY: &keeper.Window{Rows: 5, Cols: 50}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := out.Truncate(0); err != nil {
				t.Fatal(err)
			}
			s := script(name, `while read x; do echo "got $x"; done; exit 3`, out)
			s.StdinPipe, s.PTY = spec.StdinPipe, spec.PTY
			cl := connect(t, c)
			in := start(t, cl, s).(keeper.Interactive)
			for i := range 3 {
				if _, err := in.Input(soon(t), fmt.Appendf(nil, "line %d\n", i)); err != nil {
					t.Fatal(err)
				}
				eventually(t, "it is read", func() bool { return strings.Count(content(t, out), "got") == i+1 })
				cl.Close()
				cl = connect(t, c)
				in = adopt(t, cl, name).(keeper.Interactive)
			}
			if err := in.CloseInput(); err != nil {
				t.Error(err)
			}
			exits(t, in.(keeper.Job), keeper.Exit{Code: 3})
			if got, want := content(t, out), "got line 0\ngot line 1\ngot line 2\n"; got != want {
				t.Errorf("%q", got)
			}
		})
	}
}

// A large input that nobody reads does not keep the keeper from its work, and
// ends with its daemon.
func TestInputOfADeadDaemon(t *testing.T) {
	c := config(t)
	cl := connect(t, c)
	j := start(t, cl, keeper.Spec{Name: "j", Path: "/bin/sleep", Args: []string{"600"}, StdinPipe: true})
	failed := make(chan error, 1)
	go func() {
		_, err := j.(keeper.Interactive).Input(context.Background(), bytes.Repeat([]byte("x"), 1<<20))
		failed <- err
	}()
	exits(t, start(t, cl, script("k", "exit 1", nil)), keeper.Exit{Code: 1})
	cl.Close()
	if err := <-failed; err == nil {
		t.Error("the input was taken")
	}
	again := connect(t, c)
	in := adopt(t, again, "j").(keeper.Interactive)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := in.Input(ctx, []byte("x")); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// A running job costs the keeper no thread and one descriptor.
func TestThreads(t *testing.T) {
	const jobs = 150
	c := cgroups(t)
	cl := connect(t, c)
	once(t, cl)
	threads, files := threadsOf(t, pidOf(c.Dir)), openFiles(t, c)
	for range jobs {
		start(t, cl, keeper.Spec{Path: "/bin/sleep", Args: []string{"600"}, Env: []string{}})
	}
	if got := threadsOf(t, pidOf(c.Dir)); got > threads+8 {
		t.Errorf("%d threads for %d jobs, %d before", got, jobs, threads)
	}
	if got := openFiles(t, c); got > files+jobs+4 {
		t.Errorf("%d descriptors for %d jobs, %d before", got, jobs, files)
	}
}

// TestOrdinaryUser runs the tests of survival as nobody, whom no cgroup serves.
func TestOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("this is an ordinary user already")
	}
	dir, err := os.MkdirTemp("", "keeper")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	const who = 65534
	bin, tmp := filepath.Join(dir, "remote.test"), filepath.Join(dir, "tmp")
	b, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = errors.Join(os.WriteFile(bin, b, 0o755), os.Chmod(dir, 0o755), os.Mkdir(tmp, 0o700), os.Chown(tmp, who, who))
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "-test.run=^(TestDaemonKilled|TestKeeperOfSubreapersKilled|TestTwoClients|TestInputAcrossDaemons)$", "-test.v=false")
	cmd.Dir, cmd.Env = tmp, []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + tmp}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: who, Gid: who}}
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Skipf("cannot run as another user: %v", err)
	}
	if err != nil {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
}
