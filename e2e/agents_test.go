//go:build linux

package e2e

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reeverun/reeve/env/agent/agenttest"
)

const agentKey = "sk-e2e-5ecre7-0123456789"

// withModel starts the shipped program with a scripted model for one provider.
func withModel(t testing.TB, base, provider string, s *agenttest.Server) *daemon {
	t.Helper()
	variables := []string{"OPENAI_BASE_URL=" + s.OpenAI(), "OPENAI_API_KEY=" + agentKey}
	if provider == "anthropic" {
		variables = []string{"ANTHROPIC_BASE_URL=" + s.Anthropic(), "ANTHROPIC_API_KEY=" + agentKey}
	}
	return startRealIn(t, base, variables, "--agent-model", "scripted", "--agent-price", "script=1/0.5/2")
}

func (d *daemon) agent(t testing.TB, intent string, more ...m) m {
	t.Helper()
	return d.create(t, with(m{"environment": "agent", "code": intent}, more...))
}

func eachModel(t *testing.T, test func(t *testing.T, provider string, s *agenttest.Server)) {
	t.Parallel()
	for _, provider := range []string{"openai", "anthropic"} {
		t.Run(provider, func(t *testing.T) { test(t, provider, agenttest.New(t)) })
	}
}

// Without a model an agent is refused, and the sentence says what to do.
func TestAgentWithoutAModel(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	a := d.post(t, "/processes", m{"environment": "agent", "code": "", "options": m{"model": "m"}}).want(t, 503, "environment_unavailable")
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY"} {
		a.naming(t, name)
	}
	if docs := d.get(t, "/environments/agent/docs").want(t, 200); !strings.Contains(string(docs.body), "reeve_spawn") {
		t.Errorf("docs: %s", docs.body)
	}
}

// An agent starts a program below itself, waits for it and answers; what it
// took, said and did is on record, and its key is nowhere.
func TestAgentFromEndToEnd(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		base := newBase(t)
		d := withModel(t, base, provider, s)
		wait := func(r agenttest.Request) agenttest.Turn {
			switch body := string(r.Body); {
			case strings.Contains(body, "exitState"):
				return agenttest.Say("The program said 42.")
			case strings.Contains(body, `\"id\":2`) || strings.Contains(body, `{\"id\":2}`):
				return agenttest.Ask(agenttest.Call{ID: "b", Name: "reeve_wait", Args: `{"id":2}`},
					agenttest.Call{ID: "c", Name: "reeve_output", Args: `{"output":{"seen":true}}`})
			}
			return agenttest.Ask(agenttest.Call{ID: "a", Name: "reeve_spawn", Args: `{"environment":"typescript","code":"console.log(6*7)","label":"sum"}`})
		}
		s.Answer(wait)
		rec := d.agent(t, "what is six times seven?", block).wantEnd(t, "success")
		if out := rec.obj("output"); out["result"] != "The program said 42." || out["seen"] != true {
			t.Errorf("output %v", out)
		}
		if rec.obj("usage").num("tokens") != 45 || rec.obj("exit")["reason"] != "completed" || rec["stdout"] != "The program said 42.\n" {
			t.Errorf("record %v", rec)
		}
		var kinds []string
		for _, e := range d.events(t, rec.id()) {
			kinds = append(kinds, e["kind"].(string))
			if e["kind"] == "step_finished" && (e.num("inputTokens") != 10 || e["costUsd"] != 0.00002) {
				t.Errorf("step %v", e)
			}
		}
		wantInOrder(t, kinds, "process_started", "step_started", "tool_called", "tool_returned", "child_spawned", "step_finished", "step_started", "step_finished", "finalized")
		tree := d.get(t, path(rec.id(), "/tree")).want(t, 200).json(t)
		if kids := tree.list("children"); len(kids) != 1 || kids[0]["label"] != "sum" || kids[0]["lifecycle"] != "dead" {
			t.Errorf("tree %v", tree)
		}
		said := d.get(t, path(rec.id(), "/transcript")).want(t, 200).json(t).list("messages")
		if len(said) != 8 || said[1]["text"] != "what is six times seven?" || said[7]["text"] != "The program said 42." {
			t.Errorf("transcript %v", said)
		}
		if ran := d.reeve(t, "", "transcript", itoa(rec.id())); ran.code != 0 || !strings.Contains(ran.stdout, "The program said 42.") {
			t.Errorf("reeve transcript: %+v", ran)
		}
		d.wantNoKey(t, base)
	})
}

