//go:build linux

package e2e

import (
	"strings"
	"testing"

	"github.com/reeverun/reeve/env/agent/agenttest"
)

func budget(fields m) m { return m{"options": m{"budget": fields, "grace": 100, "timeout": nil}} }

// wantBroke checks that a process ended for a budget.
func (r m) wantBroke(t testing.TB, word string) {
	t.Helper()
	r.wantEnd(t, "failed")
	if exit := r.obj("exit"); exit.num("code") != 2 || exit.str("reason") != "budget_exceeded" {
		t.Errorf("process %d: exit %v", r.id(), exit)
	}
	if !strings.Contains(strings.ToLower(r.str("error")), word) {
		t.Errorf("process %d: error %q does not name %s", r.id(), r.str("error"), word)
	}
}

// Time is up for commands and programs, and for all below them.
func TestIssue5BudgetOfTime(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	d.sh(t, "exec "+endless(), block, budget(m{"wallMs": 150})).wantBroke(t, "wall")
	d.ts(t, "setInterval(() => {}, 1e6)", block, budget(m{"wallMs": 150})).wantBroke(t, "wall")
	d.sh(t, "while :; do :; done", block, budget(m{"cpuMs": 200})).wantBroke(t, "cpu")
	d.ts(t, "for (;;);", block, budget(m{"cpuMs": 200})).wantBroke(t, "cpu")

	sleep := endless()
	root := d.ready(t, "echo ready; exec "+endless(), budget(m{"wallMs": 1500}))
	child := d.ready(t, "echo ready; "+sleep+" & wait", m{"parent": root})
	grandchild := d.sh(t, "exec "+endless(), m{"parent": child}).id()
	d.await(t, root, "idle").wantBroke(t, "wall")
	d.await(t, child, "idle").wantBroke(t, "wall")
	d.await(t, grandchild, "idle").wantBroke(t, "wall")
	wantGone(t, argument(sleep))
}

// The clock of a budget stands while its process is paused.
func TestIssue5BudgetWhilePaused(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	id := d.ready(t, "echo ready; exec "+endless(), budget(m{"wallMs": 1000}))
	d.signal(t, id, "pause", nil)
	waitFor(t, "a long pause", func() bool { return d.record(t, id).obj("usage").num("pausedMs") > 1500 })
	if rec := d.record(t, id); rec.state() != "running" {
		t.Errorf("a paused process is %s: %v", rec.state(), rec["error"])
	}
	d.signal(t, id, "resume", nil)
	d.await(t, id, "idle").wantBroke(t, "wall")
}

// CPU time below counts above.
func TestIssue5BudgetOfASubtree(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	root := d.ready(t, "echo ready; exec "+endless(), budget(m{"cpuMs": 300}))
	busy := d.sh(t, "while :; do :; done", m{"parent": root}).id()
	d.await(t, busy, "idle").wantBroke(t, "cpu")
	d.await(t, root, "idle").wantBroke(t, "cpu")
}

// How many and how deep: one more is refused and nobody is stopped.
func TestIssue5BudgetOfChildren(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	root := d.ready(t, loop(""), budget(m{"children": 2, "depth": 1}))
	child := d.ready(t, loop(""), m{"parent": root})
	d.post(t, "/processes", m{"environment": "command", "code": "true", "parent": child}).want(t, 409, "budget_exceeded").naming(t, "depth")
	d.sh(t, "true", m{"parent": root})
	d.post(t, "/processes", m{"environment": "command", "code": "true", "parent": root}).want(t, 409, "budget_exceeded").naming(t, "children")
	for _, id := range []int64{root, child} {
		if rec := d.record(t, id); rec.state() != "running" {
			t.Errorf("process %d is %s", id, rec.state())
		}
	}
	if got := d.reeve(t, "", "run", "--parent", itoa(root), "--", "true"); got.code != 1 || !strings.Contains(got.stderr, "budget") {
		t.Errorf("reeve run --parent: %+v", got)
	}
	rec := d.ts(t, lines("const all = await Promise.allSettled(Array.from({ length: 5 }, () => reeve.spawn({ code: '' })));",
		"console.log(all.filter((a) => a.status === 'fulfilled').length); for (const a of all) if (a.status === 'rejected') console.log(a.reason instanceof Error)"),
		block, budget(m{"children": 3})).wantEnd(t, "success")
	if rec.str("stdout") != "3\ntrue\ntrue\n" {
		t.Errorf("of five children with a budget of three: %q", rec.str("stdout"))
	}
}

