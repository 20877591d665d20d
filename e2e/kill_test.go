//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A queued process that is killed is canceled at once and never executed.
func TestKillQueued(t *testing.T) {
	t.Parallel()
	d := start(t, "--concurrency", "command=1")
	file := filepath.Join(t.TempDir(), "ran")
	g := newGate(t)
	first := d.sh(t, g.wait()).id()
	d.await(t, first, "running")
	second := d.sh(t, "echo x > "+file).id()
	rec := d.kill(t, second, nil).wantEnd(t, "canceled")
	if rec["startedAt"] != nil || rec["error"] != nil || rec.str("lifecycle") != "dead" || rec.obj("outcome").str("kind") != "cancelled" {
		t.Errorf("killed while queued: %v", rec)
	}
	d.post(t, path(second, "/signals/kill"), nil).want(t, 409, "already_idle")
	third := d.sh(t, "true").id()
	g.open(t)
	d.await(t, third, "idle").wantEnd(t, "success")
	if _, err := os.Stat(file); err == nil {
		t.Error("the canceled process was executed")
	}
	for _, name := range kinds(d.events(t, second)) {
		if name == "process_started" {
			t.Error("it tells process_started")
		}
	}
}

// A running one is terminating until it is over; kills repeat harmlessly and
// escalate.
func TestKillTerminating(t *testing.T) {
	t.Parallel()
	d := shared(t)
	sleep := endless()
	id := d.sh(t, "trap '' TERM; echo ready; "+sleep+" & while :; do wait; done").id()
	wantLine(t, d.tap(t, path(id, "/stdout?follow=1")), "ready\n")
	begun := time.Now()
	for range 2 {
		if rec := d.kill(t, id, m{"grace": 60000}); rec.state() != "terminating" || rec["exitState"] != nil {
			t.Errorf("after a kill it is %s/%s", rec.state(), rec.exitState())
		}
	}
	d.post(t, path(id, "/signals/run"), m{"force": true}).want(t, 409, "not_idle")
	rec := d.kill(t, id, m{"now": true, "block": true}).wantEnd(t, "canceled")
	wantGone(t, argument(sleep))
	if time.Since(begun) > patience || rec["error"] != nil || rec.obj("exit").num("code") != 130 {
		t.Errorf("%v: exit %v, error %v", time.Since(begun), rec["exit"], rec["error"])
	}
	cancels := 0
	for _, ev := range d.events(t, id) {
		if ev.str("kind") == "finalized" {
			cancels++
		}
	}
	if cancels != 1 {
		t.Errorf("finalized %d times", cancels)
	}
}

// SIGTERM comes first: a program that obeys ends by itself, and is canceled
// whatever it answers.
func TestKillIsPoliteFirst(t *testing.T) {
	t.Parallel()
	d := shared(t)
	id := d.sh(t, "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.02; done").id()
	wantLine(t, d.tap(t, path(id, "/stdout?follow=1")), "ready\n")
	rec := d.kill(t, id, m{"grace": 20000, "block": true}).wantEnd(t, "canceled")
	if rec.str("stdout") != "ready\nbye\n" {
		t.Errorf("stdout %q", rec.str("stdout"))
	}
}

// Nothing of a killed tree lives when the process is idle: children that
// ignore SIGTERM, leave the session, are orphaned or have no environment.
func TestKillLeavesNoSurvivor(t *testing.T) {
	t.Parallel()
	d := shared(t)
	for name, script := range map[string]string{
		"plain":      `S & S & (S & S) & echo ready; wait`,
		"stubborn":   `trap '' TERM; S & (trap '' TERM; S; S) & sh -c 'trap "" TERM; S; S' & echo ready; while :; do wait; done`,
		"escaping":   `setsid S & (setsid sh -c 'trap "" TERM; S; S' &) ; env -i setsid S & (env -i setsid sh -c 'S & S & exit' &); setsid sh -c '(S &)' ; echo ready; wait; S`,
		"leaderless": `trap 'exit 0' TERM; setsid sh -c 'trap "" TERM; while :; do S; done' & echo ready; while :; do sleep 0.02; done`,
	} {
		for _, how := range []m{{"grace": 150, "block": true}, {"now": true, "block": true}} {
			t.Run(name, func(t *testing.T) {
				sleep := endless()
				id := d.sh(t, strings.ReplaceAll(script, "S", sleep)).id()
				wantLine(t, d.tap(t, path(id, "/stdout?follow=1")), "ready\n")
				waitFor(t, "the tree", func() bool { return len(marked(argument(sleep))) > 0 })
				rec := d.kill(t, id, how).wantEnd(t, "canceled")
				wantGone(t, argument(sleep))
				wantJSON(t, rec.obj("outcome")["survivors"], "[]")
			})
		}
	}
}

