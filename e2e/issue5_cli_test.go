//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/reeverun/reeve/env/agent/agenttest"
)

// rows are the objects of what a command printed with --json.
func (r ran) rows(t testing.TB) (all []m) {
	t.Helper()
	for row := range strings.SplitSeq(strings.TrimSuffix(r.stdout, "\n"), "\n") {
		var one m
		if err := json.Unmarshal([]byte(row), &one); err != nil {
			t.Errorf("%q is not an object: %v", row, err)
		}
		all = append(all, one)
	}
	return all
}

// tree, pause, resume and signal by command line, by id and by ref.
func TestIssue5ControlByCommandLine(t *testing.T) {
	t.Parallel()
	d := startReal(t, "--concurrency", "command=20")
	ref := "boss"
	root := d.ready(t, loop("trap 'echo int' INT"), m{"ref": ref, "label": "the boss"})
	child := d.ready(t, loop("trap 'exit 0' TERM"), m{"parent": root, "label": "the help"})
	got := d.reeve(t, "", "tree", ref)
	if got.code != 0 || !strings.Contains(got.stdout, "the boss") || strings.Index(got.stdout, "the help") < strings.Index(got.stdout, "the boss") {
		t.Errorf("tree: %+v", got)
	}
	rows := d.reeve(t, "", "tree", "--json", itoa(root)).rows(t)
	if len(rows) != 1 || rows[0].id() != root || len(rows[0].list("children")) != 1 {
		t.Errorf("tree --json: %v", rows)
	}
	if got := d.reeve(t, "", "pause", "--tree", ref); got.code != 0 {
		t.Errorf("pause: %+v", got)
	}
	for _, id := range []int64{root, child} {
		if d.record(t, id)["paused"] != true {
			t.Errorf("%d is not paused", id)
		}
	}
	if got := d.reeve(t, "", "tree", ref); !strings.Contains(got.stdout, "[P]") && !strings.Contains(got.stdout, "paused") && !strings.Contains(got.stdout, "⏸") {
		t.Errorf("tree does not show the pause: %q", got.stdout)
	}
	if got := d.reeve(t, "", "resume", "--tree", "--json", ref); got.code != 0 {
		t.Errorf("resume: %+v", got)
	} else {
		got.rows(t)
	}
	if d.record(t, child)["paused"] != false {
		t.Error("still paused")
	}
	for _, name := range []string{"INT", "int", "SIGINT"} {
		if got := d.reeve(t, "", "signal", name, ref); got.code != 0 {
			t.Errorf("signal %s: %+v", name, got)
		}
	}
	for _, name := range []string{"3", "1"} {
		if got := d.reeve(t, "", "signal", name, itoa(child)); got.code != 0 && got.code != 2 {
			t.Errorf("signal %s: %+v", name, got)
		}
	}
	if rec := d.record(t, child); rec.state() == "running" {
		d.reeve(t, "", "signal", "TERM", itoa(child))
	}
	d.await(t, child, "idle").wantEnd(t, "success")
	for args, code := range map[string]int{"tree 987654": 1, "tree a b": 2, "pause": 2, "pause 987654": 1, "resume": 2, "resume 987654": 1, "signal": 2, "signal TERM": 2, "signal HUP boss": 2,
		"signal TERM 987654": 1, "trace": 2, "trace 987654": 1, "trace a b": 2, "up": 2, "up a b": 2, "up nowhere.yaml": 1, "pause --nonsense 1": 2,
		fmt.Sprintf("pause %d", child): 1, fmt.Sprintf("resume %d", child): 1, fmt.Sprintf("signal TERM %d", child): 1, fmt.Sprintf("trace %d", child): 1,
		fmt.Sprintf("rerun --resume %d", child): 2, fmt.Sprintf("transcript %d", child): 1} {
		got := d.reeve(t, "", strings.Fields(args)...)
		if got.code != code || got.stderr == "" || strings.Contains(got.stderr, "panic") {
			t.Errorf("reeve %s: %+v, want %d and a sentence", args, got, code)
		}
	}
	if got := d.reeve(t, "", "pause", "987654", ref); got.code != 1 || d.record(t, root)["paused"] != true {
		t.Errorf("one bad id of two: %+v, paused %v", got, d.record(t, root)["paused"])
	}
	if got := d.reeve(t, "", "signal", "KILL", ref); got.code != 0 {
		t.Errorf("KILL: %+v", got)
	}
	d.await(t, root, "idle").wantEnd(t, "canceled")
}