// wantInOrder checks that some events came in an order, others between them.
func wantInOrder(t testing.TB, got []string, want ...string) {
	t.Helper()
	rest := got
	for _, w := range want {
		i := 0
		for i < len(rest) && rest[i] != w {
			i++
		}
		if i == len(rest) {
			t.Errorf("events %v: %s is not where it should be", got, w)
			return
		}
		rest = rest[i+1:]
	}
}

// wantNoKey looks for the key in all the daemon wrote.
func (d *daemon) wantNoKey(t testing.TB, base string) {
	t.Helper()
	if strings.Contains(d.log.String(), agentKey) {
		t.Error("the key is in the daemon's log")
	}
	err := filepath.WalkDir(base, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil // files come and go
		}
		b, err := os.ReadFile(path)
		if err == nil && bytes.Contains(b, []byte(agentKey)) {
			t.Errorf("the key is in %s", path)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// reeve agent shows what the model says and ends as the agent does.
func TestAgentCommand(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		d := withModel(t, newBase(t), provider, s)
		s.Script(agenttest.Say("hello"))
		if ran := d.reeve(t, "", "agent", "greet"); ran.code != 0 || ran.stdout != "hello\n" {
			t.Errorf("%+v", ran)
		}
		s.Script(agenttest.Ask(agenttest.Call{Name: "reeve_output", Args: `{"output":{}}`}))
		if ran := d.reeve(t, "", "agent", "--max-steps", "2", "never stop"); ran.code != 1 {
			t.Errorf("%+v", ran)
		}
		s.Script(agenttest.Turn{Status: 401, Said: "no such key " + agentKey})
		if ran := d.reeve(t, "", "agent", "x"); ran.code != 1 || strings.Contains(ran.stderr+ran.stdout, agentKey) {
			t.Errorf("%+v", ran)
		}
	})
}

// An agent whose daemon is killed goes on, when asked to, from its last finished
// step: what was done is not done again.
func TestAgentResumesAfterACrash(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		base := newBase(t)
		d := withModel(t, base, provider, s)
		s.Script(agenttest.Ask(agenttest.Call{Name: "reeve_output", Args: `{"output":{"first":1}}`}), agenttest.Hang())
		id := d.agent(t, "work").id()
		s.Await(2)
		d.crash()
		d = withModel(t, base, provider, s)
		if rec := d.record(t, id).wantEnd(t, "failed"); rec["error"] != "host process exited" {
			t.Errorf("record %v", rec)
		}
		s.Answer(func(agenttest.Request) agenttest.Turn { return agenttest.Say("done") })
		rec := d.post(t, path(id, "/signals/run"), m{"resume": true, "block": true}).want(t, 200).json(t).wantEnd(t, "success")
		if rec.obj("output")["result"] != "done" || rec.num("run") != 2 {
			t.Errorf("record %v", rec)
		}
		all := s.Requests()
		if len(all) != 3 || !bytes.Equal(all[1].Body, all[2].Body) {
			t.Errorf("%d questions; the last is %s", len(all), all[len(all)-1].Body)
		}
	})
}

// A pause gives the question up, outlives the daemon, and ends with the same
// question.
func TestPausedAgentOutlivesItsDaemon(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		base := newBase(t)
		d := withModel(t, base, provider, s)
		s.Script(agenttest.Hang())
		id := d.agent(t, "think").id()
		s.Await(1)
		d.signal(t, id, "pause", m{"now": true})
		d.crash()
		d = withModel(t, base, provider, s)
		if rec := d.record(t, id); rec.state() != "running" || rec["paused"] != true {
			t.Fatalf("after the restart: %v", rec)
		}
		s.Answer(func(agenttest.Request) agenttest.Turn { return agenttest.Say("thought") })
		d.signal(t, id, "resume", nil)
		if rec := d.await(t, id, "idle").wantEnd(t, "success"); rec.obj("output")["result"] != "thought" {
			t.Errorf("record %v", rec)
		}
		if n := len(s.Requests()); n != 2 {
			t.Errorf("%d questions, want 2", n)
		}
	})
}