// A timeout ends the tree, too, and is told as a timeout.
func TestTimeoutLeavesNoSurvivor(t *testing.T) {
	t.Parallel()
	d := shared(t)
	sleep := endless()
	script := strings.ReplaceAll(`trap '' TERM; setsid S & S & while :; do wait; done`, "S", sleep)
	rec := d.sh(t, script, block, m{"options": m{"timeout": 150, "grace": 50}}).wantEnd(t, "timeout")
	wantGone(t, argument(sleep))
	if rec.obj("exit").num("code") != 124 || rec.obj("outcome").obj("reason").str("kind") != "timeout" {
		t.Errorf("exit %v, outcome %v", rec["exit"], rec["outcome"])
	}
}

// What a program leaves behind is ended with it, or waited for.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	d := shared(t)
	sleep := endless()
	d.create(t, m{"environment": "command", "block": true, "options": m{"drain": 50, "grace": 50},
		"command": m{"program": "sh", "args": []string{"-c", "setsid " + sleep + " & echo left"}}}).wantEnd(t, "success")
	wantGone(t, argument(sleep))
	rec := d.create(t, m{"environment": "command", "block": true, "options": m{"drain": 10},
		"command": m{"program": "sh", "args": []string{"-c", "(sleep 0.3; echo later) & echo left"}, "leftovers": "wait"}}).wantEnd(t, "success")
	if rec.str("stdout") != "left\nlater\n" {
		t.Errorf("stdout %q", rec.str("stdout"))
	}
}

// tree says whether Reeve's own children die, too.
func TestKillTree(t *testing.T) {
	t.Parallel()
	d := shared(t)
	for _, tree := range []bool{true, false} {
		parent := d.inState(t, "running")
		child := d.fake(t, "hang", m{"parent": parent}).id()
		grandchild := d.sh(t, "exec "+endless(), m{"parent": child}).id()
		d.await(t, child, "running")
		d.await(t, grandchild, "running")
		d.kill(t, parent, m{"tree": tree, "block": true}).wantEnd(t, "canceled")
		for _, id := range []int64{child, grandchild} {
			if tree {
				d.await(t, id, "idle").wantEnd(t, "canceled")
			} else if rec := d.record(t, id); rec.state() != "running" {
				t.Errorf("tree:false ended a child: %s", rec.state())
			}
		}
	}
}

// Kill against the end: whoever comes first, there is one outcome and one 200
// or 409.
func TestKillRacesWithTheEnd(t *testing.T) {
	t.Parallel()
	d := shared(t)
	var wg sync.WaitGroup
	for range 15 {
		wg.Go(func() {
			a, err := d.try(request{method: "POST", path: "/processes", body: m{"environment": "command", "code": "true"}})
			if err != nil {
				t.Error(err)
				return
			}
			id := a.json(t).id()
			kill, err := d.try(request{method: "POST", path: path(id, "/signals/kill"), body: m{"block": true}})
			if err != nil || kill.status != 200 && kill.status != 409 {
				t.Errorf("%v %v", kill, err)
			}
			rec := d.record(t, id)
			if s := rec.exitState(); rec.state() != "idle" || s != "success" && s != "canceled" {
				t.Errorf("after the kill answered %d it is %s/%s", kill.status, rec.state(), s)
			}
			finals := 0
			for _, name := range kinds(d.events(t, id)) {
				if name == "finalized" {
					finals++
				}
			}
			if finals != 1 {
				t.Errorf("process %d was finalized %d times", id, finals)
			}
		})
	}
	wg.Wait()
}
