//go:build linux

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const reapSteps = "orphans cancel wait debug context dead remove"

// event returns the stored events of a kind.
func (d *daemon) told(t testing.TB, id int64, name string) (found []m) {
	t.Helper()
	for _, ev := range d.events(t, id) {
		if ev.str("kind") == name {
			found = append(found, ev)
		}
	}
	return found
}

// awaitTold waits until an event of a kind is stored.
func (d *daemon) awaitTold(t testing.TB, id int64, name string) (found []m) {
	t.Helper()
	waitFor(t, fmt.Sprintf("%s of %d", name, id), func() bool { found = d.told(t, id, name); return len(found) > 0 })
	return found
}

// ready starts a shell script and waits until it has printed ready.
func (d *daemon) ready(t testing.TB, script string, more ...m) int64 {
	t.Helper()
	id := d.sh(t, script, more...).id()
	wantLine(t, d.tap(t, path(id, "/stdout?follow=1")), "ready\n")
	return id
}

// loop is a script that runs until it is ended, after its beginning.
func loop(first string) string { return first + "\necho ready; while :; do sleep 0.02; done" }

// Orphans of every kind go to init: the running one goes on and is reaped when
// it ends, the zombie is reaped at once, each in the seed's order and once.
func TestIssue5Orphans(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	parent := d.ready(t, loop(""))
	alive := d.ready(t, loop("trap 'exit 0' TERM"), m{"parent": parent})
	zombie := d.sh(t, "exit 3", m{"parent": parent}).id()
	if rec := d.await(t, zombie, "idle"); rec.str("lifecycle") != "zombie" {
		t.Errorf("a finished child of a living parent is %v", rec["lifecycle"])
	}
	d.kill(t, parent, m{"tree": false, "block": true}).wantEnd(t, "canceled")
	d.awaitTold(t, alive, "reparented")
	if rec := d.record(t, alive); rec.state() != "running" || rec.str("lifecycle") != "running" {
		t.Errorf("an orphan is %s", rec.state())
	}
	waitFor(t, "the zombie to be reaped", func() bool { return d.record(t, zombie).str("lifecycle") == "dead" })
	d.signal(t, alive, "term", nil)
	d.await(t, alive, "idle").wantEnd(t, "success")
	waitFor(t, "the orphan to be reaped", func() bool { return d.record(t, alive).str("lifecycle") == "dead" })
	for _, id := range []int64{parent, alive, zombie} {
		reaped := d.awaitTold(t, id, "reaped")
		if len(reaped) != 1 || strings.Trim(fmt.Sprint(reaped[0]["steps"]), "[]") != reapSteps {
			t.Errorf("process %d: %v", id, reaped)
		}
	}
	if exit := d.record(t, zombie).obj("exit"); exit.num("code") != 3 {
		t.Errorf("the zombie's status is not kept: %v", exit)
	}
}

// Several waiters, before and after the end, hear the same.
func TestIssue5Waiters(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	g := newGate(t)
	id := d.ready(t, "echo ready; "+g.wait()+"; exit 7")
	var wg sync.WaitGroup
	codes := make(chan int, 8)
	for range 4 {
		wg.Go(func() { codes <- d.reeve(t, "", "wait", itoa(id)).code })
	}
	g.open(t)
	wg.Wait()
	for range 2 {
		codes <- d.reeve(t, "", "wait", itoa(id)).code
	}
	close(codes)
	for code := range codes {
		if code != 7 {
			t.Errorf("a waiter got %d", code)
		}
	}
	if got := d.reeve(t, "", "wait", "987654321"); got.code != 1 || got.stderr == "" {
		t.Errorf("unknown: %+v", got)
	}
	if got := d.reeve(t, "", "wait", "--timeout", "never", itoa(id)); got.code != 2 {
		t.Errorf("bad timeout: %+v", got)
	}
}

// Programs learn of signals by their AbortSignal, once, whichever of the two.
func TestIssue5SignalsOfPrograms(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	for _, name := range []string{"term", "int"} {
		id := d.runs(t, "await new Promise<void>((done) => reeve.signal.addEventListener('abort', () => { console.log('aborted'); done() })); reeve.output({ ok: true })")
		if got := d.signal(t, id, name, nil); got.num("affected") != 1 {
			t.Errorf("%s: %v", name, got["affected"])
		}
		rec := d.await(t, id, "idle").wantEnd(t, "success")
		if rec.str("stdout") != "begun\naborted\n" || rec.obj("output")["ok"] != true {
			t.Errorf("%s: %q", name, rec.str("stdout"))
		}
		delivered := d.told(t, id, "signal_delivered")
		if len(delivered) != 1 || delivered[0].str("signal") != "SIG"+strings.ToUpper(name) || delivered[0].str("action") != "deliver" {
			t.Errorf("%s: %v", name, delivered)
		}
	}
}

