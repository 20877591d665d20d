//go:build linux

package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// A timeout is milliseconds of execution; null is none; the default is shown.
func TestProgramTimeout(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	for _, code := range []string{"while (true) {}", "(async () => { for (;;) await 0 })(); await new Promise(() => {})", "/^(a+)+$/.test('a'.repeat(40) + 'b')", "setInterval(() => {}, 1)"} {
		rec := d.ts(t, code, block, m{"options": m{"timeout": 100, "grace": 100}}).wantEnd(t, "timeout")
		wantJSON(t, []any{rec.obj("exit")["code"], rec.obj("exit")["reason"], rec.obj("outcome").obj("reason")["kind"], rec.obj("options")["timeoutMs"]}, `[124,"timeout","timeout",100]`)
		if rec.obj("usage").num("wallMs") < 100 {
			t.Errorf("%s: ended after %v", code, rec["usage"])
		}
		if !slices.Contains(kinds(d.events(t, rec.id())), "timed_out") {
			t.Errorf("%s: no timed_out in %v", code, kinds(d.events(t, rec.id())))
		}
	}
	if rec := d.ts(t, "", block); rec.obj("options").num("timeoutMs") != 30000 {
		t.Errorf("by default: %v", rec["options"])
	}
	rec := d.ts(t, "", block, m{"options": m{"timeout": nil}})
	if v, ok := rec.obj("options")["timeoutMs"]; !ok || v != nil {
		t.Errorf("null: %v", rec["options"])
	}
	for _, bad := range []any{0, -1, 1.5, "100", true} {
		d.post(t, "/processes", m{"code": "", "options": m{"timeout": bad}}).want(t, 400, "invalid_request").naming(t, "timeout")
	}
	short := startReal(t, "--default-timeout", "typescript=60")
	short.ts(t, "for (;;);", block).wantEnd(t, "timeout")
	short.wantStdout(t, "await new Promise(r => setTimeout(r, 200)); console.log('kept')", "kept\n", m{"options": m{"timeout": nil}})
}

// An endless loop is killed at once, and the next program runs.
func TestProgramKill(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	for _, code := range []string{"while (true) {}", "await new Promise(() => setTimeout(() => {}, 1e8))", "Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)"} {
		id := d.runs(t, code, m{"options": m{"grace": 60000}})
		pid := d.startedPID(t, id)
		child, _, ok := look(pid)
		if !ok {
			t.Fatalf("process %d is not there", pid)
		}
		rec := d.kill(t, id, block).wantEnd(t, "canceled")
		if left := alive([]living{child}); len(left) > 0 {
			t.Errorf("%s: it is idle and lives: %v", code, left)
		}
		wantJSON(t, rec["exit"], `{"code":130,"reason":"canceled","signal":null}`)
		if rec["error"] != nil || rec.obj("outcome").str("kind") != "cancelled" || rec.str("stdout") != "begun\n" {
			t.Errorf("%s: error %v, outcome %v, stdout %q", code, rec["error"], rec["outcome"], rec.str("stdout"))
		}
		d.post(t, path(id, "/signals/kill"), nil).want(t, 409, "already_idle")
		d.wantStdout(t, "console.log('next')", "next\n")
	}
}

// With one slot the second waits, and killed there it is never run.
func TestProgramKillQueued(t *testing.T) {
	t.Parallel()
	d := startReal(t, "--concurrency", "typescript=1")
	first := d.runs(t, "for (;;);")
	second := d.ts(t, "console.log('ran')").id()
	third := d.ts(t, "console.log('third')").id()
	if rec := d.record(t, second); rec.state() != "queued" || rec.str("lifecycle") != "created" {
		t.Errorf("the second is %s/%s", rec.state(), rec.str("lifecycle"))
	}
	d.get(t, path(second, "/stdout")).want(t, 409, "not_idle")
	if rec := d.kill(t, second, nil).wantEnd(t, "canceled"); rec["startedAt"] != nil || rec.str("stdout") != "" {
		t.Errorf("killed while queued: %v", rec)
	}
	d.kill(t, first, block).wantEnd(t, "canceled")
	if rec := d.await(t, third, "idle").wantEnd(t, "success"); rec.str("stdout") != "third\n" {
		t.Errorf("the third wrote %q", rec.str("stdout"))
	}
	if names := kinds(d.events(t, second)); slices.Contains(names, "process_started") {
		t.Errorf("the killed one: %v", names)
	}
}

