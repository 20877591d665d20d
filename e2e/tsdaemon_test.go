//go:build linux

package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// busy are programs that do not end by themselves.
var busy = []string{"for (;;);", "setInterval(() => {}, 1e6);", "const c = await reeve.spawn({ code: 'for (;;);' }); await c.wait()", "reeve.signal.onabort = () => {}; setInterval(() => {}, 1e6);", "setInterval(() => console.log('x'), 1);"}

// A daemon that is killed leaves no program alive, and the next one tells what
// became of them.
func TestDaemonDiesWithPrograms(t *testing.T) {
	t.Parallel()
	base := newBase(t)
	d := startRealIn(t, base, nil)
	var ids []int64
	for _, code := range busy {
		ids = append(ids, d.runs(t, code))
	}
	paused := d.runs(t, "for (;;);")
	d.signal(t, paused, "pause", nil)
	ids = append(ids, paused)
	waitFor(t, "the child", func() bool { return len(d.ids(t, "state=running")) == len(ids)+1 })
	ids = d.ids(t, "state=running")
	var children []living
	for _, id := range ids {
		if p, _, ok := look(d.startedPID(t, id)); ok {
			children = append(children, p)
		}
	}
	below := slices.DeleteFunc(descendants(d.cmd.Process.Pid), isKeeper)
	if len(children) != len(ids) || len(below) < len(ids) {
		t.Fatalf("%d programs, %d processes, %d below the daemon", len(ids), len(children), len(below))
	}
	d.crash()
	waitFor(t, "every child to die", func() bool { return len(alive(append(children, below...))) == 0 })
	d = startRealIn(t, base, nil)
	for _, id := range ids {
		rec := d.record(t, id).wantEnd(t, "failed")
		if rec.str("error") != "host process exited" || rec.obj("outcome").obj("reason").str("kind") != "spawn_failed" || rec.num("run") != 1 {
			t.Errorf("process %d: error %v, outcome %v", id, rec["error"], rec["outcome"])
		}
		if events := d.events(t, id); events[len(events)-1].str("kind") != "finalized" && !strings.Contains(mustJSON(t, kinds(events)), "finalized") {
			t.Errorf("process %d: %v", id, kinds(events))
		}
	}
	d.post(t, path(ids[0], "/signals/run"), m{"force": true}).want(t, 200)
	d.kill(t, ids[0], m{"now": true, "block": true}).wantEnd(t, "canceled")
	d.wantStdout(t, "console.log('well')", "well\n")
}

// A daemon that is stopped ends them, politely where they listen.
func TestDaemonStopsWithPrograms(t *testing.T) {
	t.Parallel()
	base := newBase(t)
	d := startRealIn(t, base, nil, "--grace", "2s", "--concurrency", "typescript=5") // one of the busy ones waits for its child
	var ids []int64
	for _, code := range busy {
		ids = append(ids, d.runs(t, code))
	}
	polite := d.runs(t, "reeve.signal.onabort = () => { console.log('bye'); clearInterval(x) }; const x = setInterval(() => {}, 1e6);"+begun)
	queued := d.ts(t, "console.log('later')").id()
	if rec := d.record(t, queued); rec.state() != "queued" {
		t.Fatalf("with every slot taken it is %s", rec.state())
	}
	for _, problem := range d.end() {
		t.Error(problem)
	}
	d = startRealIn(t, base, nil)
	for _, id := range append(ids, polite) {
		rec := d.record(t, id).wantEnd(t, "canceled")
		wantJSON(t, rec["exit"], `{"code":130,"reason":"canceled","signal":null}`)
	}
	if out := d.record(t, polite).str("stdout"); out != "begun\nbye\n" {
		t.Errorf("the polite one wrote %q", out)
	}
	if rec := d.await(t, queued, "idle").wantEnd(t, "success"); rec.str("stdout") != "later\n" || rec.num("run") != 1 {
		t.Errorf("the queued one wrote %q in run %d", rec.str("stdout"), rec.num("run"))
	}
}

// When what gives birth to programs is killed, the daemon recovers.
func TestDaemonLosesTheZygote(t *testing.T) {
	t.Parallel()
	d := startReal(t)
	for range 3 {
		running := d.runs(t, "for (;;);")
		for _, p := range descendants(d.cmd.Process.Pid) {
			if process, err := os.FindProcess(p.pid); err == nil {
				_ = process.Kill()
			}
		}
		if rec := d.await(t, running, "idle"); rec.exitState() != "failed" || rec.str("error") == "" {
			t.Errorf("a program that was killed from outside is %s: %v", rec.exitState(), rec["error"])
		}
		waitFor(t, "programs to run again", func() bool { return d.ts(t, "console.log(1)", block).exitState() == "success" })
	}
}

// A program has one descriptor beside the standard ones, no environment, no
// right and no name for anything.
func TestProgramFromOutside(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	id := d.runs(t, "setInterval(() => {}, 1e6);")
	pid := d.startedPID(t, id)
	read := func(name string) string {
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return string(content)
	}
	if env := read("environ"); strings.Contains(env, "REEVE_E2E_MARK") || strings.Contains(env, "PATH=") {
		t.Errorf("its environment is %q", env)
	}
	v8 := d.onV8(t) // the fallback is a Go program, with threads and descriptors of its runtime
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		target, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, fd.Name()))
		if v8 && !strings.HasPrefix(target, "socket:") && target != "/dev/null" && !strings.HasPrefix(target, "/dev/null") {
			t.Errorf("descriptor %s is %s", fd.Name(), target)
		}
	}
	if v8 && len(fds) > 4 {
		t.Errorf("it has %d descriptors", len(fds))
	}
	status := read("status")
	holds := []string{"NoNewPrivs:\t1", "Seccomp:\t2", "CapEff:\t0000000000000000", "CapPrm:\t0000000000000000"}
	if v8 {
		holds = append(holds, "CapBnd:\t0000000000000000", "Threads:\t1\n")
	}
	for _, want := range holds {
		if !strings.Contains(status, want) {
			t.Errorf("its status lacks %q", want)
		}
	}
	if os.Getuid() == 0 && strings.Contains(status, "Uid:\t0\t0\t0\t0") {
		t.Error("it is root")
	}
	group := strings.TrimSpace(read("cgroup"))
	d.kill(t, id, block)
	for line := range strings.Lines(group) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		controller := strings.TrimPrefix(parts[1], "name=")
		for _, root := range []string{"/sys/fs/cgroup/" + controller, "/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
			dir := root + parts[2]
			if _, err := os.Stat(dir); err == nil && strings.Contains(parts[2], itoa(int64(pid))) {
				t.Errorf("%s is left of it", dir)
			}
		}
	}
}
