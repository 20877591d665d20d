//go:build linux

package e2e

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reeverun/reeve/env/agent/agenttest"
)

// endless work: a step with a call, for ever.
func work(agenttest.Request) agenttest.Turn {
	return agenttest.Ask(call("reeve_output", `{"output":{}}`))
}

// What an agent has used is not forgotten with its daemon: the budget goes on.
func TestIssue5BudgetOverARestart(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		base := newBase(t)
		d := withModel(t, base, provider, s)
		s.Script(agenttest.Ask(call("reeve_output", `{"output":{}}`)), agenttest.Ask(call("reeve_output", `{"output":{}}`)), agenttest.Hang())
		id := d.agent(t, "work", budget(m{"tokens": 40})).id()
		s.Await(3)
		d.signal(t, id, "pause", m{"now": true})
		d.crash()
		d = withModel(t, base, provider, s)
		s.Answer(work)
		d.signal(t, id, "resume", nil)
		rec := d.await(t, id, "idle")
		rec.wantBroke(t, "token")
		if n := rec.obj("usage").num("tokens"); n != 45 {
			t.Errorf("it used %d tokens, want 45", n)
		}
	})
}

// A budget that asks, and whose daemon dies before the answer: the agent is still
// paused, cannot be resumed past it, and a person can still decide.
func TestIssue5AskedBudgetOverARestart(t *testing.T) {
	t.Parallel()
	s := agenttest.New(t)
	base := newBase(t)
	d := withModel(t, base, "openai", s)
	s.Answer(work)
	id := d.agent(t, "work", budget(m{"tokens": 40, "onExceeded": "ask"})).id()
	d.pending(t, id)
	waitFor(t, "the pause", func() bool { return d.record(t, id)["paused"] == true })
	used := d.record(t, id).obj("usage").num("tokens")
	d.crash()
	d = withModel(t, base, "openai", s)
	rec := d.record(t, id)
	if rec.state() != "running" || rec["paused"] != true {
		t.Fatalf("after the crash: %s/%s paused %v, %v", rec.state(), rec.exitState(), rec["paused"], rec["error"])
	}
	p := d.withPeople(t)
	a := d.post(t, path(id, "/signals/resume"), nil)
	if open := d.approvals(t, fmt.Sprintf("state=pending&process=%d", id)); len(open) == 0 && a.status == 200 {
		// Nothing was pending; then it has to ask anew, or end, and not to go on for nothing.
		waitFor(t, "a question or the end", func() bool {
			return d.record(t, id).state() == "idle" || len(d.approvals(t, fmt.Sprintf("state=pending&process=%d", id))) > 0 || d.record(t, id).obj("usage").num("tokens") > used+100
		})
	}
	if n := d.record(t, id).obj("usage").num("tokens"); n > used+40 {
		t.Fatalf("it went on past its budget: %d tokens, asked at %d", n, used)
	}
	if d.record(t, id).state() == "idle" {
		d.record(t, id).wantBroke(t, "token")
		return
	}
	d.decide(t, p.approve, d.pending(t, id).id(), "deny", nil).want(t, 200)
	d.await(t, id, "idle").wantBroke(t, "token")
}

// The timeout of an agent counts on where it stood.
func TestIssue5TimeoutOverARestart(t *testing.T) {
	t.Parallel()
	s := agenttest.New(t)
	base := newBase(t)
	d := withModel(t, base, "openai", s)
	s.Script(agenttest.Hang())
	id := d.agent(t, "work", m{"options": m{"timeout": 1500, "grace": 100}}).id()
	s.Await(1)
	waitFor(t, "some of its time", func() bool { return d.record(t, id).obj("usage").num("wallMs") > 500 })
	d.signal(t, id, "pause", m{"now": true})
	d.crash()
	d = withModel(t, base, "openai", s)
	d.signal(t, id, "resume", nil)
	rec := d.await(t, id, "idle").wantEnd(t, "timeout")
	if wall := rec.obj("usage").num("wallMs"); wall > 2600 {
		t.Errorf("it took %d ms of 1500", wall)
	}
	if exit := rec.obj("exit"); exit.num("code") != 124 {
		t.Errorf("exit %v", exit)
	}
}

// A paused agent whose next daemon has no model is not lost.
func TestIssue5PausedAgentWithoutAModel(t *testing.T) {
	t.Parallel()
	s := agenttest.New(t)
	base := newBase(t)
	d := withModel(t, base, "openai", s)
	s.Script(agenttest.Hang())
	id := d.agent(t, "work").id()
	s.Await(1)
	d.signal(t, id, "pause", m{"now": true})
	d.crash()
	d = startRealIn(t, base, nil)
	rec := d.record(t, id)
	t.Logf("without a model: %s/%s paused %v error %v", rec.state(), rec.exitState(), rec["paused"], rec["error"])
	if rec.state() == "idle" && rec.str("error") == "" {
		t.Error("it ended without a word")
	}
	d.crash()
	d = withModel(t, base, "openai", s)
	s.Answer(func(agenttest.Request) agenttest.Turn { return agenttest.Say("done") })
	if d.record(t, id)["paused"] == true {
		d.signal(t, id, "resume", nil)
	} else {
		d.post(t, path(id, "/signals/run"), m{"resume": true}).want(t, 200)
	}
	d.await(t, id, "idle").wantEnd(t, "success")
}

