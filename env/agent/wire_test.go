package agent_test

import (
	"strings"
	"testing"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/agent"
	"github.com/reeverun/reeve/env/agent/agenttest"
	"github.com/reeverun/reeve/process"
)

// sse writes events as they are on the wire.
func sse(events ...string) agenttest.Turn {
	var b strings.Builder
	for _, e := range events {
		if _, after, ok := strings.Cut(e, `"type":"`); ok {
			kind, _, _ := strings.Cut(after, `"`)
			b.WriteString("event: " + kind + "\n")
		}
		b.WriteString("data: " + e + "\n\n")
	}
	return agenttest.Turn{Raw: b.String()}
}

// Servers that only resemble OpenAI's: all calls under one index, no usage, no
// [DONE], and something to be sent back with a call.
func TestChatDialects(t *testing.T) {
	w := newWorld(t, agent.OpenAI, withTools("echo"))
	w.host.OnCall = echo
	w.server.Script(sse(
		`{"id":"1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"svc__echo","arguments":"{\"n\":1}"},"extra_content":{"google":{"thought_signature":"SIG"}}}]}}]}`,
		`{"id":"2","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"y","function":{"name":"svc__echo","arguments":""}}]},"finish_reason":"stop"}]}`,
	), agenttest.Say("done"))
	if got := w.succeed(spec("x")); got != "done" {
		t.Errorf("result %q", got)
	}
	calls := w.host.Calls()
	if len(calls) != 2 || len(w.transcript()) != 6 {
		t.Fatalf("calls %+v", calls)
	}
	if all := w.transcript(); all[3].Text != `{"n":1}` || all[4].Text != `{}` {
		t.Errorf("results %+v", all[3:5])
	}
	if body := string(w.server.Requests()[1].Body); !strings.Contains(body, `"extra_content":{"google":{"thought_signature":"SIG"}}`) {
		t.Errorf("the signature was not sent back: %s", body)
	}
}

// A server that does not know stream_options is asked without, from then on.
func TestChatWithoutStreamOptions(t *testing.T) {
	w := newWorld(t, agent.OpenAI)
	w.server.Answer(func(r agenttest.Request) agenttest.Turn {
		if strings.Contains(string(r.Body), "stream_options") {
			return agenttest.Turn{Status: 400, Said: "unknown field: stream_options"}
		}
		return agenttest.Say("ok")
	})
	w.succeed(spec("x"))
	w.succeed(spec("x"))
	if n := len(w.server.Requests()); n != 3 {
		t.Errorf("%d questions, want 3", n)
	}
}

// Ids that are missing or not unique are replaced.
func TestCallIDsAreUnique(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.host.OnCall = echo
		w.server.Script(agenttest.Ask(agenttest.Call{ID: "same", Name: "svc__echo", Args: `{"n":1}`}, agenttest.Call{ID: "same", Name: "svc__echo", Args: `{"n":2}`}), agenttest.Say("done"))
		w.succeed(spec("x"))
		all := w.transcript()
		if c := all[2].Calls; len(c) != 2 || c[0].ID == c[1].ID || all[3].CallID != c[0].ID || all[4].CallID != c[1].ID {
			t.Errorf("transcript %+v", all[2:5])
		}
	}, withTools("echo"))
}

// Thoughts go back as they came, signature and all, before the calls.
func TestThoughtsAreSentBack(t *testing.T) {
	w := newWorld(t, agent.Anthropic, withTools("echo"))
	w.host.OnCall = echo
	w.server.Script(sse(
		`{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"x","content":[],"usage":{"input_tokens":5,"cache_creation_input_tokens":20,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm, <well>"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"SIG"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"svc__echo","input":{}}}`,
		`{"type":"content_block_stop","index":1}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":7}}`,
		`{"type":"message_stop"}`,
	), agenttest.Say("done"))
	w.succeed(spec("x"))
	body := string(w.server.Requests()[1].Body)
	for _, want := range []string{`"signature":"SIG"`, `"thinking":"hm, `, `"type":"tool_use"`} {
		if !strings.Contains(body, want) {
			t.Errorf("not sent back: %s in %s", want, body)
		}
	}
	if strings.Index(body, "SIG") > strings.Index(body, `"tool_use"`) {
		t.Error("the thought comes after the call")
	}
	if s := w.steps()[0]; s.InputTokens != 25 || s.OutputTokens != 7 {
		t.Errorf("step %+v", s)
	}
}

// What was said is marked to be cached.
func TestConversationIsCached(t *testing.T) {
	w := newWorld(t, agent.Anthropic)
	w.server.Script(agenttest.Say("ok"))
	w.succeed(spec("x"))
	if n := strings.Count(string(w.server.Requests()[0].Body), `"cache_control":{"type":"ephemeral"}`); n != 2 {
		t.Errorf("%d marks, want 2: %s", n, w.server.Requests()[0].Body)
	}
}

// A run that another host left paused does nothing before it is resumed.
func TestBeginsPaused(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.remember(beginning("x")...)
		w.server.Script(agenttest.Say("done"))
		done := make(chan ending, 1)
		go func() {
			res, err := w.env.Execute(t.Context(), env.Input{EID: 1, Run: 1, Spec: spec("x"), Resume: true, Paused: true}, w.host)
			done <- ending{res, err}
		}()
		<-w.host.Began
		if err := w.env.Pause(t.Context(), 1, false); err != nil {
			t.Fatal(err)
		}
		if n := len(w.server.Requests()); n != 0 {
			t.Errorf("%d questions while paused", n)
		}
		w.remember(asks(1, "late"), answers(1, "late", "read when it goes on")) // and not before
		_ = w.env.Resume(1)
		if e := w.await(done); e.res.State != process.ExitSuccess || len(w.server.Requests()) != 1 {
			t.Fatalf("got %+v, %v", e.res, e.err)
		}
		if body := string(w.server.Requests()[0].Body); !strings.Contains(body, "read when it goes on") {
			t.Errorf("asked %s", body)
		}
	})
}
