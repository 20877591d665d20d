package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reeverun/reeve/env/agent"
	"github.com/reeverun/reeve/env/agent/agenttest"
	"github.com/reeverun/reeve/process"
)

func TestTextIsTheResult(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		turn := agenttest.Say("Grüße, Welt ☃")
		turn.Piece = 2
		w.server.Script(turn)
		if got := w.succeed(spec("greet")); got != "Grüße, Welt ☃" {
			t.Errorf("result %q", got)
		}
		if got := w.host.Text(process.Stdout); got != "Grüße, Welt ☃\n" {
			t.Errorf("stdout %q", got)
		}
		want := []process.Role{process.RoleSystem, process.RoleUser, process.RoleAssistant}
		all := w.transcript()
		if diff := cmp.Diff(want, roles(all)); diff != "" {
			t.Fatal(diff)
		}
		if !strings.Contains(all[0].Text, "agent") || all[1].Text != "greet" || all[2].Finish != "stop" {
			t.Errorf("transcript %+v", all)
		}
		if w.host.Spent() != 15 {
			t.Errorf("spent %d, want 15", w.host.Spent())
		}
		started, _ := w.host.Emitted()[0].(process.StepStarted)
		step := w.steps()
		if started.Step != 1 || len(step) != 1 || step[0].Step != 1 || step[0].InputTokens != 10 || step[0].OutputTokens != 5 || step[0].CostUSD != nil {
			t.Errorf("events %+v", w.host.Emitted())
		}
	})
}

func TestSystemPromptIsReplacedAndSent(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.server.Script(agenttest.Say("ok"))
		s := spec("do it")
		s.Options.System = "You are terse."
		w.succeed(s)
		if got := w.transcript()[0].Text; got != "You are terse." {
			t.Errorf("stored system prompt %q", got)
		}
		if body := string(w.server.Requests()[0].Body); !strings.Contains(body, "You are terse.") || !strings.Contains(body, "do it") {
			t.Errorf("sent %s", body)
		}
	})
}

// A model that calls a tool and then answers: the tokens of both steps add up.
func TestToolCallThenText(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.host.OnCall = echo
		ask := agenttest.Ask(agenttest.Call{ID: "c1", Name: "svc__echo", Args: `{"text":"a \"b\" ☃"}`})
		ask.Text, ask.Piece, ask.Usage = "Let me see.", 3, agenttest.Usage{Input: 30, Cached: 20, Output: 20}
		say := agenttest.Say("done")
		say.Usage = agenttest.Usage{Input: 25, Output: 5}
		w.server.Script(ask, say)
		if got := w.succeed(spec("use the tool")); got != "done" {
			t.Errorf("result %q", got)
		}
		calls := w.host.Calls()
		if len(calls) != 1 || calls[0].Service != "svc" || calls[0].Tool != "echo" || string(calls[0].Params) != `{"text":"a \"b\" ☃"}` {
			t.Errorf("calls %+v", calls)
		}
		if got := w.host.Text(process.Stdout); got != "Let me see.\ndone\n" {
			t.Errorf("stdout %q", got)
		}
		if w.host.Spent() != 80 {
			t.Errorf("spent %d, want 50 + 30", w.host.Spent())
		}
		steps := w.steps()
		if len(steps) != 2 || steps[0].Calls != 1 || steps[0].CachedTokens != 20 || steps[0].InputTokens != 30 || steps[1].Step != 2 {
			t.Errorf("steps %+v", steps)
		}
		all := w.transcript()
		if len(all) != 5 || all[3].CallID != "c1" || all[3].Name != "svc__echo" || !strings.Contains(all[3].Text, "☃") || all[3].Failed {
			t.Errorf("transcript %+v", all)
		}
		second := string(w.server.Requests()[1].Body)
		for _, want := range []string{"c1", "svc__echo", "☃", "Let me see."} {
			if !strings.Contains(second, want) {
				t.Errorf("the second question lacks %q: %s", want, second)
			}
		}
	}, withTools("echo"))
}