// A trace has each call with its timing and ends with the run; any number look
// on, and nothing secret is in it.
func TestIssue5Trace(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	const secret = "tracing-secret-8812"
	id := d.create(t, m{"environment": "command", "command": m{"program": "sh", "args": []string{"-c", loop("trap 'echo bye; exit 0' TERM")}, "env": m{"S": secret}}}).id()
	wantLine(t, d.tap(t, path(id, "/stdout?follow=1")), "ready\n")
	streams := []*stream{d.follow(t, path(id, "/trace"), nil), d.follow(t, path(id, "/trace"), nil), d.follow(t, path(id, "/trace"), nil)}
	streams[2].close() // one goes away
	cmd := d.client("trace", "--json", itoa(id))
	out := &logBuffer{}
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the command to look on", func() bool {
		d.signal(t, id, "pause", nil)
		d.signal(t, id, "resume", nil)
		return strings.Contains(out.String(), "Resume")
	})
	d.signal(t, id, "term", nil)
	for _, s := range streams[:2] {
		var calls []string
		for _, c := range s.all() {
			calls = append(calls, c.str("call"))
			wantKeys(t, c, "at call args durationMs error dropped")
			if d, ok := c["durationMs"].(float64); !ok || d < 0 {
				t.Errorf("durationMs %v", c["durationMs"])
			}
			if strings.Contains(mustJSON(t, c), secret) {
				t.Errorf("a secret: %v", c)
			}
		}
		wantInOrder(t, calls, "Pause", "Resume", "Signal", "Exited", "Reap")
		if calls[len(calls)-1] != "Reap" {
			t.Errorf("it ends with %v", calls[len(calls)-1])
		}
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("reeve trace: %d", code)
	}
	rows := ran{stdout: out.String()}.rows(t)
	if last := rows[len(rows)-1]; last.str("call") != "Reap" {
		t.Errorf("reeve trace ends with %v", last)
	}
}

// A trace of an agent shows its calls and not what is said.
func TestIssue5TraceOfAnAgent(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		d := withModel(t, newBase(t), provider, s)
		let := make(chan struct{})
		s.Answer(func(r agenttest.Request) agenttest.Turn {
			if strings.Contains(string(r.Body), "call_1") {
				return agenttest.Say("whispered-result")
			}
			return agenttest.Turn{Wait: let, Calls: []agenttest.Call{call("reeve_output", `{"output":{"k":"whispered-value"}}`)}, Usage: agenttest.Usage{Input: 3, Output: 1}}
		})
		id := d.agent(t, "whispered-intent").id()
		s.Await(1)
		trace := d.follow(t, path(id, "/trace"), nil)
		close(let)
		seen := trace.all()
		var calls []string
		for _, c := range seen {
			calls = append(calls, c.str("call"))
		}
		for _, want := range []string{"Spend", "Remember", "Output", "Emit", "Reap"} {
			if !slices.Contains(calls, want) {
				t.Errorf("no %s in %v", want, calls)
			}
		}
		if text := mustJSON(t, seen); strings.Contains(text, "whispered") || strings.Contains(text, agentKey) {
			t.Errorf("the trace tells what was said: %s", text)
		}
	})
}

