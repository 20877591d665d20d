//go:build linux

package e2e

import (
	"strings"
	"testing"
	"time"
)

func (d *daemon) signal(t testing.TB, id int64, name string, body any) m {
	t.Helper()
	a := d.post(t, path(id, "/signals/"+name), body).want(t, 200)
	if a.status != 200 {
		t.FailNow()
	}
	return a.json(t)
}

// term and int reach the program; the verdict is its own.
func TestTermAndInt(t *testing.T) {
	t.Parallel()
	d := shared(t)
	for name, c := range map[string]struct {
		trap, signal, exitState string
		code                    int64
	}{
		"handled term": {"trap 'echo got; exit 0' TERM", "term", "success", 0},
		"handled int":  {"trap 'echo got; exit 5' INT", "int", "failed", 5},
		"default term": {"", "term", "failed", 143},
		"default int":  {"", "int", "failed", 130},
	} {
		t.Run(name, func(t *testing.T) {
			id := d.sh(t, c.trap+"\necho ready; while :; do sleep 0.02; done").id()
			wantLine(t, d.tap(t, path(id, "/stdout?follow=1")), "ready\n")
			got := d.signal(t, id, c.signal, nil)
			if got.num("affected") != 1 || got.obj("process").id() != id {
				t.Errorf("answer %v", got)
			}
			wantKeys(t, got.obj("process"), recordKeys)
			rec := d.await(t, id, "idle").wantEnd(t, c.exitState)
			if rec.obj("exit").num("code") != c.code {
				t.Errorf("exit %v", rec["exit"])
			}
			d.post(t, path(id, "/signals/"+c.signal), nil).want(t, 409, "not_running")
		})
	}
}

// A paused program stands still, its clock too, and goes on as if nothing was.
func TestPauseAndResume(t *testing.T) {
	t.Parallel()
	d := shared(t)
	id := d.sh(t, "i=0; while :; do i=$((i+1)); echo $i; sleep 0.01; done", m{"interpreter": "none"}).id()
	out := d.tap(t, path(id, "/stdout?follow=1"))
	wantLine(t, out, "1\n")
	for range 2 { // idempotent
		got := d.signal(t, id, "pause", nil)
		rec := got.obj("process")
		if rec["paused"] != true || rec["pausedAt"] == nil || rec.state() != "running" {
			t.Errorf("paused %v at %v, %s", rec["paused"], rec["pausedAt"], rec.state())
		}
	}
	first := d.record(t, id)
	waitFor(t, "200 ms of pause", func() bool { return d.record(t, id).obj("usage").num("pausedMs") > 200 })
	second := d.record(t, id)
	if a, b := first.obj("usage").num("wallMs"), second.obj("usage").num("wallMs"); b-a > 100 {
		t.Errorf("wallMs went from %d to %d while paused", a, b)
	}
	if a, b := first.num("stdoutBytes"), second.num("stdoutBytes"); b-a > 64 {
		t.Errorf("it wrote %d bytes while paused", b-a)
	}
	for range 2 {
		if rec := d.signal(t, id, "resume", nil).obj("process"); rec["paused"] != false || rec["pausedAt"] != nil {
			t.Errorf("after resume paused is %v at %v", rec["paused"], rec["pausedAt"])
		}
	}
	for range 20 {
		if _, err := out.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	d.kill(t, id, m{"now": true, "block": true}).wantEnd(t, "canceled")
	names := strings.Join(kinds(stored(d.events(t, id))), " ")
	if strings.Count(names, "paused") != 1 || strings.Count(names, "resumed") != 1 {
		t.Errorf("paused and resumed are not told once each")
	}
}

// Killed while paused it is over at once, and says so.
func TestKillWhilePaused(t *testing.T) {
	t.Parallel()
	d := shared(t)
	sleep := endless()
	id := d.sh(t, sleep+" & echo ready; wait").id()
	wantLine(t, d.tap(t, path(id, "/stdout?follow=1")), "ready\n")
	d.signal(t, id, "pause", nil)
	begun := time.Now()
	rec := d.kill(t, id, m{"grace": 1000, "block": true}).wantEnd(t, "canceled")
	if e := rec.obj("exit"); e.num("code") != 1 || e.str("reason") != "context cancelled while paused" {
		t.Errorf("exit %v", e)
	}
	if rec["paused"] != false || time.Since(begun) > patience {
		t.Errorf("paused %v after %v", rec["paused"], time.Since(begun))
	}
	wantGone(t, argument(sleep))
}

// The timeout's clock stands still while paused.
func TestPauseStopsTheTimeout(t *testing.T) {
	t.Parallel()
	d := shared(t)
	id := d.sh(t, "echo ready; exec "+endless(), m{"options": m{"timeout": 1000, "grace": 50}}).id()
	wantLine(t, d.tap(t, path(id, "/stdout?follow=1")), "ready\n")
	d.signal(t, id, "pause", nil)
	waitFor(t, "a pause longer than the timeout", func() bool { return d.record(t, id).obj("usage").num("pausedMs") > 1200 })
	if rec := d.record(t, id); rec.state() != "running" {
		t.Errorf("it is %s/%s while paused", rec.state(), rec.exitState())
	}
	d.signal(t, id, "resume", nil)
	d.await(t, id, "idle").wantEnd(t, "timeout")
}

// tree reaches the processes below, and counts them.
func TestSignalTree(t *testing.T) {
	t.Parallel()
	d := shared(t)
	loop := "trap 'exit 0' TERM; echo ready; while :; do sleep 0.02; done"
	var ids []int64
	parent := m{}
	for range 3 {
		id := d.sh(t, loop, parent).id()
		wantLine(t, d.tap(t, path(id, "/stdout?follow=1")), "ready\n")
		ids = append(ids, id)
		parent = m{"parent": id}
	}
	for _, name := range []string{"pause", "resume", "term"} {
		if got := d.signal(t, ids[0], name, m{"tree": true}); got.num("affected") != 3 {
			t.Errorf("%s of a tree of three affected %v", name, got["affected"])
		}
		for _, id := range ids {
			if rec := d.record(t, id); name != "term" && rec["paused"] != (name == "pause") {
				t.Errorf("after %s process %d has paused %v", name, id, rec["paused"])
			}
		}
	}
	for _, id := range ids {
		d.await(t, id, "idle").wantEnd(t, "success")
	}
}