func TestAgentsEnd(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		d := withModel(t, newBase(t), provider, s)
		s.Script(agenttest.Hang())
		paused := d.agent(t, "think").id()
		s.Await(1)
		d.signal(t, paused, "pause", m{"now": true})
		rec := d.kill(t, paused, block).wantEnd(t, "canceled")
		if exit := rec.obj("exit"); exit.num("code") != 1 || exit["reason"] != "context cancelled while paused" {
			t.Errorf("killed while paused: %v", exit)
		}
		silent := d.agent(t, "think", m{"options": m{"grace": 50}}).id()
		s.Await(2)
		d.kill(t, silent, block).wantEnd(t, "canceled")
		slow := d.agent(t, "think", m{"options": m{"timeout": 50, "grace": 50}}).id()
		d.await(t, slow, "idle").wantEnd(t, "timeout")
		s.Answer(func(r agenttest.Request) agenttest.Turn {
			return agenttest.Ask(agenttest.Call{Name: "reeve_output", Args: `{"output":{}}`})
		})
		busy := d.agent(t, "work", m{"options": m{"maxSteps": 100000}}).id()
		d.await(t, busy, "running")
		d.signal(t, busy, "term", nil)
		if exit := d.await(t, busy, "idle").wantEnd(t, "failed").obj("exit"); exit.num("code") != 143 || exit["signal"] != "SIGTERM" {
			t.Errorf("terminated: %v", exit)
		}
	})
}

// A budget of tokens ends an agent, or asks a person, who can grant as much
// again.
func TestAgentBudget(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		d := withModel(t, newBase(t), provider, s)
		people := d.withPeople(t)
		s.Answer(func(agenttest.Request) agenttest.Turn { // 15 tokens each
			return agenttest.Ask(agenttest.Call{Name: "reeve_output", Args: `{"output":{}}`})
		})
		rec := d.agent(t, "spend", block, m{"options": m{"budget": m{"tokens": 40}}}).wantEnd(t, "failed")
		if exit := rec.obj("exit"); exit.num("code") != 2 || exit["reason"] != "budget_exceeded" || rec.obj("usage").num("tokens") != 45 {
			t.Errorf("record %v", rec)
		}
		if ran := d.reeve(t, "", "agent", "--budget", "tokens=40", "spend"); ran.code != 2 {
			t.Errorf("reeve agent: %+v", ran)
		}
		s.Answer(func(r agenttest.Request) agenttest.Turn {
			if strings.Count(string(r.Body), "reeve_output") > 5 {
				return agenttest.Say("enough")
			}
			return agenttest.Ask(agenttest.Call{Name: "reeve_output", Args: `{"output":{}}`})
		})
		id := d.agent(t, "spend", m{"options": m{"budget": m{"tokens": 20, "onExceeded": "ask"}}}).id()
		granted := 0
		for d.record(t, id).state() != "idle" {
			var asked m
			waitFor(t, "a question or the end", func() bool {
				if all := d.approvals(t, "state=pending&process="+itoa(id)); len(all) > 0 {
					asked = all[0]
				}
				return asked != nil || d.record(t, id).state() == "idle"
			})
			if asked != nil {
				// What its last answer asks for is taken back when it ends.
				if a := d.decide(t, people.approve, asked.id(), "approve", nil); a.status == 200 {
					granted++
				} else {
					a.want(t, 409, "already_decided")
				}
			}
		}
		if granted == 0 {
			t.Error("nobody was asked")
		}
		if rec := d.record(t, id).wantEnd(t, "success"); rec.obj("output")["result"] != "enough" || rec.obj("usage").num("tokens") <= 40 {
			t.Errorf("record %v", rec)
		}
	})
}

// Commands inherit the daemon's environment, but not its credentials.
func TestCommandsInheritNoCredentials(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		d := withModel(t, newBase(t), provider, s)
		rec := d.create(t, m{"environment": "command", "code": "env", "block": true})
		if out, _ := rec["stdout"].(string); !strings.Contains(out, "PATH=") || strings.Contains(out, agentKey) {
			t.Errorf("the environment of a command: %s", out)
		}
	})
}