// Every end can be gone on from, once at a time.
func TestIssue5ResumeAfterEveryEnd(t *testing.T) {
	t.Parallel()
	s := agenttest.New(t)
	d := withModel(t, newBase(t), "openai", s)
	s.Answer(work)
	out := d.agent(t, "work", block, m{"options": m{"maxSteps": 3}}).wantEnd(t, "failed")
	if out.str("error") != "max steps exceeded" || out.obj("exit").str("reason") != "max steps exceeded" || out.obj("exit").num("code") != 1 {
		t.Errorf("%v %v", out["error"], out["exit"])
	}
	before := len(d.messages(t, out.id()))
	var count atomic.Int64
	s.Answer(func(agenttest.Request) agenttest.Turn { count.Add(1); return agenttest.Say("done") })
	var wg sync.WaitGroup
	statuses := make(chan int, 4)
	for range 4 {
		wg.Go(func() {
			a, _ := d.try(request{method: "POST", path: path(out.id(), "/signals/run"), body: m{"resume": true}})
			statuses <- a.status
		})
	}
	wg.Wait()
	close(statuses)
	for st := range statuses {
		if st != 200 && st != 409 {
			t.Errorf("status %d", st)
		}
	}
	d.await(t, out.id(), "idle").wantEnd(t, "success")
	if after := d.messages(t, out.id()); len(after) <= before {
		t.Errorf("%d messages, then %d", before, len(after))
	}
	again := d.post(t, path(out.id(), "/signals/run"), m{"resume": true, "block": true})
	if again.status != 200 && again.status != 409 && again.status != 400 {
		t.Errorf("resume of what succeeded: %v", again)
	}
	t.Logf("resume of what succeeded: %.200v", again)
	d.post(t, path(out.id(), "/signals/run"), m{}).want(t, 409, "has_outputs")
	never := d.agent(t, "x", m{"autorun": false}).id()
	first := d.post(t, path(never, "/signals/run"), m{"resume": true, "block": true})
	if first.status != 200 && first.status != 400 && first.status != 409 {
		t.Errorf("resume of what never ran: %v", first)
	}
	t.Logf("resume of what never ran: %.200v", first)
}

// A tool that hangs: a kill, a timeout and a pause get past it.
func TestIssue5AgentHangingTool(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		d := withModel(t, newBase(t), provider, s)
		s.Answer(func(r agenttest.Request) agenttest.Turn {
			if body := string(r.Body); strings.Contains(body, "spawned:") || strings.Contains(body, `"call_1"`) {
				for id := int64(60); id > 0; id-- {
					if strings.Contains(body, fmt.Sprintf(`{\"id\":%d}`, id)) {
						return agenttest.Ask(agenttest.Call{ID: "w", Name: "reeve_wait", Args: fmt.Sprintf(`{"id":%d}`, id)})
					}
				}
			}
			return agenttest.Ask(call("reeve_spawn", `{"environment":"typescript","code":"setInterval(() => {}, 1e6)","options":{"timeout":null}}`))
		})
		waits := func(more m) int64 {
			asked := len(s.Requests())
			id := d.agent(t, "hang", m{"options": more}).id()
			s.Await(asked + 2)
			waitFor(t, "the wait", func() bool { return len(d.get(t, path(id, "/tree")).json(t).list("children")) == 1 })
			return id
		}
		killed := waits(m{"grace": 200})
		start := time.Now()
		d.kill(t, killed, block).wantEnd(t, "canceled")
		if took := time.Since(start); took > 15*time.Second {
			t.Errorf("the kill took %v", took)
		}
		child := d.get(t, path(killed, "/tree")).json(t).list("children")[0]
		d.await(t, child.id(), "idle").wantEnd(t, "canceled")
		timed := waits(m{"timeout": 2000, "grace": 200})
		d.await(t, timed, "idle").wantEnd(t, "timeout")
		termed := waits(m{"grace": 200})
		d.signal(t, termed, "term", nil)
		if rec := d.await(t, termed, "idle"); rec.exitState() != "failed" && rec.exitState() != "canceled" {
			t.Errorf("%v", rec)
		}
		for _, id := range d.ids(t, "state=running") {
			d.signalOf(t, id)
		}
	})
}