// A tree from YAML, from its start to Ctrl-C; mistakes have a line.
func TestIssue5Up(t *testing.T) {
	t.Parallel()
	d := startReal(t, "--concurrency", "command=20")
	file := writeFile(t, d.base, "app.yaml", lines("name: app", "strategy: rest_for_one", "maxRestarts: 5", "window: 1m", "backoff: {initial: 1ms, max: 2ms}", "children:",
		"  - name: first", "    environment: command", "    code: echo \"first $WHO\"; exec sleep 1000", "    env: {WHO: hidden-value}",
		"  - name: second", "    environment: command", "    code: echo second up; exec sleep 1000",
		"  - name: third", "    restart: temporary", "    environment: command", "    code: echo third; exec sleep 1000"))
	cmd := d.client("up", file)
	out := &logBuffer{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "all three", func() bool {
		return strings.Contains(out.String(), "third") && strings.Contains(out.String(), "second up")
	})
	sup := d.get(t, "/supervisors").want(t, 200).json(t).list("supervisors")[0]
	pid := d.startedPID(t, sup.child("second").num("process"))
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the restart", func() bool { return strings.Count(out.String(), "second up") == 2 })
	now := d.get(t, supervisorPath(sup.id())).want(t, 200).json(t)
	if now.child("first").num("run") != 1 || now.child("second").num("run") != 2 || now.child("third").num("run") != 1 || now.child("third").state() != "idle" {
		t.Errorf("rest_for_one: %v", now["children"])
	}
	_ = cmd.Process.Signal(syscall.SIGINT)
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("after Ctrl-C: %d\n%s", code, out)
	}
	exit := d.record(t, sup.id()).wantEnd(t, "canceled").obj("exit")
	if exit.str("reason") != "supervisor cancelled" || len(d.ids(t, "state=running")) != 0 {
		t.Errorf("%v, running %v", exit, d.ids(t, "state=running"))
	}
	once := writeFile(t, d.base, "once.yaml", "children: [{name: a, restart: transient, environment: command, code: echo hi}]")
	if got := d.reeve(t, "", "up", once); got.code != 0 || !strings.Contains(got.stdout, "hi") {
		t.Errorf("up of what ends: %+v", got)
	}
	bad := writeFile(t, d.base, "fails.yaml", "maxRestarts: 1\nbackoff: {initial: 1ms}\nchildren: [{name: a, environment: command, code: exit 3}]")
	if got := d.reeve(t, "", "up", bad); got.code != 1 {
		t.Errorf("up of what fails: %+v", got)
	}
	for name, text := range map[string]string{":2:": "name: x\nstrategy: often\nchildren: [{name: a, code: ''}]", ":3:": "children:\n  - name: a\n    kode: x\n", "children": "name: x\n", "": "children: [", "name": "children: [{name: a, code: ''}, {name: a, code: ''}]"} {
		if got := d.reeve(t, text, "up", "-"); got.code == 0 || !strings.Contains(got.stderr, name) || got.stderr == "" {
			t.Errorf("%q: %+v, want %q", text, got, name)
		}
	}
	got := d.reeve(t, "children: [{name: a, command: {program: sleep, args: ['1000']}}]", "up", "--detach", "-")
	if got.code != 0 || strings.Trim(got.stdout, "0123456789") != "\n" {
		t.Errorf("--detach: %+v", got)
	}
	js := d.reeve(t, "children: [{name: a, restart: temporary, environment: command, code: echo hi}]", "up", "--json", "-")
	if js.rows(t); js.code != 0 {
		t.Errorf("--json: %+v", js)
	}
	if text := mustJSON(t, d.events(t, sup.id())) + out.String(); strings.Count(text, "hidden-value") != strings.Count(out.String(), "first hidden-value") {
		t.Errorf("an env value is shown: %s", text)
	}
}