// Paused, a program stands still and so do its clocks.
func TestProgramPause(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	for _, code := range []string{"for (;;);", "setInterval(() => console.log('tick'), 5)"} {
		id := d.runs(t, code, m{"options": m{"timeout": 60000}})
		for range 2 { // idempotent
			if a := d.signal(t, id, "pause", nil); a.num("affected") != 1 && a.num("affected") != 0 {
				t.Errorf("affected %v", a["affected"])
			}
		}
		before := d.record(t, id)
		if before["paused"] != true || before["pausedAt"] == nil || before.state() != "running" {
			t.Fatalf("paused %v at %v, %s", before["paused"], before["pausedAt"], before.state())
		}
		var after m
		waitFor(t, "pausedMs to move", func() bool {
			after = d.record(t, id)
			return after.obj("usage").num("pausedMs") > before.obj("usage").num("pausedMs")+300
		})
		if a, b := before.obj("usage").num("wallMs"), after.obj("usage").num("wallMs"); a != b {
			t.Errorf("%s: while paused wallMs went from %d to %d", code, a, b)
		}
		if after.num("stdoutBytes") > before.num("stdoutBytes")+4096 {
			t.Errorf("%s: while paused it wrote", code)
		}
		d.signal(t, id, "resume", nil)
		waitFor(t, "wallMs to move", func() bool { return d.record(t, id).obj("usage").num("wallMs") > after.obj("usage").num("wallMs") })
		d.signal(t, id, "pause", nil)
		rec := d.kill(t, id, block).wantEnd(t, "canceled")
		wantJSON(t, rec["exit"], `{"code":1,"reason":"context cancelled while paused","signal":null}`)
		wantOrder(t, d.events(t, id), "process_started", "paused", "resumed", "finalized")
	}
}

// A pause longer than the timeout is not execution.
func TestProgramPauseStopsTheTimeout(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	id := d.runs(t, "await new Promise(r => setTimeout(r, 500)); console.log('end')", m{"options": m{"timeout": 5000}})
	d.signal(t, id, "pause", nil)
	since := time.Now()
	waitFor(t, "the timeout to have passed", func() bool { return time.Since(since) > 5500*time.Millisecond })
	if rec := d.record(t, id); rec.state() != "running" {
		t.Fatalf("while paused it became %s/%s", rec.state(), rec.exitState())
	}
	d.signal(t, id, "resume", nil)
	if rec := d.await(t, id, "idle").wantEnd(t, "success"); rec.str("stdout") != "begun\nend\n" || rec.obj("usage").num("pausedMs") < 5000 {
		t.Errorf("stdout %q, usage %v", rec.str("stdout"), rec["usage"])
	}
}