// A paused program computes nothing, its elapsed time stands, and a kill ends it
// as the seed says.
func TestIssue5PausedProgram(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	id := d.runs(t, "for (let i = 0; ; i++) { console.log(i); await new Promise((r) => setTimeout(r, 5)) }", m{"options": m{"timeout": nil}})
	d.signal(t, id, "pause", nil)
	first := d.record(t, id)
	waitFor(t, "a pause", func() bool { return d.record(t, id).obj("usage").num("pausedMs") > 300 })
	second := d.record(t, id)
	if a, b := first.num("stdoutBytes"), second.num("stdoutBytes"); b-a > 64 {
		t.Errorf("it wrote %d bytes while paused", b-a)
	}
	if a, b := first.obj("usage").num("wallMs"), second.obj("usage").num("wallMs"); b-a > 100 {
		t.Errorf("its time went from %d to %d", a, b)
	}
	resumed := time.Now()
	d.signal(t, id, "resume", nil)
	third := d.record(t, id)
	if jump, real := third.obj("usage").num("wallMs")-second.obj("usage").num("wallMs"), time.Since(resumed).Milliseconds(); jump > real+50 {
		t.Errorf("its time jumped by %d ms on resume, in %d ms", jump, real)
	}
	d.signal(t, id, "pause", nil)
	rec := d.kill(t, id, block).wantEnd(t, "canceled")
	if e := rec.obj("exit"); e.num("code") != 1 || e.str("reason") != "context cancelled while paused" {
		t.Errorf("exit %v", e)
	}
}

// SIGKILL is absolute: for a paused tree, of commands that ignore everything.
func TestIssue5KillNowOfAPausedTree(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	sleep := endless()
	root := d.ready(t, "trap '' TERM INT; (setsid "+sleep+" &) ; "+loop(""))
	child := d.ready(t, loop("trap '' TERM INT"), m{"parent": root})
	if got := d.signal(t, root, "pause", m{"tree": true}); got.num("affected") != 2 {
		t.Errorf("paused %v", got["affected"])
	}
	for _, id := range []int64{root, child} {
		d.post(t, path(id, "/signals/term"), nil).want(t, 200)
		if rec := d.record(t, id); rec["paused"] != true {
			t.Errorf("SIGTERM of a paused process resumed it: %v", rec["paused"])
		}
	}
	d.kill(t, root, m{"now": true, "block": true, "tree": true}).wantEnd(t, "canceled")
	d.await(t, child, "idle").wantEnd(t, "canceled")
	wantGone(t, argument(sleep))
}

// A signal to a tree that is still growing leaves nobody running: the program
// starts children as fast as it can while the tree is killed.
func TestIssue5KillATreeThatGrows(t *testing.T) {
	t.Parallel()
	d := startReal(t)
	id := d.runs(t, lines("for (let i = 0; i < 40; i++) {", "  try { await reeve.spawn({ code: 'await reeve.spawn({ code: `setInterval(() => {}, 1e6)` }); setInterval(() => {}, 1e6)', options: { timeout: null } }) } catch { await new Promise((r) => setTimeout(r, 1)) }",
		"  if (i === 2) "+begun, "}", "setInterval(() => {}, 1e6)"), m{"options": m{"timeout": nil}})
	d.kill(t, id, m{"block": true, "grace": 200}).wantEnd(t, "canceled")
	waitFor(t, "nothing to be left", func() bool {
		for _, state := range []string{"queued", "running", "terminating"} {
			if len(d.ids(t, "state="+state)) > 0 {
				return false
			}
		}
		return true
	})
}

