package remote_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/remote"
	"github.com/reeverun/reeve/process"
)

// tellsExits reports whether this kernel tells the exit of a process to the
// holder of its pidfd.
func tellsExits(t testing.TB) bool {
	t.Helper()
	fd := -1
	pid, err := syscall.ForkExec("/bin/true", []string{"true"}, &syscall.ProcAttr{Sys: &syscall.SysProcAttr{PidFD: &fd}})
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	_, _ = syscall.Wait4(pid, nil, 0, nil)
	info := unix.PidfdInfo{Mask: unix.PIDFD_INFO_EXIT}
	return unix.IoctlPidfdInfo(fd, &info) == nil && info.Mask&unix.PIDFD_INFO_EXIT != 0
}

// ends is exits for a job whose keeper is dead: the exit is exact, or said to
// be unknown.
func ends(t testing.TB, j keeper.Job, want keeper.Exit) {
	t.Helper()
	if tellsExits(t) {
		exits(t, j, want)
		return
	}
	if e, err := j.Wait(soon(t)); !errors.Is(err, keeper.ErrLost) {
		t.Errorf("%+v, %v", e, err)
	}
	if err := j.WaitEmpty(soon(t)); err != nil {
		t.Errorf("wait for the tree: %v", err)
	}
}

// kill9 kills the keeper of a directory.
func kill9(t testing.TB, dir string) {
	t.Helper()
	pid := pidOf(dir)
	if pid == 0 {
		t.Fatal("there is no keeper")
	}
	signalKeeper(t, pid, syscall.SIGKILL)
	eventually(t, "the keeper is gone", func() bool { return pidOf(dir) == 0 })
}

func cgroups(t testing.TB) remote.Config {
	t.Helper()
	if r := keeper.Probe()[0]; !r.Available {
		t.Skip(r.Reason)
	}
	c := config(t)
	c.Tier = keeper.TierCgroup2
	return c
}

// noCgroups fails if a keeper of this test has left its directory.
func noCgroups(t testing.TB, cgroup string) {
	t.Helper()
	base := filepath.Dir(cgroup)
	eventually(t, base+" is removed", func() bool {
		_, err := os.Stat(base)
		return os.IsNotExist(err)
	})
}