// Agents below a supervisor are run again, and asked for permission by policy.
func TestIssue5SupervisedAgent(t *testing.T) {
	t.Parallel()
	s := agenttest.New(t)
	d := withModel(t, newBase(t), "openai", s)
	var n atomic.Int64
	s.Answer(func(agenttest.Request) agenttest.Turn {
		if n.Add(1) <= 2 {
			return agenttest.Fault(401)
		}
		return agenttest.Say("at last")
	})
	sup := d.post(t, "/supervisors", m{"backoff": m{"initial": 1, "max": 2}, "children": []m{{"name": "thinker", "restart": "transient", "environment": "agent", "code": "think"}}}).want(t, 201).json(t)
	rec := d.await(t, sup.id(), "idle").wantEnd(t, "success")
	if rec.obj("exit").str("reason") != "all children completed" {
		t.Errorf("%v", rec["exit"])
	}
	if child := d.record(t, sup.child("thinker").num("process")); child.num("run") != 3 || child.obj("output")["result"] != "at last" {
		t.Errorf("run %v, output %v", child["run"], child["output"])
	}
}

// A conversation that fills the window is summarised; the transcript keeps all.
func TestIssue5AgentCompacts(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		variables := []string{"OPENAI_BASE_URL=" + s.OpenAI(), "OPENAI_API_KEY=" + agentKey}
		if provider == "anthropic" {
			variables = []string{"ANTHROPIC_BASE_URL=" + s.Anthropic(), "ANTHROPIC_API_KEY=" + agentKey}
		}
		d := startRealIn(t, newBase(t), variables, "--agent-model", "scripted", "--agent-window", "scripted=2000")
		long := strings.Repeat("words and more ", 40)
		var n atomic.Int64
		s.Answer(func(r agenttest.Request) agenttest.Turn {
			if len(r.JSON.Tools) == 0 || n.Load() > 30 {
				return agenttest.Say("in short")
			}
			if n.Add(1) > 12 {
				return agenttest.Say("done")
			}
			turn := agenttest.Ask(call("reeve_output", `{"output":{}}`))
			turn.Text = long
			turn.Usage = agenttest.Usage{Input: int64(len(r.Body) / 4), Output: 150}
			return turn
		})
		rec := d.agent(t, "talk", block).wantEnd(t, "success")
		summaries := 0
		for _, msg := range d.messages(t, rec.id()) {
			if msg.str("role") == "summary" {
				summaries++
				if msg.num("replaces") == 0 {
					t.Errorf("%v", msg)
				}
			}
		}
		if summaries == 0 {
			t.Error("nothing was summarised")
		}
	})
}

// Credentials in the base URL are secrets as well.
func TestIssue5SecretsInTheURL(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		base := newBase(t)
		url := map[string]string{"openai": s.OpenAI(), "anthropic": s.Anthropic()}[provider]
		url = strings.Replace(url, "http://", "http://user:"+agentKey+"@", 1)
		name := strings.ToUpper(provider)
		d := startRealIn(t, base, []string{name + "_BASE_URL=" + url, name + "_API_KEY=another-key-55512345"}, "--agent-model", "scripted", "--log-level", "debug")
		for _, status := range []int{401, 500} {
			s.Answer(func(agenttest.Request) agenttest.Turn { return agenttest.Fault(status) })
			id := d.agent(t, "x").id()
			if status == 401 {
				d.await(t, id, "idle").wantEnd(t, "failed")
			} else {
				waitFor(t, "a retry", func() bool { return d.record(t, id).num("stderrBytes") > 0 })
			}
			if all := mustJSON(t, d.record(t, id)) + mustJSON(t, d.events(t, id)); strings.Contains(all, agentKey) {
				at := strings.Index(all, agentKey)
				t.Errorf("%d: the password of the base URL is shown: …%s…", status, all[max(0, at-200):at+40])
			}
			d.signalOf(t, id)
		}
		d.wantNoKey(t, base)
	})
}

// Hundreds of agents in one tree end by one signal, and nothing is left.
func TestIssue5ManyAgentsOneSignal(t *testing.T) {
	t.Parallel()
	s := agenttest.New(t)
	d := withModel(t, newBase(t), "openai", s)
	s.Answer(func(agenttest.Request) agenttest.Turn { return agenttest.Hang() })
	root := d.agent(t, "root", m{"options": m{"grace": 100}}).id()
	var wg sync.WaitGroup
	const many = 300
	for range 6 {
		wg.Go(func() {
			for range many / 6 {
				_, _ = d.try(request{method: "POST", path: "/processes", body: m{"environment": "agent", "code": "x", "parent": root, "options": m{"grace": 100}}})
			}
		})
	}
	wg.Wait()
	s.Await(many + 1)
	got := d.signal(t, root, "pause", m{"tree": true, "now": true})
	if got.num("affected") != many+1 {
		t.Errorf("paused %v", got["affected"])
	}
	if got := d.signal(t, root, "resume", m{"tree": true}); got.num("affected") != many+1 {
		t.Errorf("resumed %v", got["affected"])
	}
	s.Await(2 * (many + 1))
	d.kill(t, root, m{"block": true, "tree": true}).wantEnd(t, "canceled")
	waitFor(t, "all to end", func() bool {
		return len(d.ids(t, "state=running")) == 0 && len(d.ids(t, "state=terminating")) == 0
	})
	if n := len(d.ids(t, "status=canceled&limit=1000")); n != many+1 {
		t.Errorf("%d canceled", n)
	}
}
