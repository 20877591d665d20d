//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Running again needs force, and keeps what was before.
func TestRerunKeepsEarlierRuns(t *testing.T) {
	t.Parallel()
	d := shared(t)
	file := filepath.Join(t.TempDir(), "n")
	script := `n=$(cat ` + file + ` 2>/dev/null || echo 0); n=$((n+1)); echo $n > ` + file + `; echo run $n; echo err $n >&2; exit $((n-1))`
	id := d.sh(t, script, block).wantEnd(t, "success").id()
	d.post(t, path(id, "/signals/run"), nil).want(t, 409, "has_outputs")
	d.post(t, path(id, "/signals/run"), m{"force": false}).want(t, 409, "has_outputs")
	for n := int64(2); n <= 3; n++ {
		rec := d.post(t, path(id, "/signals/run"), m{"force": true, "block": true}).want(t, 200).json(t).wantEnd(t, "failed")
		if rec.num("run") != n || rec.str("stdout") != "run "+itoa(n)+"\n" || rec.obj("exit").num("code") != n-1 {
			t.Errorf("run %d: %v", n, rec)
		}
	}
	runs := d.get(t, path(id, "/runs")).want(t, 200).json(t).list("runs")
	if len(runs) != 3 {
		t.Fatalf("%d runs", len(runs))
	}
	for i, run := range runs {
		n := int64(3 - i)
		wantKeys(t, run, runKeys)
		if run.num("run") != n || run.obj("exit").num("code") != n-1 || run.num("stdoutBytes") != 6 {
			t.Errorf("run %d is %v", n, run)
		}
		one := d.get(t, path(id, "/runs/"+itoa(n))).want(t, 200).json(t)
		wantJSON(t, one, mustJSON(t, run))
		for stream, want := range map[string]string{"stdout": "run ", "stderr": "err "} {
			if got := d.get(t, path(id, "/runs/"+itoa(n)+"/"+stream)).want(t, 200).body; string(got) != want+itoa(n)+"\n" {
				t.Errorf("%s of run %d: %q", stream, n, got)
			}
		}
		d.get(t, path(id, "/runs/"+itoa(n)+"/output")).want(t, 200)
	}
	if content, _ := os.ReadFile(file); strings.TrimSpace(string(content)) != "3" {
		t.Errorf("it ran %s times", content)
	}
	d.get(t, path(id, "/runs/4")).want(t, 404, "not_found")
	d.get(t, path(id, "/runs/4/stdout")).want(t, 404, "not_found")
}

// An earlier run's output can be read while a new one runs, the new one's not.
func TestEarlierRunWhileRunning(t *testing.T) {
	t.Parallel()
	d := shared(t)
	g := newGate(t)
	id := d.sh(t, "echo x; "+g.wait()).id()
	g.open(t)
	d.await(t, id, "idle").wantEnd(t, "success")
	rec := d.post(t, path(id, "/signals/run"), m{"force": true}).want(t, 200).json(t)
	if rec.num("run") != 2 || rec.state() == "idle" || rec["exitState"] != nil || rec["outcome"] != nil || rec["completedAt"] != nil {
		t.Errorf("a new run shows the old one's end: %v", rec)
	}
	d.await(t, id, "running")
	if got := d.get(t, path(id, "/runs/1/stdout")).want(t, 200).body; string(got) != "x\n" {
		t.Errorf("run 1: %q", got)
	}
	d.get(t, path(id, "/runs/2/stdout")).want(t, 409, "not_idle")
	d.get(t, path(id, "/stdout")).want(t, 409, "not_idle")
	d.post(t, path(id, "/signals/run"), m{"force": true}).want(t, 409, "not_idle")
	g.open(t)
	d.await(t, id, "idle").wantEnd(t, "success")
}

// Each thing that counts as an output needs force; none needs none.
func TestHasOutputs(t *testing.T) {
	t.Parallel()
	d := shared(t)
	for _, state := range []string{"success", "failed", "timeout", "canceled"} {
		id := d.inState(t, state)
		d.post(t, path(id, "/signals/run"), m{}).want(t, 409, "has_outputs")
	}
	id := d.fake(t, `output {"first":true}`, block).id()
	rec := d.post(t, path(id, "/signals/run"), m{"force": true, "block": true}).want(t, 200).json(t).wantEnd(t, "success")
	wantJSON(t, rec["output"], `{"first":true}`)
}

// Of many at once one run is accepted.
func TestConcurrentRuns(t *testing.T) {
	t.Parallel()
	d := shared(t)
	id := d.fake(t, "hang", m{"autorun": false}).id()
	answers := make(chan int)
	for range 10 {
		go func() {
			a, err := d.try(request{method: "POST", path: path(id, "/signals/run"), body: m{"force": true}})
			if err != nil {
				a.status = -1
			}
			answers <- a.status
		}()
	}
	count := map[int]int{}
	for range 10 {
		count[<-answers]++
	}
	if count[200] != 1 || count[409] != 9 {
		t.Errorf("10 runs at once: %v", count)
	}
	if rec := d.kill(t, id, block); rec.num("run") != 1 {
		t.Errorf("run %d", rec.num("run"))
	}
}

// DELETE answers the record it removed, with everything that belonged to it.
func TestDelete(t *testing.T) {
	t.Parallel()
	d := start(t)
	id := d.sh(t, "echo some output", block).id()
	child := d.fake(t, "", m{"parent": id, "block": true}).id()
	if tree := d.get(t, path(id, "/tree")).want(t, 200).json(t); len(tree.list("children")) != 1 || tree.list("children")[0].id() != child || tree.id() != id {
		t.Errorf("tree %v", tree)
	}
	rec := d.delete(t, id).want(t, 200).json(t)
	wantKeys(t, rec, recordKeys)
	if rec.id() != id || rec.exitState() != "success" {
		t.Errorf("deleted %v", rec)
	}
	d.delete(t, id).want(t, 404, "not_found")
	for _, route := range []string{"", "/code", "/stdout", "/stdout?follow=1", "/events", "/runs", "/runs/1", "/tree"} {
		d.get(t, path(id, route)).want(t, 404, "not_found")
	}
	if rec := d.record(t, child); rec["parent"] != nil {
		t.Errorf("the parent of the child is %v", rec["parent"])
	}
	if got := d.ids(t, ""); len(got) != 1 || got[0] != child {
		t.Errorf("the list has %v", got)
	}
	for _, file := range filesIn(d.data) {
		if content, _ := os.ReadFile(file); strings.Contains(string(content), "some output\n") && strings.Contains(file, "stdout") {
			t.Errorf("%s is left", file)
		}
	}
	if next := d.fake(t, "").id(); next <= child {
		t.Errorf("id %d was given again", next)
	}
}
