//go:build linux

package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

func supervisorPath(id int64) string { return fmt.Sprintf("/supervisors/%d", id) }

// sleeper is a child that runs until it is ended.
func sleeper(name string, more ...m) m {
	c := m{"name": name, "command": m{"program": "sleep", "args": []string{"1000"}}}
	for _, o := range more {
		for k, v := range o {
			c[k] = v
		}
	}
	return c
}

// child returns a child of a supervisor's record.
func (r m) child(name string) m {
	for _, c := range r.list("children") {
		if c.str("name") == name {
			return c
		}
	}
	return m{}
}

// A tree over HTTP, from its start to its end and its deletion.
func TestSupervisorOverHTTP(t *testing.T) {
	t.Parallel()
	d := shared(t)
	a := d.post(t, "/supervisors", m{"name": "shop", "strategy": "rest_for_one", "window": "7s", "tags": []string{"trees"},
		"children": []m{sleeper("db", m{"env": m{"TOKEN": "hush-hush"}}), sleeper("web", m{"restart": "transient"}),
			{"name": "pool", "supervisor": m{"children": []m{sleeper("mail")}}}}}).want(t, 201)
	s := a.json(t)
	id := s.id()
	if a.header.Get("Location") != supervisorPath(id) || s.str("name") != "shop" || s.str("strategy") != "rest_for_one" ||
		s.num("maxRestarts") != 3 || s.num("windowMs") != 7000 || s.obj("process").id() != id || s.obj("process").str("environment") != "supervisor" {
		t.Errorf("%s: %s", a.header.Get("Location"), a.body)
	}
	for _, name := range []string{"db", "web", "pool"} {
		c := s.child(name)
		if rec := d.await(t, c.num("process"), "running"); rec.num("parent") != id || rec.str("label") != name || c.num("run") != 1 || c.num("restarts") != 0 {
			t.Errorf("%s: %v, %v", name, c, rec)
		}
	}
	if text := string(a.body) + string(d.get(t, path(id, "/code")).want(t, 200).body); strings.Contains(text, "hush") {
		t.Errorf("a secret is shown: %s", text)
	}
	found := false
	for _, other := range d.get(t, "/supervisors?limit=1000").want(t, 200).json(t).list("supervisors") {
		found = found || other.id() == id && len(other.list("children")) == 3
	}
	if tree := d.get(t, path(id, "/tree")).want(t, 200).json(t); !found || len(tree.list("children")) != 3 {
		t.Errorf("listed %v, %d below it", found, len(tree.list("children")))
	}
	ended := d.do(t, request{method: "DELETE", path: supervisorPath(id)}).want(t, 200).json(t)
	ended.obj("process").wantEnd(t, "canceled")
	if exit := ended.obj("process").obj("exit"); exit.num("code") != 130 || exit.str("reason") != "supervisor cancelled" {
		t.Errorf("%v", exit)
	}
	for _, c := range ended.list("children") {
		if c.state() != "idle" || c.exitState() != "canceled" {
			t.Errorf("left: %v", c)
		}
	}
	d.do(t, request{method: "DELETE", path: supervisorPath(id)}).want(t, 200)
	d.get(t, supervisorPath(id)).want(t, 404)
	for _, name := range []string{"db", "web", "pool"} {
		d.get(t, path(s.child(name).num("process"), "")).want(t, 404)
	}
}