// A tree that is paused while children are born stands still as a whole, and
// goes on as a whole.
func TestIssue5PauseATreeThatGrows(t *testing.T) {
	t.Parallel()
	d := startReal(t, "--concurrency", "command=200")
	root := d.ready(t, loop(""))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range 15 {
				select {
				case <-stop:
					return
				default:
					_, _ = d.try(request{method: "POST", path: "/processes", body: m{"environment": "command", "code": "sleep 1000", "parent": root}})
				}
			}
		})
	}
	waitFor(t, "some children", func() bool { return len(d.ids(t, "parent="+itoa(root)+"&state=running")) > 3 })
	d.signal(t, root, "pause", m{"tree": true})
	close(stop)
	wg.Wait()
	d.signal(t, root, "pause", m{"tree": true}) // those made by clients after it
	for _, id := range d.ids(t, "parent="+itoa(root)+"&state=running&limit=1000") {
		if rec := d.record(t, id); rec["paused"] != true && rec.state() == "running" {
			t.Errorf("child %d is not paused", id)
		}
	}
	n := int64(len(d.ids(t, "parent="+itoa(root)+"&state=running&limit=1000")))
	if got := d.signal(t, root, "resume", m{"tree": true}); got.num("affected") != n+1 {
		t.Errorf("resumed %v of %d", got["affected"], n+1)
	}
	for _, id := range d.ids(t, "parent="+itoa(root)+"&state=running&limit=1000") {
		if rec := d.record(t, id); rec["paused"] != false {
			t.Errorf("child %d is still paused", id)
		}
	}
	d.kill(t, root, m{"now": true, "block": true})
	if left := d.ids(t, "state=running"); len(left) > 0 {
		waitFor(t, "the tree to end", func() bool { return len(d.ids(t, "state=running")) == 0 })
	}
}

// What signals refuse, and with which code.
func TestIssue5SignalsRefused(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	done := d.sh(t, "true", block).id()
	never := d.sh(t, "true", m{"autorun": false}).id()
	for _, name := range []string{"term", "int", "pause", "resume"} {
		d.post(t, path(done, "/signals/"+name), nil).want(t, 409, "not_running")
		d.post(t, path(never, "/signals/"+name), nil).want(t, 409, "not_running")
		d.post(t, "/processes/987654321/signals/"+name, nil).want(t, 404, "not_found")
		d.post(t, "/processes/0/signals/"+name, nil).want(t, 400, "invalid_request")
		d.post(t, path(done, "/signals/"+name), m{"tree": "yes"}).want(t, 400, "invalid_request").naming(t, "tree")
		d.post(t, path(done, "/signals/"+name), m{"treee": true}).want(t, 400, "invalid_request").naming(t, "treee")
		d.post(t, path(done, "/signals/"+name), "{").want(t, 400, "invalid_request")
	}
	d.post(t, path(done, "/signals/hup"), nil).want(t, 404)
	d.post(t, path(done, "/signals/run"), m{"resume": true}).want(t, 400, "invalid_request").naming(t, "resume")
	d.get(t, path(done, "/trace")).want(t, 409, "not_running")
	d.get(t, "/processes/987654321/trace").want(t, 404, "not_found")
	d.get(t, path(done, "/transcript")).want(t, 404, "not_found")
	d.get(t, "/processes/987654321/transcript").want(t, 404, "not_found")
	d.get(t, "/processes/x/transcript").want(t, 400, "invalid_request")
}

// A silence is told once, its end too, and nobody is stopped for it; pauses are
// no silence.
func TestIssue5Heartbeat(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	g := newGate(t)
	id := d.ready(t, "echo ready; "+g.wait()+"; echo awake; while :; do echo x; sleep 0.01; done", m{"options": m{"heartbeat": 150}})
	d.awaitTold(t, id, "stalled")
	if rec := d.record(t, id); rec.state() != "running" || rec["paused"] != false {
		t.Errorf("a stalled process is %s", rec.state())
	}
	g.open(t)
	d.awaitTold(t, id, "recovered")
	wantInOrder(t, kinds(d.events(t, id)), "process_started", "stalled", "recovered")
	d.kill(t, id, m{"now": true, "block": true})

	quiet := d.ready(t, "echo ready; exec "+endless(), m{"options": m{"heartbeat": 400}})
	d.signal(t, quiet, "pause", nil)
	waitFor(t, "a long pause", func() bool { return d.record(t, quiet).obj("usage").num("pausedMs") > 1500 })
	if got := d.told(t, quiet, "stalled"); len(got) > 0 {
		t.Errorf("a paused process stalled: %v", got)
	}
	d.signal(t, quiet, "resume", nil)
	d.awaitTold(t, quiet, "stalled")
	d.kill(t, quiet, m{"now": true, "block": true})
	for _, bad := range []any{-1, "soon", 1.5} {
		d.post(t, "/processes", m{"environment": "command", "code": "true", "options": m{"heartbeat": bad}}).want(t, 400, "invalid_request").naming(t, "heartbeat")
	}
	off := d.sh(t, "sleep 0.3", block, m{"options": m{"heartbeat": nil}}).wantEnd(t, "success")
	if slices.Contains(kinds(d.events(t, off.id())), "stalled") {
		t.Error("stalled without a heartbeat")
	}
}
