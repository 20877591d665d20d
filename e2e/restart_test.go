//go:build linux

package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What was acknowledged is there after a restart; what ran is told truthfully,
// what waited runs, once; ids go on.
func TestRestart(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"SIGTERM", "kill -9"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			base, marks := newBase(t), t.TempDir()
			d := startIn(t, base, "--concurrency", "command=1")
			ran := func(name string) string { b, _ := os.ReadFile(filepath.Join(marks, name)); return string(b) }
			done := d.sh(t, "echo kept; echo x >> "+marks+"/done", block, m{"ref": "done", "tags": []string{"a"}}).wantEnd(t, "success").id()
			before := d.record(t, done)
			events := d.events(t, done)
			memory := d.sh(t, "echo gone", block, m{"rawOutput": "memory"}).id()
			idle := d.sh(t, "echo x >> "+marks+"/idle", m{"autorun": false}).id()
			sleep := endless()
			running := d.sh(t, "echo x >> "+marks+"/running; echo begun; setsid "+sleep+" & wait", m{"options": m{"grace": 100}}).id()
			wantLine(t, d.tap(t, path(running, "/stdout?follow=1")), "begun\n")
			queued := d.sh(t, "echo x >> "+marks+"/queued", m{"ref": "queued"}).id()
			hung := d.fake(t, "hang").id()
			d.await(t, hung, "running")
			deleted := d.fake(t, "", block).id()
			d.delete(t, deleted).want(t, 200)
			if how == "SIGTERM" {
				for _, problem := range d.end() {
					t.Error(problem)
				}
				wantGone(t, argument(sleep))
			} else {
				d.crash()
			}

			d = startIn(t, base, "--concurrency", "command=1")
			wantJSON(t, d.record(t, done), mustJSON(t, before))
			wantJSON(t, d.events(t, done), mustJSON(t, events))
			if got := d.get(t, path(done, "/stdout")).want(t, 200).body; string(got) != "kept\n" {
				t.Errorf("stdout %q", got)
			}
			d.get(t, path(memory, "/stdout")).want(t, 410, "not_kept")
			if how == "kill -9" { // a command goes on, and has its slot
				if rec := d.record(t, running); rec.state() != "running" || d.record(t, queued).state() != "queued" {
					t.Errorf("it is %s, and the queued one %s", rec.state(), d.record(t, queued).state())
				}
				if kinds := d.told(t, running, "reattached"); len(kinds) != 1 {
					t.Errorf("reattached %d times", len(kinds))
				}
				d.kill(t, running, block).wantEnd(t, "canceled")
			}
			d.await(t, queued, "idle").wantEnd(t, "success")
			for _, id := range []int64{running, hung} {
				rec := d.record(t, id)
				if rec.state() != "idle" || rec["completedAt"] == nil || rec.str("lifecycle") != "dead" {
					t.Errorf("process %d is %s/%s %s", id, rec.state(), rec.exitState(), rec.str("lifecycle"))
				}
				if id == running && how == "kill -9" {
					continue
				}
				if crashed := rec.exitState() == "failed" && rec.str("error") == "host process exited" && rec.obj("outcome").obj("reason").str("kind") == "spawn_failed"; crashed != (how == "kill -9") {
					t.Errorf("process %d after %s: %s, error %v, outcome %v", id, how, rec.exitState(), rec["error"], rec["outcome"])
				}
			}
			wantGone(t, argument(sleep))
			if rec := d.record(t, idle); rec.state() != "idle" || rec["exitState"] != nil || rec.num("run") != 0 {
				t.Errorf("the idle one is %v", rec)
			}
			d.post(t, path(idle, "/signals/run"), block).want(t, 200).json(t).wantEnd(t, "success")
			d.get(t, path(deleted, "")).want(t, 404, "not_found")
			d.post(t, "/processes", m{"code": "", "ref": "done"}).want(t, 409, "ref_conflict")
			if next := d.fake(t, "").id(); next <= deleted {
				t.Errorf("id %d after %d", next, deleted)
			}
			for _, name := range []string{"done", "idle", "running", "queued"} {
				if ran(name) != "x\n" {
					t.Errorf("%s ran %q", name, ran(name))
				}
			}
			for _, ev := range d.follow(t, path(running, "/events"), nil).all() {
				if ev.str("kind") == "finalized" {
					return
				}
			}
			t.Error("the interrupted process was never finalized")
		})
	}
}

// While it stops, a daemon refuses new work with a reason, and those who wait
// are answered.
func TestShutdownAnswersWaiters(t *testing.T) {
	t.Parallel()
	d := start(t)
	idle := d.inState(t, "never")
	id := d.sh(t, "trap '' TERM; echo ready; while :; do sleep 0.02; done", m{"options": m{"grace": 700}}).id()
	wantLine(t, d.tap(t, path(id, "/stdout?follow=1")), "ready\n")
	s := d.follow(t, path(id, "/events"), nil)
	waiter := make(chan error)
	go func() {
		a, err := d.try(request{method: "POST", path: "/processes", body: m{"code": "hang", "block": true}})
		if err == nil && a.status != 201 && a.status != 503 {
			err = errors.New(a.String())
		}
		waiter <- err
	}()
	waitFor(t, "the waiter's process", func() bool {
		return len(d.get(t, "/processes?state=running").json(t).list("processes")) == 2
	})
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-waiter; err != nil {
		t.Errorf("the waiter was dropped: %v", err)
	}
	refused := map[string]int{}
	for !d.over() {
		for _, at := range []string{"/processes", "/mci/processes", path(idle, "/signals/run")} {
			body := any(m{"code": ""})
			if at == path(idle, "/signals/run") {
				body = m{"force": true}
			}
			if a, err := d.try(request{method: "POST", path: at, body: body}); err == nil && a.status >= 400 && a.status != 409 {
				a.want(t, 503, "shutting_down")
				refused[at]++
			}
		}
	}
	t.Logf("refused with 503: %v", refused)
	for {
		if _, err := s.next(); err != nil {
			break // the stream ended
		}
	}
	if code := d.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("it exited with %d", code)
	}
	if left := marked(mark(d.base)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Two daemons do not share a data directory.
func TestSecondDaemonIsRefused(t *testing.T) {
	t.Parallel()
	d := shared(t)
	cmd := exec.Command(suite.binary, "serve", "--listen", "127.0.0.1:0", "--data", d.data)
	cmd.Env = d.cmd.Env
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "in use") {
		t.Errorf("a second daemon said %v:\n%s", err, out)
	}
	d.get(t, "/health").want(t, 200)
}

// No cgroup is left of a daemon that is gone.
func TestNoCgroupIsLeft(t *testing.T) {
	t.Parallel()
	d := start(t)
	rec := d.sh(t, "cat /proc/self/cgroup", block).wantEnd(t, "success")
	if rec.obj("enforced").str("treeKill") != "cgroup2" {
		t.Skipf("trees are held by %v here, not by cgroups", rec.obj("enforced")["treeKill"])
	}
	_, own, ok := strings.Cut("\n"+rec.str("stdout"), "\n0::")
	if !ok {
		t.Fatalf("no cgroup in %q", rec.str("stdout"))
	}
	own, _, _ = strings.Cut(own, "\n")
	for _, problem := range d.end() {
		t.Error(problem)
	}
	for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		if _, err := os.Stat(root + own); err == nil && own != "/" {
			t.Errorf("%s is left", root+own)
		}
	}
}
