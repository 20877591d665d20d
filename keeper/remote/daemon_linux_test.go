package remote_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/remote"
)

// orders are what a process of this program shall do as a daemon: start jobs,
// say so, and wait to be killed.
type orders struct {
	Config remote.Config
	Jobs   []job
}

// job is one of them; its output goes to the file Out.
type job struct {
	Name, Script, Out string
	Freeze, Release   bool
}

// asDaemon is the whole life of such a process.
func asDaemon() {
	var o orders
	if json.Unmarshal([]byte(os.Getenv("REMOTE_TEST_DAEMON")), &o) != nil {
		return
	}
	if err := o.run(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("up")
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

func (o orders) run() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cl, err := remote.Connect(ctx, o.Config)
	if err != nil {
		return err
	}
	for _, j := range o.Jobs {
		out, err := os.OpenFile(j.Out, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		started, err := cl.Spawn(ctx, script(j.Name, j.Script, out))
		out.Close()
		if err != nil {
			return err
		}
		if j.Freeze {
			if err := started.Freeze(ctx); err != nil {
				return err
			}
		}
		if j.Release {
			started.Release()
		}
	}
	return nil
}

// daemon starts such a process and returns when its jobs run, with what kills
// it.
func daemon(t testing.TB, c remote.Config, jobs ...job) (kill func()) {
	t.Helper()
	b, err := json.Marshal(orders{c, jobs})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "REMOTE_TEST_DAEMON="+string(b))
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Cleanup(kill)
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "up\n" {
		t.Fatalf("the daemon says %q, %v", line, err)
	}
	return kill
}

// chatty counts to n, slowly, and exits with code.
func chatty(n, code int) string {
	return fmt.Sprintf("i=0; while [ $i -lt %d ]; do i=$((i+1)); echo $i; sleep 0.005; done; exit %d", n, code)
}

func counted(n int) (s string) {
	for i := 1; i <= n; i++ {
		s += fmt.Sprintln(i)
	}
	return s
}

func adopt(t testing.TB, cl *remote.Client, name string) keeper.Job {
	t.Helper()
	j, err := cl.Adopt(name)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func find(cl *remote.Client, name string) (remote.Info, bool) {
	for _, i := range cl.Jobs() {
		if i.Name == name {
			return i, true
		}
	}
	return remote.Info{}, false
}

func recorded(t testing.TB, c remote.Config) int {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(c.Dir, "jobs"))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// eachTier runs a test with each tier that a keeper would choose here.
func eachTier(t *testing.T, f func(t *testing.T, c remote.Config)) {
	for _, r := range keeper.Probe() {
		if r.Tier == keeper.TierGroup {
			continue
		}
		t.Run(string(r.Tier), func(t *testing.T) {
			if !r.Available {
				t.Skip(r.Reason)
			}
			c := config(t)
			c.Tier = r.Tier
			f(t, c)
		})
	}
}

// A daemon that is killed leaves its jobs running; the next one has their
// exact exits, and not a line of output is missing.
func TestDaemonKilled(t *testing.T) {
	eachTier(t, func(t *testing.T, c remote.Config) {
		const jobs, lines = 20, 60
		dir := t.TempDir()
		var all []job
		for i := range jobs {
			all = append(all, job{Name: fmt.Sprintf("%d-1", i), Script: chatty(lines, i), Out: fmt.Sprintf("%s/%d", dir, i)})
		}
		kill := daemon(t, c, all...)
		before := pidOf(c.Dir)
		kill()
		cl := connect(t, c)
		if pid, build := cl.Keeper(); pid != before || build != "test" {
			t.Errorf("the keeper is %d, %q instead of %d", pid, build, before)
		}
		if got := len(cl.Jobs()); got != jobs {
			t.Errorf("%d jobs of %d", got, jobs)
		}
		for i, was := range all {
			j := adopt(t, cl, was.Name)
			exits(t, j, keeper.Exit{Code: i})
			exits(t, j, keeper.Exit{Code: i}) // again, after the end
			if b, err := os.ReadFile(was.Out); err != nil || string(b) != counted(lines) {
				t.Errorf("job %s has written %d bytes, %v", was.Name, len(b), err)
			}
			if u := j.Usage(); u.CPU <= 0 {
				t.Errorf("usage %+v", u)
			}
			j.Release()
		}
		eventually(t, "the files are removed", func() bool { return recorded(t, c) == 0 })
	})
}

// What ends while nobody is there is known to who comes later, also when the
// keeper has gone to rest in between.
func TestEndedWhileNobodyWasThere(t *testing.T) {
	for _, rest := range []bool{false, true} {
		t.Run(fmt.Sprintf("keeper rests %v", rest), func(t *testing.T) {
			const jobs = 200
			c := config(t)
			if rest {
				c.Idle = 200 * time.Millisecond
			}
			var all []job
			for i := range jobs {
				all = append(all, job{Name: fmt.Sprintf("%d-1", i), Script: fmt.Sprintf("sleep 0.1; echo $$; exit %d", i), Out: "/dev/null"})
			}
			daemon(t, c, all...)()
			if rest {
				eventually(t, "the keeper ends", func() bool { return pidOf(c.Dir) == 0 })
				if n := recorded(t, c); n != jobs {
					t.Fatalf("%d files", n)
				}
			}
			cl := connect(t, c)
			for i, was := range all {
				exits(t, adopt(t, cl, was.Name), keeper.Exit{Code: i})
				info, _ := find(cl, was.Name)
				if info.Exit == nil || info.Exited.Before(info.Started) || info.Orphaned || !info.Empty {
					t.Errorf("%+v", info)
				}
				cl.Forget(was.Name)
			}
			eventually(t, "the files are removed", func() bool { return recorded(t, c) == 0 })
			if left := cl.Jobs(); len(left) != 0 {
				t.Errorf("left: %+v", left)
			}
		})
	}
}

// A frozen job is frozen to the next daemon, too, which can let it go on.
func TestFrozenAcrossDaemons(t *testing.T) {
	eachTier(t, func(t *testing.T, c remote.Config) {
		out := logFile(t)
		daemon(t, c, job{Name: "f", Script: "while :; do echo tick; sleep 0.01; done", Out: out.Name(), Freeze: true})()
		cl := connect(t, c)
		if i, ok := find(cl, "f"); !ok || !i.Frozen {
			t.Fatalf("%+v", i)
		}
		j := adopt(t, cl, "f")
		before := content(t, out)
		time.Sleep(50 * time.Millisecond) // what is frozen never speaks
		if content(t, out) != before {
			t.Error("a frozen job speaks")
		}
		if err := j.Thaw(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "it goes on", func() bool { return len(content(t, out)) > len(before)+20 })
		if i, _ := find(cl, "f"); i.Frozen {
			t.Errorf("%+v", i)
		}
		j.Kill()
		exits(t, j, keeper.Exit{Code: 137, Signal: "SIGKILL"})
	})
}

// What a daemon gave up and could not end is still shown to the next.
func TestReleasedAndRunning(t *testing.T) {
	c := config(t)
	m := mark()
	kill := daemon(t, c, job{Name: "r", Script: "exec sleep " + m, Out: "/dev/null", Release: true})
	eventually(t, "the keeper has heard of it", func() bool {
		b, _ := os.ReadFile(filepath.Join(c.Dir, "jobs", "r"))
		return strings.Contains(string(b), `"released":true`)
	})
	kill()
	cl := connect(t, c)
	if i, ok := find(cl, "r"); !ok || !i.Released || i.Empty {
		t.Fatalf("%+v, %v", i, ok)
	}
	if err := cl.End(soon(t), "r"); err != nil {
		t.Fatal(err)
	}
	if left := alive(m); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	eventually(t, "its file is removed", func() bool { return recorded(t, c) == 0 })
}