// If the keeper is killed, its client holds the jobs: they go on, can be
// signalled, frozen and killed, and their exits are known where the kernel
// tells them. The next spawn starts another keeper.
func TestKeeperKilled(t *testing.T) {
	c := cgroups(t)
	cl := connect(t, c)
	out := logFile(t)
	m := mark()
	exiting := start(t, cl, script("exits", `while ! [ -e `+out.Name()+`.go ]; do sleep 0.01; done; exit 7`, nil))
	term := start(t, cl, script("term", `exec 2>/dev/null; trap 'echo got; exit 8' TERM; echo up; while :; do sleep 0.01; done`, out))
	victim := start(t, cl, script("victim", "setsid sleep "+m+" & exec sleep "+m, nil))
	done := start(t, cl, script("done", "exit 9", nil))
	exits(t, done, keeper.Exit{Code: 9})
	eventually(t, "it is up", func() bool { return content(t, out) == "up\n" })
	waited := make(chan keeper.Exit, 1)
	go func() {
		e, _ := exiting.Wait(context.Background())
		waited <- e
	}()
	cgroup := traceOf(t, cl, "victim").Cgroup
	kill9(t, c.Dir)
	exits(t, done, keeper.Exit{Code: 9})

	if n := len(victim.Members()); n != 2 {
		t.Errorf("members %v", victim.Members())
	}
	if err := victim.Freeze(soon(t)); err != nil {
		t.Error(err)
	}
	if i, _ := find(cl, "victim"); !i.Frozen || !i.Orphaned {
		t.Errorf("%+v", i)
	}
	victim.Kill()
	ends(t, victim, keeper.Exit{Code: 137, Signal: "SIGKILL"})
	if left := alive(m); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if n, err := term.Signal(process.SIGTERM); n < 1 || err != nil {
		t.Errorf("signal: %d, %v", n, err)
	}
	ends(t, term, keeper.Exit{Code: 8})
	if got := content(t, out); got != "up\ngot\n" {
		t.Errorf("output %q", got)
	}

	exits(t, start(t, cl, script("later", "exit 5", nil)), keeper.Exit{Code: 5})
	if err := os.WriteFile(out.Name()+".go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ends(t, exiting, keeper.Exit{Code: 7})
	if e := <-waited; tellsExits(t) && e.Code != 7 {
		t.Errorf("who waited from the beginning has %+v", e)
	}
	for _, i := range cl.Jobs() {
		cl.Forget(i.Name)
	}
	eventually(t, "the files are removed", func() bool { return recorded(t, c) == 0 })
	noCgroups(t, cgroup)
}

func traceOf(t testing.TB, cl *remote.Client, name string) keeper.Trace {
	t.Helper()
	i, ok := find(cl, name)
	if !ok {
		t.Fatalf("no job %s", name)
	}
	return i.Trace
}

// If keeper and daemon are killed, the next keeper finds what is left, by its
// cgroup, and the next daemon can go on with it or end it.
func TestKeeperAndDaemonKilled(t *testing.T) {
	c := cgroups(t)
	out, gate := logFile(t), filepath.Join(t.TempDir(), "go")
	m := mark()
	kill := daemon(t, c,
		job{Name: "goes-on", Script: "while ! [ -e " + gate + " ]; do sleep 0.01; done; echo through; exit 6", Out: out.Name()},
		job{Name: "frozen", Script: "while :; do sleep 0.01; done", Out: "/dev/null", Freeze: true},
		job{Name: "victim", Script: "setsid sleep " + m + " & exec sleep " + m, Out: "/dev/null"},
		job{Name: "done", Script: "exit 3", Out: "/dev/null"})
	eventually(t, "the quick one's end is written", func() bool {
		b, _ := os.ReadFile(filepath.Join(c.Dir, "jobs", "done"))
		return strings.Contains(string(b), `"empty":true`)
	})
	kill()
	kill9(t, c.Dir)
	cl := connect(t, c)
	if n := len(cl.Jobs()); n != 4 {
		t.Fatalf("%+v", cl.Jobs())
	}
	exits(t, adopt(t, cl, "done"), keeper.Exit{Code: 3})
	if i, _ := find(cl, "done"); i.Orphaned {
		t.Errorf("%+v", i)
	}
	for _, name := range []string{"goes-on", "frozen", "victim"} {
		if i, _ := find(cl, name); !i.Orphaned || i.Empty || i.Exit != nil || i.Frozen != (name == "frozen") {
			t.Errorf("%+v", i)
		}
	}
	cgroup := traceOf(t, cl, "victim").Cgroup
	if err := cl.End(soon(t), "victim"); err != nil {
		t.Error(err)
	}
	if left := alive(m); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	ends(t, adopt(t, cl, "victim"), keeper.Exit{Code: 137, Signal: "SIGKILL"})
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ends(t, adopt(t, cl, "goes-on"), keeper.Exit{Code: 6})
	if got := content(t, out); got != "through\n" {
		t.Errorf("output %q", got)
	}
	if _, err := cl.Spawn(soon(t), script("goes-on", "true", nil)); !errors.Is(err, os.ErrExist) {
		t.Errorf("a name that is in use: %v", err)
	}
	if err := cl.End(soon(t), "frozen"); err != nil {
		t.Error(err)
	}
	for _, i := range cl.Jobs() {
		cl.Forget(i.Name)
	}
	eventually(t, "the files are removed", func() bool { return recorded(t, c) == 0 })
	noCgroups(t, cgroup)
}

// When the jobs of a lost keeper have ended, and the next keeper has, too, no
// cgroup is left of either, in any hierarchy.
func TestNoCgroupIsLeftOfALostKeeper(t *testing.T) {
	c := cgroups(t)
	cl := connect(t, c)
	j := start(t, cl, script("j", "exec sleep 1000", nil))
	name := strings.Split(filepath.Base(filepath.Dir(traceOf(t, cl, "j").Cgroup)), "-")
	kill9(t, c.Dir)
	exits(t, start(t, cl, script("next", "exit 1", nil)), keeper.Exit{Code: 1})
	j.Kill()
	if err := j.WaitEmpty(soon(t)); err != nil {
		t.Fatal(err)
	}
	j.Release()
	if err := cl.Shutdown(soon(t)); err != nil {
		t.Fatal(err)
	}
	_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), name[0]+"-"+name[1]+"-") {
			t.Errorf("left: %s", path)
		}
		return nil
	})
}

