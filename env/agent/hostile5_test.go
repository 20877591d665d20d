package agent_test

import (
	"encoding/base64"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/reeverun/reeve/env/agent"
	"github.com/reeverun/reeve/env/agent/agenttest"
	"github.com/reeverun/reeve/env/agent/model"
	"github.com/reeverun/reeve/env/agent/model/anthropic"
	"github.com/reeverun/reeve/env/agent/model/openai"
	"github.com/reeverun/reeve/process"
)

// A date that no duration reaches is not an invitation to ask at once.
func TestHostile5RetryAfterTheEndOfTime(t *testing.T) {
	for _, when := range []string{"Fri, 31 Dec 9999 23:59:59 GMT", "1e300", "9223372036854775807", "inf"} {
		t.Run(when, func(t *testing.T) {
			eachProvider(t, func(t *testing.T, w *world) {
				w.server.Script(agenttest.Fault(429).With("Retry-After", when))
				_, err := w.run(spec("x"))
				if n := len(w.server.Requests()); err == nil || !strings.Contains(err.Error(), "too late") || n != 1 {
					t.Errorf("got %v after %d questions and %v", err, n, w.rests.list())
				}
			})
		})
	}
}

// What a server says of its usage neither takes back what was spent nor wraps
// around to nothing.
func TestHostile5UsageOnlyGrows(t *testing.T) {
	for name, u := range map[string]agenttest.Usage{
		"most":           {Input: math.MaxInt64, Output: 5},
		"both most":      {Input: math.MaxInt64, Output: math.MaxInt64},
		"negative":       {Input: -1000, Output: 5},
		"cached is more": {Input: 10, Cached: math.MaxInt64, Output: 5},
	} {
		t.Run(name, func(t *testing.T) {
			eachProvider(t, func(t *testing.T, w *world) {
				turn := agenttest.Say("x")
				turn.Usage = u
				w.server.Script(turn)
				w.succeed(spec("x"))
				s := w.steps()[0]
				if w.host.Spent() <= 0 || u.Input > math.MaxInt32 && w.host.Spent() < 1<<30 {
					t.Errorf("spent %d", w.host.Spent())
				}
				if min(s.InputTokens, s.CachedTokens, s.OutputTokens, s.InputTokens-s.CachedTokens) < 0 {
					t.Errorf("step %+v", s)
				}
			})
		})
	}
}

// A refusal was no result, and is none when the run is resumed: the question is
// asked again.
func TestHostile5ResumeAfterARefusal(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.server.Script(agenttest.Turn{Text: "I will not", Finish: "content_filter"}, agenttest.Say("done"))
		if _, err := w.run(spec("x")); err == nil || !strings.Contains(err.Error(), "refuses") {
			t.Fatalf("got %v", err)
		}
		res, err := w.resume(spec("x"))
		if err != nil || res.State != process.ExitSuccess || w.host.Data()["result"] != "done" {
			t.Fatalf("got %+v, %v, %v", res, err, w.host.Data())
		}
		if body := string(w.server.Requests()[1].Body); strings.Contains(body, "I will not") {
			t.Errorf("asked %s", body)
		}
	})
}

// A server whose answer is all tool calls does not fill this process's memory,
// nor the transcript.
func TestHostile5EndlessCalls(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		var calls []agenttest.Call
		for i := range 3000 {
			calls = append(calls, agenttest.Call{ID: fmt.Sprint("c", i), Name: "nothing", Args: "{}"})
		}
		w.server.Script(agenttest.Ask(calls...), agenttest.Say("done"))
		w.succeed(spec("x"))
		for _, m := range w.transcript() {
			if len(m.Calls) > 1024 {
				t.Errorf("a message with %d calls is remembered", len(m.Calls))
			}
		}
	})
}

// What is read costs what it is long, not the square of that.
func TestHostile5LongAnswersInSmallPieces(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		turn := agenttest.Say(strings.Repeat("0123456789abcdef", 1<<16)) // 1 MiB
		turn.Piece = 32
		w.server.Script(turn)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if got := w.succeed(spec("x")); got != turn.Text {
			t.Errorf("got %d bytes", len(got))
		}
		runtime.ReadMemStats(&after)
		if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n > 2000 {
			t.Errorf("it took %d MiB to read 1 MiB", n)
		}
	})
}

// The name of a tool is not as long as a server likes.
func TestHostile5EndlessNames(t *testing.T) {
	w := newWorld(t, agent.OpenAI)
	var raw strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&raw, "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"%d%s\"}}]}}]}\n\n", i, strings.Repeat("x", 100))
	}
	raw.WriteString("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n")
	w.server.Script(agenttest.Turn{Raw: raw.String()}, agenttest.Say("done"))
	w.succeed(spec("x"))
	for _, m := range w.transcript() {
		for _, c := range m.Calls {
			if len(c.Name) > 1<<10 {
				t.Errorf("a name of %d bytes is remembered", len(c.Name))
			}
		}
	}
}

// Credentials in an address are in no error, whoever writes them there.
func TestHostile5CredentialsOfTheAddress(t *testing.T) {
	for name, turn := range map[string]agenttest.Turn{
		"echo":        {Status: 400, Said: "bad: hunter2hunter2, Basic " + base64.StdEncoding.EncodeToString([]byte("me:hunter2hunter2"))},
		"empty event": {Raw: "event: error\ndata: \n\n"},
		"null event":  {Raw: "event: error\ndata: null\n\n"},
		"no event":    {Raw: "event: error\ndata: {}\n\n"},
		"garbage":     {Raw: "data: }{\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, provider := range []string{agent.OpenAI, agent.Anthropic} {
				s := agenttest.New(t)
				s.Script(turn)
				to := func(base string) string { return strings.Replace(base, "http://", "http://me:hunter2hunter2@", 1) }
				var m model.Model = openai.New(openai.Config{BaseURL: to(s.OpenAI())})
				if provider == agent.Anthropic {
					m = anthropic.New(anthropic.Config{BaseURL: to(s.Anthropic())})
				}
				defer m.Close()
				_, err := m.Complete(t.Context(), &model.Request{Model: "x", Messages: []process.Message{{Role: process.RoleUser, Text: "x"}}}, nil)
				if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), base64.StdEncoding.EncodeToString([]byte("me:hunter2hunter2"))) {
					t.Errorf("%s: %v", provider, err)
				}
			}
		})
	}
}
