package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/agent"
	"github.com/reeverun/reeve/env/agent/agenttest"
	"github.com/reeverun/reeve/process"
)

// Names are such that every provider takes them, and each means one tool.
func TestToolNamesAreSafeAndUnique(t *testing.T) {
	long := strings.Repeat("l", 64)
	tools := []agent.Tool{{Service: "a.b", Name: "c"}, {Service: "a_b", Name: "c"}, {Service: "a-b", Name: "c"},
		{Service: long, Name: long}, {Service: long, Name: long + "x"}, {Service: "reeve_output", Name: "x"}}
	eachProvider(t, func(t *testing.T, w *world) {
		w.host.OnCall = func(_ context.Context, service, tool string, _ json.RawMessage) (json.RawMessage, error) {
			return json.Marshal(service + "/" + tool)
		}
		w.server.Answer(func(r agenttest.Request) agenttest.Turn {
			if r.Number > 1 {
				return agenttest.Say("done")
			}
			var calls []agenttest.Call
			for i, name := range r.Tools()[1:] { // after reeve_output
				calls = append(calls, agenttest.Call{ID: fmt.Sprint(i), Name: name, Args: "{}"})
			}
			return agenttest.Ask(calls...)
		})
		w.succeed(spec("call all"))
		names := w.server.Requests()[0].Tools()
		if sorted := slices.Sorted(slices.Values(names)); len(slices.Compact(sorted)) != len(tools)+1 {
			t.Errorf("not unique: %v", names)
		}
		for _, n := range names {
			if !regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`).MatchString(n) {
				t.Errorf("%q is not safe", n)
			}
		}
		for i, m := range w.transcript()[3 : 3+len(tools)] {
			if want := tools[i].Service + "/" + tools[i].Name; m.Text != want {
				t.Errorf("%s reached %s, want %s", m.Name, m.Text, want)
			}
		}
	}, func(c *agent.Config) { c.Tools = func(context.Context, []string) []agent.Tool { return tools } })
}

// Schemas are passed on as they are, except for what providers refuse.
func TestSchemas(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"none":          {``, `"properties":{}`},
		"as it is":      {`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`},
		"not an object": {`{"type":"array"}`, `"type":"object"`},
		"alternatives":  {`{"oneOf":[{"required":["a"]}],"properties":{"a":{}}}`, `{"properties":{"a":{}},"type":"object"}`},
		"garbage":       {`nonsense`, `{"properties":{},"type":"object"}`},
	} {
		t.Run(name, func(t *testing.T) {
			eachProvider(t, func(t *testing.T, w *world) {
				w.server.Script(agenttest.Say("ok"))
				w.succeed(spec("x"))
				if got := string(w.server.Requests()[0].JSON.Tools[1]); !strings.Contains(got, c.want) {
					t.Errorf("sent %s, want %s", got, c.want)
				}
			}, func(cfg *agent.Config) {
				cfg.Tools = func(context.Context, []string) []agent.Tool {
					return []agent.Tool{{Service: "s", Name: "t", Params: json.RawMessage(c.in)}}
				}
			})
		})
	}
}

// More tools than a provider takes can be looked for.
func TestManyTools(t *testing.T) {
	var all []agent.Tool
	for i := range 300 {
		all = append(all, agent.Tool{Service: "svc", Name: fmt.Sprint("t", i)})
	}
	eachProvider(t, func(t *testing.T, w *world) {
		w.host.OnCall = func(_ context.Context, service, tool string, params json.RawMessage) (json.RawMessage, error) {
			return json.Marshal(service + "/" + tool + string(params))
		}
		w.server.Script(agenttest.Ask(
			agenttest.Call{Name: "reeve_search_tools", Args: `{"query":"t299"}`},
			agenttest.Call{Name: "reeve_call_tool", Args: `{"service":"svc","tool":"t299","params":{"a":1}}`}), agenttest.Say("ok"))
		w.succeed(spec("x"))
		if n := len(w.server.Requests()[0].JSON.Tools); n > 128 {
			t.Errorf("%d tools are offered", n)
		}
		results := w.transcript()[3:5]
		if results[0].Text != `reeve/search{"query":"t299"}` || results[1].Text != `svc/t299{"a":1}` {
			t.Errorf("results %+v", results)
		}
	}, func(c *agent.Config) { c.Tools = func(context.Context, []string) []agent.Tool { return all } })
}

func TestPatternsReachTheCatalogue(t *testing.T) {
	var asked []string
	w := newWorld(t, agent.OpenAI, func(c *agent.Config) {
		c.Tools = func(_ context.Context, allowed []string) []agent.Tool { asked = allowed; return nil }
	})
	w.server.Script(agenttest.Say("ok"))
	s := spec("x")
	s.Options.Tools = []string{"svc/*"}
	w.succeed(s)
	if !slices.Equal(asked, s.Options.Tools) {
		t.Errorf("asked for %v", asked)
	}
}

func withChildren(c *agent.Config) {
	c.Environments = func([]string) []string { return []string{"typescript", "command"} }
	c.Spec = func(body json.RawMessage) (process.Spec, error) {
		var b struct{ Environment, Code, Label string }
		err := json.Unmarshal(body, &b)
		return process.Spec{Environment: b.Environment, Code: b.Code, Label: b.Label}, err
	}
}

func TestChildren(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.host.OnCall = echo
		w.host.OnSpawn = func(context.Context, process.Spec) (process.ID, error) { return 42, nil }
		w.host.OnSignal = func(context.Context, process.ID, process.Signal) error { return nil }
		w.host.OnAwait = func(_ context.Context, id process.ID) (env.Ended, error) {
			p := &process.Process{ID: id}
			p.ExitState, p.Exit, p.Output = process.ExitSuccess, &process.Exit{Reason: "completed"}, map[string]any{"k": "v"}
			return env.Ended{Process: p, Stdout: []byte(strings.Repeat("x", 40_000) + "the end")}, nil
		}
		w.host.OnRead = func(_ context.Context, id process.ID, s process.Stream, offset int64, limit int) ([]byte, int64, bool, error) {
			return fmt.Appendf(nil, "%d %s %d %d", id, s, offset, limit), 99, true, nil
		}
		w.server.Script(
			agenttest.Ask(agenttest.Call{Name: "reeve_spawn", Args: `{"environment":"command","code":"make","label":"build"}`}),
			agenttest.Ask(agenttest.Call{Name: "reeve_read_output", Args: `{"id":42,"stream":"stderr","offset":7,"limit":100}`},
				agenttest.Call{Name: "reeve_signal", Args: `{"id":"42","signal":"SIGTERM"}`},
				agenttest.Call{Name: "reeve_wait", Args: `{"id":42}`},
				agenttest.Call{Name: "reeve_output", Args: `{"output":{"built":true}}`}),
			agenttest.Say("built"))
		if got := w.succeed(spec("build")); got != "built" {
			t.Errorf("result %q", got)
		}
		if c := w.host.Calls(); len(c) != 1 || c[0].Service != "reeve" || c[0].Tool != "spawn.command" {
			t.Errorf("permission was asked by %+v", c)
		}
		if s := w.host.Spawned(); len(s) != 1 || s[0].Code != "make" || s[0].Label != "build" {
			t.Errorf("spawned %+v", s)
		}
		if s := w.host.Signals(); len(s) != 1 || s[0].Child != 42 || s[0].Signal != process.SIGTERM {
			t.Errorf("signals %+v", s)
		}
		all := w.transcript()
		if all[3].Text != `{"id":42}` || !strings.Contains(all[5].Text, "42 stderr 7 100") || !strings.Contains(all[5].Text, `"next":99`) {
			t.Errorf("results %+v", all[3:])
		}
		if wait := all[7].Text; !strings.Contains(wait, `"exitState":"success"`) || !strings.Contains(wait, "the end") || !strings.Contains(wait, `"k":"v"`) || len(wait) > 30<<10 {
			t.Errorf("wait: %.300s", wait)
		}
		if w.host.Data()["built"] != true {
			t.Errorf("output %v", w.host.Data())
		}
	}, withChildren)
}

// A policy that forbids a child is a result like any other.
func TestForbiddenChild(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.host.OnCall = func(context.Context, string, string, json.RawMessage) (json.RawMessage, error) {
			return nil, &process.ToolError{Code: process.ToolDenied, Message: "not here"}
		}
		w.server.Script(agenttest.Ask(agenttest.Call{Name: "reeve_spawn", Args: `{"environment":"command","code":"x"}`}), agenttest.Say("ok"))
		w.succeed(spec("x"))
		if m := w.transcript()[3]; !m.Failed || m.Text != "denied: not here" || len(w.host.Spawned()) != 0 {
			t.Errorf("result %+v", m)
		}
	}, withChildren)
}

func TestWaitThatTakesLong(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.host.OnAwait = func(ctx context.Context, _ process.ID) (env.Ended, error) {
			<-ctx.Done()
			return env.Ended{}, ctx.Err()
		}
		w.server.Script(agenttest.Ask(agenttest.Call{Name: "reeve_wait", Args: `{"id":42,"timeoutMs":10}`}), agenttest.Say("ok"))
		w.succeed(spec("x"))
		if m := w.transcript()[3]; m.Failed || !strings.Contains(m.Text, "not ended yet") {
			t.Errorf("result %+v", m)
		}
	}, withChildren)
}

// Where no child may be started, the model is not told about them.
func TestChildrenAreOfferedOnlyWhereTheyMayBe(t *testing.T) {
	w := newWorld(t, agent.OpenAI, withChildren, func(c *agent.Config) { c.Environments = func([]string) []string { return nil } })
	w.server.Script(agenttest.Say("ok"))
	w.succeed(spec("x"))
	if got := w.server.Requests()[0].Tools(); !slices.Equal(got, []string{"reeve_output"}) {
		t.Errorf("offered %v", got)
	}
}

func TestTooManyCallsInOneMessage(t *testing.T) {
	w := newWorld(t, agent.OpenAI, withTools("echo"))
	w.host.OnCall = echo
	var calls []agenttest.Call
	for i := range 70 {
		calls = append(calls, agenttest.Call{ID: fmt.Sprint(i), Name: "svc__echo", Args: "{}"})
	}
	w.server.Script(agenttest.Ask(calls...), agenttest.Say("ok"))
	w.succeed(spec("x"))
	if n := len(w.host.Calls()); n != 64 || !w.transcript()[3+64].Failed {
		t.Errorf("%d calls were made", n)
	}
}

func TestCheck(t *testing.T) {
	w := newWorld(t, agent.OpenAI, func(c *agent.Config) { c.Model = "" })
	named := func(change func(*process.Spec)) *process.Spec {
		s := spec("x")
		s.Options.Model = "m"
		change(s)
		return s
	}
	for name, c := range map[string]struct {
		spec *process.Spec
		want error
		says string
	}{
		"good":         {named(func(*process.Spec) {}), nil, ""},
		"no intent":    {named(func(s *process.Spec) { s.Code = " \n" }), process.ErrInvalid, "intent"},
		"no model":     {spec("x"), process.ErrInvalid, "options.model"},
		"steps":        {named(func(s *process.Spec) { s.Options.MaxSteps = -1 }), process.ErrInvalid, "options.maxSteps"},
		"limits":       {named(func(s *process.Spec) { s.Options.Limits.PIDs = 1 }), process.ErrInvalid, "options.limits"},
		"provider":     {named(func(s *process.Spec) { s.Options.Provider = "acme" }), process.ErrInvalid, "options.provider"},
		"unconfigured": {named(func(s *process.Spec) { s.Options.Provider = "anthropic" }), process.ErrNoEnvironment, "ANTHROPIC_API_KEY"},
		"configured":   {named(func(s *process.Spec) { s.Options.Provider = "openai" }), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := w.env.Check(c.spec)
			if !errors.Is(err, c.want) || c.want != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
		})
	}
	err := agent.New(agent.Config{}).Check(named(func(*process.Spec) {}))
	if !errors.Is(err, process.ErrNoEnvironment) || !strings.Contains(err.Error(), "OPENAI_API_KEY") || !strings.Contains(err.Error(), "ANTHROPIC_API_KEY") {
		t.Errorf("nothing configured: %v", err)
	}
}

// Of two providers the model's name decides.
func TestProviderByName(t *testing.T) {
	s := agenttest.New(t)
	s.Script(agenttest.Say("ok"))
	both := func(c *agent.Config) {
		for _, p := range []string{agent.OpenAI, agent.Anthropic} {
			open(t, s, p, 0, func(other *agent.Config) { c.Models[p] = other.Models[p] })
		}
	}
	w := newWorld(t, agent.OpenAI, both)
	for i, c := range []struct {
		model, provider string
		want            agenttest.Protocol
	}{{"claude-x", "", agenttest.Anthropic}, {"gpt-x", "", agenttest.OpenAI}, {"claude-x", agent.OpenAI, agenttest.OpenAI}, {"other", agent.Anthropic, agenttest.Anthropic}} {
		sp := spec("x")
		sp.Options.Model, sp.Options.Provider = c.model, c.provider
		if _, err := w.run(sp); err != nil {
			t.Fatal(err)
		}
		if got := s.Requests()[i].Protocol; got != c.want {
			t.Errorf("%+v: asked %s", c, got)
		}
	}
}