// What a dead keeper had begun and not yet named is ended by the next, and so
// is nothing else.
func TestUnnamedIsEnded(t *testing.T) {
	c := cgroups(t)
	named, unnamed := mark(), mark()
	daemon(t, c, job{Name: "named", Script: "exec sleep " + named, Out: "/dev/null"},
		job{Name: "unnamed", Script: "exec sleep " + unnamed, Out: "/dev/null"},
		job{Name: "torn", Script: "exec sleep " + unnamed, Out: "/dev/null"})()
	kill9(t, c.Dir)
	if err := os.Remove(filepath.Join(c.Dir, "jobs", "unnamed")); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(c.Dir, "jobs", "torn"), 20); err != nil {
		t.Fatal(err)
	}
	cl := connect(t, c)
	if left := alive(unnamed); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if len(alive(named)) != 1 {
		t.Error("the named one was ended, too")
	}
	if i, ok := find(cl, "torn"); !ok || !i.Lost || !i.Empty {
		t.Errorf("%+v, %v", i, ok)
	}
	if _, err := adopt(t, cl, "torn").Wait(soon(t)); !errors.Is(err, keeper.ErrLost) {
		t.Errorf("wait: %v", err)
	}
	if err := cl.End(soon(t), "named"); err != nil {
		t.Error(err)
	}
}

// Under subreapers the jobs end with their keeper, and it is told how.
func TestKeeperOfSubreapersKilled(t *testing.T) {
	c := config(t)
	c.Tier = keeper.TierSubreaper
	cl := connect(t, c)
	m := mark()
	j := start(t, cl, script("s", "env -i setsid sleep "+m+" & exec sleep "+m, nil))
	eventually(t, "both are up", func() bool { return len(alive("sleep\x00"+m)) == 2 })
	kill9(t, c.Dir)
	ends(t, j, keeper.Exit{Code: 137, Signal: "SIGKILL"})
	eventually(t, "all are dead", func() bool { return len(alive(m)) == 0 })
	exits(t, start(t, cl, script("again", "exit 2", nil)), keeper.Exit{Code: 2})
}

// A number that belongs to somebody else by now is left alone: the record of a
// dead keeper is made to name a process of another one.
func TestStrangersAreLeftAlone(t *testing.T) {
	for name, change := range map[string]func(*keeper.Trace){
		"another start":                 func(tr *keeper.Trace) { tr.Start-- },
		"another boot":                  func(tr *keeper.Trace) { tr.Boot = "another" },
		"another start, no cgroup":      func(tr *keeper.Trace) { tr.Start, tr.Cgroup, tr.Mark = tr.Start-1, "", "x" },
		"a group that is not its own":   func(tr *keeper.Trace) { tr.Start, tr.Cgroup, tr.Mark, tr.Group = tr.Start-1, "", "x", true },
		"another boot, and no cgroup":   func(tr *keeper.Trace) { tr.Boot, tr.Cgroup, tr.Mark = "another", "", "x" },
		"another start, cgroup is gone": func(tr *keeper.Trace) { tr.Start, tr.Cgroup = tr.Start-1, "/nowhere/reeve-1/1" },
	} {
		t.Run(name, func(t *testing.T) {
			other := connect(t, cgroups(t))
			m := mark()
			stranger := start(t, other, script("stranger", "exec sleep "+m, nil))
			i := remote.Info{Name: "j", Trace: traceOf(t, other, "stranger")}
			change(&i.Trace)
			if i.Trace.Cgroup == traceOf(t, other, "stranger").Cgroup {
				i.Trace.Cgroup += "0"
			}
			c := config(t)
			b, err := json.Marshal(i)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Join(c.Dir, "jobs"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(c.Dir, "jobs", "j"), append(b, '\n'), 0o600); err != nil {
				t.Fatal(err)
			}
			cl := connect(t, c)
			if err := cl.End(soon(t), "j"); err != nil {
				t.Error(err)
			}
			if i, _ := find(cl, "j"); !i.Lost || !i.Empty {
				t.Errorf("%+v", i)
			}
			if n := len(stranger.Members()); n != 1 || len(alive(m)) != 1 {
				t.Errorf("%d of 1 is alive: %v", n, alive(m))
			}
			stranger.Kill()
		})
	}
}

// A kill that the keeper had no time to hear is carried out.
func TestKillOutlivesTheKeeper(t *testing.T) {
	c := cgroups(t)
	cl := connect(t, c)
	m := mark()
	j := start(t, cl, script("k", "exec sleep "+m, nil))
	signalKeeper(t, pidOf(c.Dir), syscall.SIGSTOP)
	j.Kill() // into the socket of a keeper that does not read
	kill9(t, c.Dir)
	ends(t, j, keeper.Exit{Code: 137, Signal: "SIGKILL"})
}