func TestMaxSteps(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.host.OnCall = echo
		w.server.Script(agenttest.Ask(agenttest.Call{Name: "svc__echo", Args: "{}"}))
		s := spec("never stop")
		s.Options.MaxSteps = 3
		res, err := w.run(s)
		if err != nil || res.State != process.ExitFailed || res.Exit == nil || *res.Exit != (process.Exit{Code: 1, Reason: "max steps exceeded"}) {
			t.Errorf("got %+v, %v", res, err)
		}
		if n := len(w.server.Requests()); n != 3 {
			t.Errorf("%d questions, want 3", n)
		}
	}, withTools("echo"))
}

// All calls of a step run at once; their results keep the order of the calls.
func TestCallsRunSideBySide(t *testing.T) {
	const n = 8
	eachProvider(t, func(t *testing.T, w *world) {
		var here sync.WaitGroup
		here.Add(n)
		w.host.OnCall = func(_ context.Context, _, _ string, params json.RawMessage) (json.RawMessage, error) {
			here.Done()
			here.Wait() // nobody returns before all have come
			return params, nil
		}
		var calls []agenttest.Call
		for i := range n {
			calls = append(calls, agenttest.Call{ID: fmt.Sprint("c", i), Name: "svc__echo", Args: fmt.Sprintf(`{"n":%d}`, i)})
		}
		w.server.Script(agenttest.Ask(calls...), agenttest.Say("done"))
		w.succeed(spec("all at once"))
		if r := w.server.Requests()[1]; r.Protocol == agenttest.Anthropic && len(r.JSON.Messages) != 3 {
			t.Errorf("%d messages, want the intent, the calls, and all results in one", len(r.JSON.Messages))
		}
		for i, m := range w.transcript()[3 : 3+n] {
			if m.CallID != fmt.Sprint("c", i) || m.Text != fmt.Sprintf(`{"n":%d}`, i) {
				t.Errorf("result %d is %+v", i, m)
			}
		}
	}, withTools("echo"))
}

// Whatever is wrong with a call goes back to the model, which can go on.
func TestFailedCallsAreSurvivable(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.host.OnCall = func(_ context.Context, _, tool string, _ json.RawMessage) (json.RawMessage, error) {
			if tool == "forbidden" {
				return nil, &process.ToolError{Code: process.ToolDenied, Message: "the policy does not allow svc/forbidden"}
			}
			return nil, &process.ToolError{Code: process.ToolFailed, Message: "it broke"}
		}
		w.server.Script(agenttest.Ask(
			agenttest.Call{Name: "svc__forbidden", Args: "{}"},
			agenttest.Call{Name: "svc__broken", Args: "{}"},
			agenttest.Call{Name: "svc__broken", Args: `{"a":`},
			agenttest.Call{Name: "svc__broken", Args: `[1]`},
			agenttest.Call{Name: "invented", Args: "{}"},
		), agenttest.Say("I see"))
		if got := w.succeed(spec("try")); got != "I see" {
			t.Errorf("result %q", got)
		}
		var texts []string
		for _, m := range w.transcript()[3:8] {
			if !m.Failed {
				t.Errorf("%+v is no failure", m)
			}
			texts = append(texts, m.Text)
		}
		for i, want := range []string{"denied: the policy", "failed: it broke", "not a JSON object", "not a JSON object", "there is no tool invented"} {
			if !strings.Contains(texts[i], want) {
				t.Errorf("result %d: %q, want %q", i, texts[i], want)
			}
		}
		if n := len(w.host.Calls()); n != 2 {
			t.Errorf("%d calls reached the host, want 2", n)
		}
	}, withTools("forbidden", "broken"))
}

