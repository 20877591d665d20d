//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A kill that was answered is carried out by the next daemon: with the grace
// that is left, by force if that was asked for, and to what is below.
func TestIssue6KillSurvivesTheCrash(t *testing.T) {
	t.Parallel()
	base := newBase(t)
	d := startIn(t, base, "--concurrency", "command=9")
	stubborn := "trap '' TERM; echo ready; while :; do sleep 0.02; done"
	run := func(more ...m) (int64, string) {
		sleep := endless()
		id := d.sh(t, "setsid "+sleep+" & "+stubborn, more...).id()
		wantLine(t, d.tap(t, path(id, "/stdout?follow=1")), "ready\n")
		return id, argument(sleep)
	}
	graced, gracedMark := run(m{"options": m{"grace": 400}})
	forced, forcedMark := run(m{"options": m{"grace": 3600000}})
	child, childMark := run(m{"parent": forced, "options": m{"grace": 3600000}})
	spared, sparedMark := run()
	program := d.fake(t, "stubborn", m{"options": m{"grace": 3600000}}).id()
	d.await(t, program, "running")
	d.post(t, path(graced, "/signals/kill"), m{}).want(t, 200)
	d.post(t, path(forced, "/signals/kill"), m{"now": true}).want(t, 200)
	d.post(t, path(program, "/signals/kill"), m{}).want(t, 200)
	d.crash()

	d = startIn(t, base)
	for id, mark := range map[int64]string{graced: gracedMark, forced: forcedMark, child: childMark, program: ""} {
		d.await(t, id, "idle").wantEnd(t, "canceled")
		if mark != "" {
			wantGone(t, mark)
		}
		if n := len(d.told(t, id, "cancelled")); n != 1 {
			t.Errorf("process %d was cancelled %d times", id, n)
		}
	}
	if rec := d.record(t, spared); rec.state() != "running" || len(marked(sparedMark)) == 0 {
		t.Errorf("the one that was not killed is %s", rec.state())
	}
	d.kill(t, spared, m{"now": true, "block": true}).wantEnd(t, "canceled")
	wantGone(t, sparedMark)
}

// Without --stop-jobs a daemon that is stopped leaves commands to the next one;
// with it, they end.
func TestIssue6StopLeavesCommands(t *testing.T) {
	t.Parallel()
	base, gate := newBase(t), filepath.Join(t.TempDir(), "gate")
	d := startIn(t, base, "--stop-jobs=false")
	id := d.sh(t, "echo begun; while [ ! -e "+gate+" ]; do sleep 0.02; done; echo over; exit 9").id()
	wantLine(t, d.tap(t, path(id, "/stdout?follow=1")), "begun\n")
	pid := d.awaitTold(t, id, "process_started")[0].num("pid")
	if err := d.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-d.exited
	if code := d.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, d.log)
	}
	d = startIn(t, base)
	if rec := d.record(t, id); rec.state() != "running" {
		t.Fatalf("it is %s, %v", rec.state(), rec["error"])
	}
	if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	rec := d.await(t, id, "idle").wantEnd(t, "failed")
	if rec.obj("exit").num("code") != 9 || rec.str("stdout") != "begun\nover\n" {
		t.Errorf("%v, %q", rec["exit"], rec.str("stdout"))
	}
	// The last of it ends with what it was given.
	sleep := endless()
	last := d.sh(t, "echo begun; exec "+sleep).id()
	wantLine(t, d.tap(t, path(last, "/stdout?follow=1")), "begun\n")
	for _, problem := range d.end() {
		t.Error(problem)
	}
	wantGone(t, argument(sleep))
}
