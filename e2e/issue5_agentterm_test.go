//go:build linux

package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/reeverun/reeve/env/agent/agenttest"
)

// After the grace SIGTERM and SIGINT give the question up.
func TestIssue5TermOfAnAgentWhoseModelIsSilent(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		d := withModel(t, newBase(t), provider, s)
		s.Answer(func(agenttest.Request) agenttest.Turn { return agenttest.Hang() })
		for name, code := range map[string]int64{"term": 143, "int": 130} {
			asked := len(s.Requests())
			id := d.agent(t, "work", m{"options": m{"grace": 100}}).id()
			s.Await(asked + 1)
			d.signal(t, id, name, nil)
			if exit := d.await(t, id, "idle").obj("exit"); exit.num("code") != code {
				t.Errorf("%s: %v", name, exit)
			}
		}
	})
}

// After the grace SIGTERM gives up a call that waits for a child or for a person.
func TestIssue5TermOfAnAgentWhoseCallHangs(t *testing.T) {
	t.Parallel()
	s := agenttest.New(t)
	sh := newShop(t)
	base := newBase(t)
	writeFile(t, base, "shop.yaml", shopDocument)
	file := writeFile(t, base, "tools.yaml", sh.services()+asking)
	d := startRealIn(t, base, append(sh.variables(), "OPENAI_BASE_URL="+s.OpenAI(), "OPENAI_API_KEY="+agentKey), "--agent-model", "scripted", "--tools", file)
	s.Answer(func(agenttest.Request) agenttest.Turn { return agenttest.Ask(call("shop__delete_pet", `{"id":1}`)) })
	asks := d.agent(t, "delete", m{"options": m{"grace": 100}}).id()
	d.pending(t, asks)
	d.signal(t, asks, "term", nil)
	if exit := d.await(t, asks, "idle").obj("exit"); exit.num("code") != 143 {
		t.Errorf("asking a person: %v", exit)
	}
	s.Answer(func(agenttest.Request) agenttest.Turn { return agenttest.Ask(call("shop__meet", `{"n":2}`)) })
	hangs := d.agent(t, "meet", m{"options": m{"grace": 100}}).id()
	d.awaitTold(t, hangs, "tool_called")
	d.signal(t, hangs, "term", nil)
	if exit := d.await(t, hangs, "idle").obj("exit"); exit.num("code") != 143 {
		t.Errorf("a service that hangs: %v", exit)
	}
}

// A person decides what an agent may do; a denial is told to the model.
func TestIssue5AgentApprovals(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		sh := newShop(t)
		base := newBase(t)
		writeFile(t, base, "shop.yaml", shopDocument)
		file := writeFile(t, base, "tools.yaml", sh.services()+asking)
		name, url := "OPENAI", s.OpenAI()
		if provider == "anthropic" {
			name, url = "ANTHROPIC", s.Anthropic()
		}
		d := startRealIn(t, base, append(sh.variables(), name+"_BASE_URL="+url, name+"_API_KEY="+agentKey), "--agent-model", "scripted", "--tools", file)
		p := d.withPeople(t)
		s.Script(agenttest.Ask(agenttest.Call{ID: "x", Name: "shop__delete_pet", Args: `{"id":1}`}, agenttest.Call{ID: "y", Name: "shop__delete_pet", Args: `{"id":2}`}), agenttest.Say("done"))
		id := d.agent(t, "delete").id()
		waitFor(t, "both", func() bool { return len(d.approvals(t, "state=pending&process="+itoa(id))) == 2 })
		for _, asked := range d.approvals(t, "state=pending&process="+itoa(id)) {
			verdict := "approve"
			if strings.Contains(mustJSON(t, d.approval(t, asked.id())["params"]), "2") {
				verdict = "deny"
			}
			d.decide(t, p.approve, asked.id(), verdict, m{"reason": "as I say"}).want(t, 200)
		}
		d.await(t, id, "idle").wantEnd(t, "success")
		if got := strings.Join(sh.called(), " "); got != "DELETE /pets/1" {
			t.Errorf("the service was called: %s", got)
		}
		all := s.Requests()
		if !strings.Contains(string(all[len(all)-1].Body), "as I say") {
			t.Error("the model was not told why")
		}
		if text := mustJSON(t, d.messages(t, id)); strings.Contains(text, sh.secret) {
			t.Error("a tool's credential is in the transcript")
		}
		d.wantNoKey(t, base)
	})
}

// Both providers at once: the option decides, else the model's name.
func TestIssue5BothProviders(t *testing.T) {
	t.Parallel()
	s := agenttest.New(t)
	d := startRealIn(t, newBase(t), []string{"OPENAI_BASE_URL=" + s.OpenAI(), "OPENAI_API_KEY=k1-12345678", "ANTHROPIC_BASE_URL=" + s.Anthropic(), "ANTHROPIC_API_KEY=k2-12345678"})
	s.Answer(func(agenttest.Request) agenttest.Turn { return agenttest.Say("x") })
	for _, c := range []struct {
		options m
		want    agenttest.Protocol
	}{{m{"model": "claude-x"}, agenttest.Anthropic}, {m{"model": "gpt-x"}, agenttest.OpenAI}, {m{"model": "gpt-x", "provider": "anthropic"}, agenttest.Anthropic}, {m{"model": "claude-x", "provider": "openai"}, agenttest.OpenAI}} {
		d.agent(t, "x", block, m{"options": c.options}).wantEnd(t, "success")
		all := s.Requests()
		if last := all[len(all)-1]; last.Protocol != c.want || last.JSON.Model != c.options["model"] || !last.JSON.Stream {
			t.Errorf("%v: %s, model %s, stream %v", c.options, last.Protocol, last.JSON.Model, last.JSON.Stream)
		}
	}
	d.post(t, "/processes", m{"environment": "agent", "code": "x"}).want(t, 400, "invalid_request").naming(t, "model")
}

// A field that a sentence offers can be used.
func TestIssue5SupervisorOffersWhatItTakes(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	a := d.post(t, "/supervisors", m{"children": []m{{"name": "a", "kode": ""}}}).want(t, 400)
	var said struct{ Error string }
	_ = json.Unmarshal(a.body, &said)
	for _, field := range []string{"parent", "autorun", "block"} {
		one := d.post(t, "/supervisors", m{"children": []m{{"name": "a", "environment": "command", "code": "exec sleep 1000", "restart": "temporary", field: map[string]any{"parent": 1, "autorun": false, "block": true}[field]}}})
		if one.status == 201 {
			d.signalOf(t, one.object().id())
		}
		if offered := strings.Contains(said.Error, field); offered && one.status == 400 {
			t.Errorf("%s is offered by %q and refused: %s", field, said.Error, one.body)
		}
	}
}