func TestLargeResultsAreCut(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.host.OnCall = func(context.Context, string, string, json.RawMessage) (json.RawMessage, error) {
			return json.Marshal(strings.Repeat("ä", 100_000))
		}
		w.server.Script(agenttest.Ask(agenttest.Call{Name: "svc__big", Args: "{}"}), agenttest.Say("done"))
		w.succeed(spec("read"))
		text := w.transcript()[3].Text
		if len(text) > 65<<10 || !strings.Contains(text, "more bytes were cut off") {
			t.Errorf("%d bytes: …%s", len(text), text[max(0, len(text)-80):])
		}
	}, withTools("big"))
}

func TestModelOfTheProcessComesFirst(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.server.Script(agenttest.Say("ok"))
		s := spec("x")
		s.Options.Model = "special"
		w.succeed(s)
		if got := w.server.Requests()[0].JSON.Model; got != "special" {
			t.Errorf("asked %q", got)
		}
		if r := w.server.Requests()[0]; !r.JSON.Stream {
			t.Error("it was not asked to stream")
		}
	})
}

func TestBudgetEndsTheRunAtOnce(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.host.OnSpend = func(context.Context, int64) error {
			if w.host.Spent() > 20 {
				return process.ErrBudget
			}
			return nil
		}
		w.host.OnCall = echo
		w.server.Script(agenttest.Ask(agenttest.Call{Name: "svc__echo", Args: "{}"}))
		res, err := w.run(spec("spend"))
		if err != nil || res.Exit == nil || *res.Exit != (process.Exit{Code: 2, Reason: "budget_exceeded"}) {
			t.Errorf("got %+v, %v", res, err)
		}
		if n := len(w.host.Calls()); n != 1 { // of the first step: what the last one asks for is not done
			t.Errorf("%d calls, want 1", n)
		}
		if all := w.transcript(); len(all) != 5 || all[4].Role != process.RoleAssistant {
			t.Errorf("what was paid for is not in the transcript: %v", roles(all))
		}
	}, withTools("echo"))
}

func TestPrices(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		turn := agenttest.Say("ok")
		turn.Usage = agenttest.Usage{Input: 1_000_000, Cached: 600_000, Output: 100_000}
		w.server.Script(turn)
		w.succeed(spec("x"))
		step := w.steps()[0]
		if step.CostUSD == nil || fmt.Sprintf("%.4f", *step.CostUSD) != "1.9000" { // 0.4×2 + 0.6×0.5 + 0.1×8
			t.Errorf("cost %v", step.CostUSD)
		}
		if m := w.transcript()[2]; m.CostUSD == nil || m.Tokens == nil || m.Tokens.Cached != 600_000 {
			t.Errorf("message %+v", m)
		}
	}, func(c *agent.Config) {
		c.Prices = map[string]agent.Price{"script": {Input: 2, Cached: 0.5, Output: 8}, "": {Input: 99}}
	}, func(c *agent.Config) { c.Window = 10_000_000 })
}

func TestAnswerThatIsCutOffGoesOn(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		first := agenttest.Say("one, two, ")
		first.Finish = "length"
		w.server.Script(first, agenttest.Say("three"))
		if got := w.succeed(spec("count")); got != "one, two, three" {
			t.Errorf("result %q", got)
		}
		if !slices.ContainsFunc(w.host.Emitted(), func(p process.Payload) bool { _, ok := p.(process.WarningDetected); return ok }) {
			t.Error("there is no warning")
		}
	})
}

func TestRefusalFails(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.server.Script(agenttest.Turn{Refusal: "I would rather not."})
		_, err := w.run(spec("bad things"))
		if err == nil || !strings.Contains(err.Error(), "refuses") || !strings.Contains(err.Error(), "rather not") {
			t.Errorf("got %v", err)
		}
	})
}

// A server that counts nothing does not make budgets and windows void.
func TestUsageIsEstimatedWhereItIsNotTold(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.server.Script(agenttest.Turn{Text: strings.Repeat("word ", 400)})
		w.succeed(spec("speak"))
		if n := w.host.Spent(); n < 300 || n > 2000 {
			t.Errorf("spent %d", n)
		}
	})
}