// A spawn that is lost with its keeper is done by the next if the first had
// certainly not begun it; else it says so, and leaves nothing.
func TestSpawnLostWithTheKeeper(t *testing.T) {
	for _, begun := range []bool{false, true} {
		t.Run(fmt.Sprintf("begun %v", begun), func(t *testing.T) {
			c := cgroups(t)
			cl := connect(t, c)
			m := mark()
			signalKeeper(t, pidOf(c.Dir), syscall.SIGSTOP)
			if begun { // as far as it leaves a trace
				if err := os.WriteFile(filepath.Join(c.Dir, "jobs", "s"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			go func() {
				time.Sleep(20 * time.Millisecond) // whenever it comes, the answer must be true
				kill9(t, c.Dir)
			}()
			_, err := cl.Spawn(soon(t), script("s", "exec sleep "+m, nil))
			// Where only the next keeper heard of it, that one finds the name taken.
			if begun != (errors.Is(err, keeper.ErrLost) || errors.Is(err, fs.ErrExist)) || !begun && err != nil {
				t.Errorf("spawn: %v", err)
			}
			exits(t, start(t, cl, script("next", "exit 1", nil)), keeper.Exit{Code: 1})
			if left := alive(m); begun && len(left) > 0 || !begun && len(left) != 1 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// A spawn whose keeper had done it, and was killed before it could say so, is
// done: the job is the next keeper's. Its file is made to tell of another's
// program here.
func TestSpawnDoneByALostKeeper(t *testing.T) {
	c := cgroups(t)
	cl := connect(t, c)
	m := mark()
	other := start(t, cl, script("other", "exec sleep "+m, nil))
	signalKeeper(t, pidOf(c.Dir), syscall.SIGSTOP)
	b, err := json.Marshal(remote.Info{Name: "s", Trace: traceOf(t, cl, "other")})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.Dir, "jobs", "s"), append(b, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	keeperPID := pidOf(c.Dir)
	go func() { _ = syscall.Kill(keeperPID, syscall.SIGKILL) }()
	j, err := cl.Spawn(soon(t), script("s", "exec sleep 1000", nil))
	if errors.Is(err, fs.ErrExist) {
		t.Skip("the first keeper was dead before it could be asked")
	}
	if err != nil || j.PID() != other.PID() {
		t.Fatalf("spawn: %v; it is alive: %v", err, alive(m))
	}
	j.Kill()
	if err := j.WaitEmpty(soon(t)); err != nil || len(alive(m)) > 0 {
		t.Errorf("after its kill: %v, %v", err, alive(m))
	}
}

// A job whose caller did not wait for its start is ended.
func TestSpawnRegretted(t *testing.T) {
	c := config(t)
	cl := connect(t, c)
	m := mark()
	keeperPID := pidOf(c.Dir)
	signalKeeper(t, keeperPID, syscall.SIGSTOP)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := cl.Spawn(ctx, script("s", "exec sleep "+m, nil)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("spawn: %v", err)
	}
	signalKeeper(t, keeperPID, syscall.SIGCONT)
	eventually(t, "it is forgotten", func() bool { return len(cl.Jobs()) == 0 && recorded(t, c) == 0 })
	if left := alive(m); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A connection that breaks while the keeper lives is made anew, and nothing is
// lost in between.
func TestReconnect(t *testing.T) {
	eachTier(t, func(t *testing.T, c remote.Config) {
		cl := connect(t, c)
		out := logFile(t)
		j := start(t, cl, script("j", chatty(50, 4), out))
		k := start(t, cl, script("k", "exec sleep 600", nil))
		pid, _ := cl.Keeper()
		for i := range 10 {
			cl.Disconnect()
			if i%2 == 0 { // neither lost nor started twice
				exits(t, start(t, cl, script(fmt.Sprint("s", i), "exit 2", nil)), keeper.Exit{Code: 2})
				cl.Forget(fmt.Sprint("s", i))
			}
			if n := len(k.Members()); n != 1 {
				t.Errorf("%d members", n)
			}
		}
		cl.Disconnect()
		k.Kill()
		exits(t, k, keeper.Exit{Code: 137, Signal: "SIGKILL"})
		exits(t, j, keeper.Exit{Code: 4})
		if content(t, out) != counted(50) {
			t.Error("output is missing")
		}
		if again, _ := cl.Keeper(); again != pid {
			t.Errorf("keeper %d became %d", pid, again)
		}
		j.Release()
		cl.Disconnect()
		k.Release()
		eventually(t, "the files are removed", func() bool { return recorded(t, c) == 0 })
	})
}