// A child that somebody kills with SIGKILL is back within five seconds: a new run
// of the same process, which the events tell. Its sibling is not touched.
func TestSupervisedChildKilledFromOutside(t *testing.T) {
	t.Parallel()
	d := shared(t)
	s := d.post(t, "/supervisors", m{"children": []m{sleeper("a"), sleeper("b")}}).want(t, 201).json(t)
	a, b := s.child("a").num("process"), s.child("b").num("process")
	d.await(t, a, "running")
	if err := syscall.Kill(d.startedPID(t, a), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	waitFor(t, "the restart", func() bool { r := d.record(t, a); return r.num("run") == 2 && r.state() == "running" })
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if rec := d.record(t, b); rec.num("run") != 1 || rec.state() != "running" {
		t.Errorf("the other one: %v", rec)
	}
	now := d.get(t, supervisorPath(s.id())).want(t, 200).json(t)
	if c := now.child("a"); c.num("restarts") != 1 || c.num("run") != 2 {
		t.Errorf("%v", c)
	}
	var last m
	for _, ev := range d.events(t, s.id()) {
		if ev.str("kind") == "child_spawned" {
			last = ev
		}
	}
	if last.num("child") != a || last.num("childRun") != 2 || last.num("restart") != 1 || last.num("because") != a || last.num("run") != 1 {
		t.Errorf("%v", last)
	}
	d.kill(t, s.id(), block).wantEnd(t, "canceled")
}

// The limit is meant literally.
func TestSupervisorLimit(t *testing.T) {
	t.Parallel()
	d := shared(t)
	s := d.post(t, "/supervisors", m{"maxRestarts": 3, "window": "1m", "backoff": m{"initial": 1, "max": 1},
		"children": []m{sleeper("other"), {"name": "bad", "environment": "command", "code": "exit 3"}}}).want(t, 201).json(t)
	rec := d.await(t, s.id(), "idle").wantEnd(t, "failed")
	if exit := rec.obj("exit"); exit.num("code") != 1 || exit.str("reason") != "max_restarts_exceeded" {
		t.Errorf("%v", exit)
	}
	if bad, other := d.record(t, s.child("bad").num("process")), d.record(t, s.child("other").num("process")); bad.num("run") != 4 || other.num("run") != 1 || other.exitState() != "canceled" {
		t.Errorf("run %v; the other one: run %v, %v", bad["run"], other["run"], other["exitState"])
	}
}

// A tree as the code of a process, and mistakes by their paths.
func TestSupervisorAsCode(t *testing.T) {
	t.Parallel()
	d := shared(t)
	rec := d.create(t, m{"environment": "supervisor", "block": true,
		"code": `{"children":[{"name":"a","restart":"transient","environment":"command","code":"echo hi"}]}`})
	if rec.wantEnd(t, "success"); rec.obj("exit").str("reason") != "all children completed" || rec.str("label") != "supervisor" {
		t.Errorf("%v, %v", rec["exit"], rec["label"])
	}
	for body, field := range map[string]string{
		`{"children":[{"name":"a","code":"","restart":"often"}]}`:      "children[0].restart",
		`{"children":[{"name":"a","code":""},{"name":"b","kode":""}]}`: "children[1].kode",
		`{"children":[{"name":"a","code":""}],"strategy":"some"}`:      "strategy",
		`{"children":[{"name":"a","code":""}],"window":"long"}`:        "window",
		`{"children":[]}`: "children",
		`{"children":[{"name":"a","supervisor":{"children":[{"name":"b"}]}}]}`: "children[0].supervisor.children[0].code",
		`{"children":[{"name":"a","code":"","parent":1}]}`:                     "children[0].parent",
		`[`: "body",
		``:  "body",
	} {
		d.post(t, "/supervisors", body).want(t, 400, "invalid_request").naming(t, field)
		if body != "" {
			d.post(t, "/processes", m{"environment": "supervisor", "code": body}).want(t, 400, "invalid_request").naming(t, field)
		}
	}
	d.post(t, "/supervisors", m{"children": []m{{"name": "a", "environment": "nowhere", "code": ""}}}).want(t, 503, "environment_unavailable")
	d.post(t, "/supervisors", m{"children": []m{{"name": "a", "environment": "function", "code": "f"}}}).want(t, 503, "environment_unavailable")
	d.get(t, supervisorPath(d.ended(t, "success"))).want(t, 404, "not_found")
	d.get(t, "/supervisors/0").want(t, 400)
	d.get(t, "/supervisors/").want(t, 400)
	d.get(t, supervisorPath(987654321)).want(t, 404)
}

// The same key makes the same tree, once.
func TestSupervisorOnce(t *testing.T) {
	t.Parallel()
	d := shared(t)
	r := request{method: "POST", path: "/supervisors", body: m{"children": []m{sleeper("a")}}, header: m{"Idempotency-Key": "tree-once"}}
	first := d.do(t, r).want(t, 201).json(t)
	if again := d.do(t, r).want(t, 200).json(t); again.id() != first.id() {
		t.Errorf("%d and %d", first.id(), again.id())
	}
	d.kill(t, first.id(), m{"block": true, "now": true}).wantEnd(t, "canceled")
}

// A daemon that stops ends trees in order, and leaves nothing running.
func TestSupervisorOfADaemonThatStops(t *testing.T) {
	t.Parallel()
	d := start(t)
	s := d.post(t, "/supervisors", m{"children": []m{sleeper("a"), sleeper("b")}}).want(t, 201).json(t)
	d.await(t, s.child("b").num("process"), "running")
	pid := d.startedPID(t, s.child("b").num("process"))
	if problems := d.end(); len(problems) > 0 {
		t.Errorf("%v", problems)
	}
	if syscall.Kill(pid, 0) == nil {
		t.Errorf("%d is alive", pid)
	}
}