// A supervisor restarts all, in order, under a storm of kills; what is left is
// what it says.
func TestIssue5SupervisorOneForAll(t *testing.T) {
	t.Parallel()
	d := startReal(t, "--concurrency", "command=20")
	s := d.post(t, "/supervisors", m{"strategy": "one_for_all", "maxRestarts": 100, "window": "1m", "backoff": m{"initial": 1, "max": 2},
		"children": []m{sleeper("a"), sleeper("b"), sleeper("c")}}).want(t, 201).json(t)
	b := s.child("b").num("process")
	for round := int64(1); round <= 5; round++ {
		waitFor(t, "all to run", func() bool {
			now := d.get(t, supervisorPath(s.id())).json(t)
			for _, c := range now.list("children") {
				if c.state() != "running" || c.num("run") != round {
					return false
				}
			}
			return true
		})
		if round == 5 {
			break
		}
		d.kill(t, b, m{"now": true, "block": true})
	}
	var restarts []int64
	for _, ev := range d.told(t, s.id(), "child_spawned") {
		if ev.num("restart") > 0 {
			restarts = append(restarts, ev.num("child"))
			if ev.num("because") != b {
				t.Errorf("because of %v, want %d", ev["because"], b)
			}
		}
	}
	one := []int64{s.child("a").num("process"), b, s.child("c").num("process")}
	if !slices.Equal(restarts, slices.Repeat(one, 4)) {
		t.Errorf("restarted %v", restarts)
	}
	d.signal(t, s.id(), "pause", m{"tree": true})
	if now := d.get(t, path(s.id(), "/tree")).json(t); now["paused"] != true || now.list("children")[0]["paused"] != true {
		t.Error("the tree is not paused")
	}
	rec := d.kill(t, s.id(), block).wantEnd(t, "canceled")
	if exit := rec.obj("exit"); exit.num("code") != 1 || exit.str("reason") != "context cancelled while paused" {
		t.Errorf("killed while paused: %v", exit)
	}
	if left := d.ids(t, "state=running"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A daemon killed under a supervisor: all go on under the next one, as one tree.
func TestIssue5SupervisorCrash(t *testing.T) {
	t.Parallel()
	base := newBase(t)
	d := startRealIn(t, base, nil)
	sleep := endless()
	s := d.post(t, "/supervisors", m{"children": []m{{"name": "a", "environment": "command", "code": "exec " + sleep}, sleeper("b")}}).want(t, 201).json(t)
	d.await(t, s.child("a").num("process"), "running")
	d.await(t, s.child("b").num("process"), "running")
	d.crash()
	d = startRealIn(t, base, nil)
	for _, id := range []int64{s.id(), s.child("a").num("process"), s.child("b").num("process")} {
		if rec := d.record(t, id); rec.state() != "running" || rec.num("run") != 1 {
			t.Errorf("%d is %s in run %d", id, rec.state(), rec.num("run"))
		}
	}
	d.kill(t, s.id(), block).wantEnd(t, "canceled")
	wantGone(t, argument(sleep))
	d.post(t, path(s.id(), "/signals/run"), m{"force": true}).want(t, 200)
	waitFor(t, "the same children", func() bool { return d.record(t, s.child("a").num("process")).num("run") == 2 })
	d.kill(t, s.id(), block).wantEnd(t, "canceled")
}

// The description has the new routes, with what they answer.
func TestIssue5OpenAPI(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	s, err := description(d)
	if err != nil {
		t.Fatal(err)
	}
	for route := range strings.FieldsSeq("get:/processes/1/trace get:/processes/1/transcript post:/supervisors get:/supervisors get:/supervisors/1 delete:/supervisors/1") {
		method, path, _ := strings.Cut(route, ":")
		if !slices.ContainsFunc(slices.Collect(maps.Keys(s.Paths)), func(template string) bool { return fits(template, path) && s.Paths[template][method] != nil }) {
			t.Errorf("openapi.json lacks %s", route)
		}
	}
	text := string(d.get(t, "/openapi.json").body)
	for _, word := range []string{"budget", "heartbeat", "onExceeded", "maxSteps", "cpuMs", "wallMs", "provider", "resume", "stalled", "recovered", "step_finished", "reattached"} {
		if !strings.Contains(text, word) {
			t.Errorf("openapi.json does not mention %s", word)
		}
	}
}