// Budgets only narrow.
func TestIssue5BudgetNarrows(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	root := d.ready(t, loop(""), budget(m{"children": 5, "depth": 2, "tokens": 1000, "wallMs": 600000}))
	child := d.sh(t, loop(""), m{"parent": root}, budget(m{"children": 50, "depth": 9, "tokens": 100000, "wallMs": 9000000}))
	got := child.obj("options").obj("budget")
	if got.num("tokens") != 1000 || got.num("children") > 4 || got.num("children") == 0 || got.num("depth") != 1 || got.num("wallMs") > 600000 || got.num("wallMs") == 0 {
		t.Errorf("the child's budget is %v", got)
	}
	small := d.sh(t, loop(""), m{"parent": root}, budget(m{"tokens": 10})).obj("options").obj("budget")
	if small.num("tokens") != 10 {
		t.Errorf("a smaller budget became %v", small)
	}
	d.kill(t, root, m{"now": true, "block": true})
}

// What a budget cannot be.
func TestIssue5BudgetRefused(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	for _, bad := range []m{{"tokens": -1}, {"wallMs": "1s"}, {"cpuMs": 1.5}, {"steps": 3}, {"onExceeded": "shrug"}, {"depth": true}, {"children": 1e30}} {
		for name := range bad {
			d.post(t, "/processes", with(m{"environment": "command", "code": "true"}, budget(bad))).want(t, 400, "invalid_request").naming(t, name)
		}
	}
	d.post(t, "/processes", m{"environment": "command", "code": "true", "options": m{"budget": 7}}).want(t, 400, "invalid_request").naming(t, "budget")
	for _, bad := range []string{"tokens", "tokens=x", "wall=5", "what=3", "", "tokens=-3"} {
		if got := d.reeve(t, "", "run", "--budget", bad, "--", "true"); got.code != 2 {
			t.Errorf("--budget %q: %+v", bad, got)
		}
	}
	d.sh(t, "true", block, budget(m{"tokens": 0, "wallMs": 0, "cpuMs": 0, "children": 0, "depth": 0})).wantEnd(t, "success")
	if got := d.reeve(t, "", "run", "--budget", "wall=150ms", "--grace", "100ms", "--", "sleep", "1000"); got.code != 2 {
		t.Errorf("reeve run --budget: %+v", got)
	}
}

// With ask a person decides: more, or the end; the tree stands still meanwhile.
func TestIssue5BudgetAsks(t *testing.T) {
	t.Parallel()
	d := startReal(t)
	p := d.withPeople(t)
	root := d.ready(t, loop(""), budget(m{"wallMs": 1000, "onExceeded": "ask"}))
	child := d.ready(t, loop(""), m{"parent": root})
	asked := d.pending(t, root)
	if asked.str("service") != "reeve" || asked.str("tool") != "budget" || asked.num("call") != 0 {
		t.Errorf("%v", asked)
	}
	for _, id := range []int64{root, child} {
		waitFor(t, "the pause", func() bool { return d.record(t, id)["paused"] == true })
		a := d.post(t, path(id, "/signals/resume"), nil)
		if rec := d.record(t, id); rec["paused"] != true {
			t.Errorf("it could be resumed: %v", a)
		}
	}
	d.post(t, "/processes", m{"environment": "command", "code": "true", "parent": root}).want(t, 409)
	d.decide(t, p.run, asked.id(), "approve", nil).want(t, 403, "forbidden")
	d.decide(t, p.approve, asked.id(), "approve", nil).want(t, 200)
	for _, id := range []int64{root, child} {
		waitFor(t, "them to go on", func() bool { rec := d.record(t, id); return rec["paused"] == false || rec.state() == "idle" })
	}
	again := d.pending(t, root)
	if again.id() == asked.id() {
		t.Errorf("the same approval again: %v", again)
	}
	d.decide(t, p.approve, again.id(), "deny", m{"reason": "enough"}).want(t, 200)
	d.await(t, root, "idle").wantBroke(t, "wall")
	d.await(t, child, "idle").wantBroke(t, "wall")
	killed := d.ready(t, loop(""), budget(m{"wallMs": 300, "onExceeded": "ask"}))
	open := d.pending(t, killed)
	d.kill(t, killed, block)
	waitFor(t, "the approval to be canceled", func() bool { return d.approval(t, open.id()).str("state") == "canceled" })
}

// Tokens of agents, and of agents below agents.
func TestIssue5BudgetOfTokens(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		d := withModel(t, newBase(t), provider, s)
		s.Script(agenttest.Ask(agenttest.Call{Name: "reeve_output", Args: `{"output":{}}`}))
		rec := d.agent(t, "never stop", block, budget(m{"tokens": 40}))
		rec.wantBroke(t, "token")
		if n := rec.obj("usage").num("tokens"); n < 40 || n > 60 {
			t.Errorf("it used %d tokens", n)
		}
		if got := d.reeve(t, "", "agent", "--budget", "tokens=40", "never stop"); got.code != 2 {
			t.Errorf("reeve agent --budget: %+v", got)
		}
		root := d.ready(t, loop(""), budget(m{"tokens": 100}))
		first := d.agent(t, "one", m{"parent": root}).id()
		second := d.agent(t, "two", m{"parent": root}).id()
		for _, id := range []int64{first, second, root} {
			d.await(t, id, "idle").wantBroke(t, "token")
		}
	})
}
