//go:build linux

package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A daemon that is killed, or stopped without --stop-jobs, leaves a tree running:
// the same programs go on, and are supervised by the next one.
func TestIssue6SupervisorOutlivesTheDaemon(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(*testing.T, *daemon){
		"kill -9": func(_ *testing.T, d *daemon) { d.crash() },
		"stop": func(t *testing.T, d *daemon) {
			if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if <-d.exited; d.cmd.ProcessState.ExitCode() != 0 {
				t.Errorf("exit code %d:\n%s", d.cmd.ProcessState.ExitCode(), d.log)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := newBase(t)
			d := startRealIn(t, base, nil, "--stop-jobs=false")
			file := writeFile(t, t.TempDir(), "shop.yaml", `
ref: shop
maxRestarts: 1
backoff: {initial: 10ms}
children:
  - {name: db, environment: command, code: 'echo "db $SECRET"; exec sleep 1000', env: {SECRET: hush-hush}}
  - {name: web, command: {program: sleep, args: ["1000"]}}
  - name: inner
    supervisor:
      children:
        - {name: ts, environment: typescript, code: "await new Promise(() => setTimeout(() => {}, 1e9))", options: {timeout: null}}
        - {name: mail, restart: transient, command: {program: sleep, args: ["1000"]}}
`)
			up := d.reeve(t, "", "up", "--detach", file)
			if up.code != 0 {
				t.Fatalf("%+v", up)
			}
			id := d.ids(t, "ref=shop")[0]
			before := family(t, d, id, 5)
			pids := map[string]int{}
			for _, name := range []string{"db", "web", "mail"} {
				pids[name] = d.startedPID(t, before[name].id())
			}
			leave(t, d)
			for name, pid := range pids {
				if syscall.Kill(pid, 0) != nil {
					t.Errorf("%s has ended with the daemon", name)
				}
			}

			d = startRealIn(t, base, nil)
			waitFor(t, "the program to run again", func() bool { r := d.record(t, before["ts"].id()); return r.num("run") == 2 && r.state() == "running" })
			for _, some := range []int64{id, before["inner"].id(), before["db"].id(), before["web"].id(), before["mail"].id()} {
				rec := d.record(t, some)
				if rec.state() != "running" || rec.num("run") != 1 || len(d.told(t, some, "reattached")) != 1 {
					t.Errorf("%v is %s in run %d", rec["label"], rec.state(), rec.num("run"))
				}
			}
			if again := d.reeve(t, "", "up", "--detach", file); again.code != 1 || !strings.Contains(again.stderr, "shop runs already, as process "+itoa(id)) {
				t.Errorf("up again: %+v", again)
			}
			// They are supervised, once each; and what was secret still is known.
			for _, name := range []string{"db", "mail"} {
				if err := syscall.Kill(pids[name], syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
				one := before[name].id()
				waitFor(t, "the restart of "+name, func() bool { r := d.record(t, one); return r.num("run") == 2 && r.state() == "running" })
				if d.startedPID(t, one) == pids[name] {
					t.Errorf("%s has the pid it had", name)
				}
			}
			waitFor(t, "its output", func() bool { return d.record(t, before["db"].id()).str("stdout") == "db hush-hush\n" })
			sup := d.get(t, supervisorPath(id)).want(t, 200).json(t)
			if db, web := sup.child("db"), sup.child("web"); db.num("restarts") != 1 || db.num("run") != 2 || web.num("restarts") != 0 || web.num("run") != 1 {
				t.Errorf("%v, %v", db, web)
			}
			if text := mustJSON(t, d.events(t, id)); strings.Contains(text, "hush-hush") {
				t.Errorf("a secret is told: %s", text)
			}
			d.kill(t, id, block).wantEnd(t, "canceled")
			if left := d.ids(t, "state=running"); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			for name, pid := range pids {
				if syscall.Kill(pid, 0) == nil {
					t.Errorf("%s is alive", name)
				}
			}
		})
	}
}

// family returns the processes below a supervisor, by label, when they all run.
func family(t *testing.T, d *daemon, id int64, n int) (all map[string]m) {
	t.Helper()
	waitFor(t, "the whole tree", func() bool {
		all = map[string]m{}
		for _, child := range d.ids(t, "parent="+itoa(id)) {
			rec := d.await(t, child, "running")
			all[rec.str("label")] = rec
			if rec.str("environment") == "supervisor" {
				maps.Copy(all, family(t, d, child, 1))
			}
		}
		return len(all) >= n
	})
	return all
}

// A child that ended while there was no daemon is run again when there is one,
// with its group; a kill of the tree that was answered before is carried out.
func TestIssue6SupervisorOfWhatEndedMeanwhile(t *testing.T) {
	t.Parallel()
	base, gate := newBase(t), filepath.Join(t.TempDir(), "gate")
	d := startIn(t, base)
	s := d.post(t, "/supervisors", m{"strategy": "rest_for_one", "maxRestarts": 1, "backoff": m{"initial": 1}, "children": []m{
		sleeper("a"),
		{"name": "b", "environment": "command", "code": "[ -e " + gate + " ] && exec sleep 1000; while [ ! -e " + gate + " ]; do sleep 0.02; done; exit 7"},
		sleeper("c"),
	}}).want(t, 201).json(t)
	stubborn := d.post(t, "/supervisors", m{"children": []m{
		{"name": "x", "environment": "command", "code": "trap '' TERM; echo ready; while :; do sleep 0.02; done", "shutdown": 300}}}).want(t, 201).json(t)
	all := family(t, d, s.id(), 3)
	x := family(t, d, stubborn.id(), 1)["x"]
	waitFor(t, "x to be ready", func() bool { return d.record(t, x.id()).str("stdout") == "ready\n" })
	pid := d.startedPID(t, all["b"].id())
	d.post(t, path(stubborn.id(), "/signals/kill"), m{}).want(t, 200)
	d.crash()
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "b to end", func() bool { return syscall.Kill(pid, 0) != nil })

	d = startIn(t, base)
	for label, run := range map[string]int64{"a": 1, "b": 2, "c": 2} {
		waitFor(t, label, func() bool { r := d.record(t, all[label].id()); return r.num("run") == run && r.state() == "running" })
	}
	first := d.get(t, path(all["b"].id(), "/runs")).want(t, 200).json(t).list("runs")
	if old := first[len(first)-1]; old.obj("exit").num("code") != 7 {
		t.Errorf("its first run: %v", old)
	}
	d.await(t, stubborn.id(), "idle").wantEnd(t, "canceled")
	d.record(t, x.id()).wantEnd(t, "canceled")
	d.kill(t, s.id(), block).wantEnd(t, "canceled")
}