// TERM and INT leave the verdict to a program that listens; one that does not
// is ended by the signal, as a command would be.
func TestProgramSignals(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	for name, signal := range map[string]struct {
		name string
		code int64
	}{"term": {"SIGTERM", 143}, "int": {"SIGINT", 130}} {
		id := d.runs(t, "reeve.signal.addEventListener('abort', () => { console.log(reeve.signal.aborted, reeve.signal.reason.message); clearInterval(x) }); const x = setInterval(() => {}, 1e6);"+begun)
		d.signal(t, id, name, nil)
		if rec := d.await(t, id, "idle").wantEnd(t, "success"); rec.str("stdout") != "begun\ntrue "+signal.name+"\n" {
			t.Errorf("stdout %q", rec.str("stdout"))
		}
		if !slices.Contains(kinds(d.events(t, id)), "signal_delivered") {
			t.Errorf("no signal_delivered in %v", kinds(d.events(t, id)))
		}
		id = d.runs(t, "setInterval(() => {}, 1e6)")
		d.signal(t, id, name, nil)
		rec := d.await(t, id, "idle").wantEnd(t, "failed")
		if rec.obj("exit").num("code") != signal.code || rec.obj("exit").str("signal") != signal.name {
			t.Errorf("exit %v", rec["exit"])
		}
		wantJSON(t, rec.obj("outcome")["reason"], fmt.Sprintf(`{"kind":"signal","signal":%q}`, signal.name))
		id = d.runs(t, "reeve.signal.onabort = () => console.log('heard'); "+begun+"for (;;) await new Promise(r => setTimeout(r, 5))")
		d.signal(t, id, name, nil)
		waitFor(t, "the program to hear", func() bool { return d.record(t, id).str("stdout") == "begun\nheard\n" })
		d.kill(t, id, m{"now": true, "block": true}).wantEnd(t, "canceled")
		d.post(t, path(id, "/signals/"+name), nil).want(t, 409, "not_running")
	}
}

// A kill is polite to a program that listens, for the time of its grace.
func TestProgramKillIsPolite(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	id := d.runs(t, "reeve.signal.onabort = () => { console.log('bye'); clearInterval(x) }; const x = setInterval(() => {}, 1e6);"+begun)
	if rec := d.kill(t, id, m{"block": true, "grace": 60000}).wantEnd(t, "canceled"); rec.str("stdout") != "begun\nbye\n" || rec.obj("exit").num("code") != 130 {
		t.Errorf("stdout %q, exit %v", rec.str("stdout"), rec["exit"])
	}
	id = d.runs(t, "reeve.signal.onabort = () => {}; setInterval(() => {}, 1e6);"+begun)
	if rec := d.kill(t, id, m{"grace": 60000}); rec.state() != "terminating" {
		t.Errorf("a deaf one is %s", rec.state())
	}
	d.kill(t, id, m{"now": true, "block": true}).wantEnd(t, "canceled")
}

// Earlier runs are kept.
func TestProgramRerun(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	rec := d.ts(t, "console.log(reeve.id, reeve.run); reeve.output({ [`run${reeve.run}`]: reeve.run }); if (reeve.run === 2) throw new Error('second')", block).wantEnd(t, "success")
	id := rec.id()
	d.post(t, path(id, "/signals/run"), nil).want(t, 409, "has_outputs")
	d.post(t, path(id, "/signals/run"), m{"force": true, "block": true}).want(t, 200).json(t).wantEnd(t, "failed")
	last := d.post(t, path(id, "/signals/run"), m{"force": true, "block": true}).want(t, 200).json(t).wantEnd(t, "success")
	wantJSON(t, []any{last["run"], last["stdout"], last["output"], last["error"]}, fmt.Sprintf(`[3,"%d 3\n",{"run3":3},null]`, id))
	runs := d.get(t, path(id, "/runs")).want(t, 200).json(t).list("runs")
	if len(runs) != 3 || runs[0].num("run") != 3 || runs[1].str("error") != "second" {
		t.Fatalf("runs %v", runs)
	}
	for n := int64(1); n <= 3; n++ {
		at := path(id, fmt.Sprintf("/runs/%d", n))
		if got := string(d.get(t, at+"/stdout").want(t, 200).body); got != fmt.Sprintf("%d %d\n", id, n) {
			t.Errorf("run %d: stdout %q", n, got)
		}
		wantJSON(t, d.get(t, at+"/output").want(t, 200).json(t), fmt.Sprintf(`{"run%d":%d}`, n, n))
	}
}
