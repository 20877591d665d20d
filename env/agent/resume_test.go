package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/agent"
	"github.com/reeverun/reeve/env/agent/agenttest"
	"github.com/reeverun/reeve/process"
)

// remember puts messages into the transcript, as an earlier host did.
func (w *world) remember(all ...process.Message) {
	w.t.Helper()
	if err := w.host.Remember(context.Background(), all...); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) resume(s *process.Spec) (env.Result, error) {
	return w.env.Execute(w.t.Context(), env.Input{EID: 1, Run: 2, Spec: s, Resume: true}, w.host)
}

func asks(step int, id string) process.Message {
	return process.Message{Step: step, Role: process.RoleAssistant, Finish: "tool_calls", Calls: []process.MessageCall{
		{ID: id, Name: "svc__echo", Arguments: json.RawMessage(`{}`)}}}
}

func answers(step int, id, text string) process.Message {
	return process.Message{Step: step, Role: process.RoleTool, CallID: id, Name: "svc__echo", Text: text}
}

func beginning(intent string) []process.Message {
	return []process.Message{{Role: process.RoleSystem, Text: "the old prompt"}, {Role: process.RoleUser, Text: intent}}
}

// A run goes on from its last finished step; what an unfinished one asked for is
// asked again.
func TestResumeGoesOnAfterTheLastFinishedStep(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.remember(beginning("count")...)
		w.remember(asks(1, "c1"))
		w.remember(answers(1, "c1", "result one"))
		w.remember(asks(2, "lost"))
		w.host.OnCall = echo
		w.server.Script(agenttest.Ask(agenttest.Call{ID: "c2", Name: "svc__echo", Args: "{}"}), agenttest.Say("done"))
		res, err := w.resume(spec("count"))
		if err != nil || res.State != process.ExitSuccess {
			t.Fatalf("got %+v, %v", res, err)
		}
		first := string(w.server.Requests()[0].Body)
		if !strings.Contains(first, "the old prompt") || !strings.Contains(first, "result one") || strings.Contains(first, "lost") {
			t.Errorf("asked %s", first)
		}
		steps := w.steps()
		if len(steps) != 2 || steps[0].Step != 2 || steps[1].Step != 3 {
			t.Errorf("steps %+v", steps)
		}
	}, withTools("echo"))
}

func TestResumeOfAFinishedOneAnswersAtOnce(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.remember(beginning("x")...)
		w.remember(process.Message{Step: 1, Role: process.RoleAssistant, Text: "the answer", Finish: "stop"})
		res, err := w.resume(spec("x"))
		if err != nil || res.State != process.ExitSuccess || w.host.Data()["result"] != "the answer" || len(w.server.Requests()) != 0 {
			t.Errorf("got %+v, %v, %v after %d questions", res, err, w.host.Data(), len(w.server.Requests()))
		}
	})
}

// A refusal is no result, and may be another one next time.
func TestResumeAfterARefusalAsksAgain(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.server.Script(agenttest.Turn{Refusal: "no"}, agenttest.Say("well, yes"))
		if _, err := w.run(spec("x")); err == nil {
			t.Fatal("a refusal is a success")
		}
		if res, err := w.resume(spec("x")); err != nil || res.State != process.ExitSuccess || w.host.Data()["result"] != "well, yes" {
			t.Errorf("got %+v, %v, %v", res, err, w.host.Data())
		}
	})
}

func TestResumeOfNothingBegins(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.server.Script(agenttest.Say("hi"))
		res, err := w.resume(spec("greet"))
		if err != nil || res.State != process.ExitSuccess || len(w.transcript()) != 3 {
			t.Errorf("got %+v, %v, %v", res, err, roles(w.transcript()))
		}
	})
}

// A new run begins a new conversation; a resume takes the last one.
func TestResumeTakesTheLastConversation(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.remember(beginning("x")...)
		w.remember(asks(1, "c1"), answers(1, "c1", "of the first run"))
		w.remember(beginning("x")...)
		w.remember(asks(1, "d1"), answers(1, "d1", "of the second run"))
		w.server.Script(agenttest.Say("done"))
		if _, err := w.resume(spec("x")); err != nil {
			t.Fatal(err)
		}
		body := string(w.server.Requests()[0].Body)
		if strings.Contains(body, "of the first run") || !strings.Contains(body, "of the second run") {
			t.Errorf("asked %s", body)
		}
	})
}

// What one run remembers, killed at any point, the next goes on with: it comes to
// the same end.
func TestResumeAfterAKillAnywhere(t *testing.T) {
	const steps = 4
	script := func(r agenttest.Request) agenttest.Turn {
		n := strings.Count(string(r.Body), "result of")
		if n == steps {
			return agenttest.Say("all done")
		}
		return agenttest.Ask(agenttest.Call{ID: fmt.Sprint("c", n), Name: "svc__echo", Args: "{}"})
	}
	eachProvider(t, func(t *testing.T, w *world) {
		w.server.Answer(script)
		w.host.OnCall = func(_ context.Context, _, _ string, _ json.RawMessage) (json.RawMessage, error) {
			return json.Marshal("result of")
		}
		w.succeed(spec("x"))
		whole := w.transcript()
		for n := 2; n <= len(whole); n++ {
			other := newWorld(t, providerOf(t), withTools("echo"))
			other.server.Answer(script)
			other.host.OnCall = w.host.OnCall
			other.remember(whole[:n]...)
			res, err := other.resume(spec("x"))
			if err != nil || res.State != process.ExitSuccess || other.host.Data()["result"] != "all done" {
				t.Errorf("after %d messages: %+v, %v", n, res, err)
			}
		}
	}, withTools("echo"))
}

func providerOf(t *testing.T) string {
	if strings.Contains(t.Name(), agent.Anthropic) {
		return agent.Anthropic
	}
	return agent.OpenAI
}

// compacting is a world whose window holds some 1000 tokens.
func compacting(c *agent.Config) { c.Window = 1000 }

// long answers until the summary has come, then ends.
func long(r agenttest.Request) agenttest.Turn {
	body := string(r.Body)
	switch {
	case strings.Contains(body, "Summarise this."):
		return agenttest.Turn{Text: "SUMMARY: much was found", Usage: agenttest.Usage{Input: 500, Output: 50}}
	case strings.Contains(body, "SUMMARY") && strings.Contains(body, "id-after"):
		return agenttest.Say("the end")
	case strings.Contains(body, "SUMMARY"):
		return agenttest.Ask(agenttest.Call{ID: "id-after", Name: "svc__echo", Args: `{}`})
	}
	n := int64(len(r.JSON.Messages))
	turn := agenttest.Ask(agenttest.Call{ID: fmt.Sprint("id-", n), Name: "svc__echo", Args: `{}`})
	turn.Usage = agenttest.Usage{Input: 150 * n, Output: 10}
	return turn
}

// A conversation that fills the window is summarised: the oldest messages, whole
// steps of them, by one call that is no step.
func TestCompaction(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.server.Answer(long)
		w.host.OnCall = func(context.Context, string, string, json.RawMessage) (json.RawMessage, error) {
			return json.Marshal(strings.Repeat("found ", 60))
		}
		if got := w.succeed(spec("dig")); got != "the end" {
			t.Errorf("result %q", got)
		}
		all := w.transcript()
		i := slices.IndexFunc(all, func(m process.Message) bool { return m.Role == process.RoleSummary })
		if i < 0 {
			t.Fatal("there is no summary")
		}
		s := all[i]
		if s.Text != "SUMMARY: much was found" || s.Tokens == nil || s.Tokens.Input != 500 {
			t.Errorf("summary %+v", s)
		}
		if last := all[s.Replaces-1]; last.Role != process.RoleTool {
			t.Errorf("it stands for all up to %+v: a call was parted from its results", last)
		}
		var spent int64
		for _, m := range all {
			if m.Tokens != nil {
				spent += m.Tokens.Input + m.Tokens.Output
			}
		}
		if spent != w.host.Spent() {
			t.Errorf("spent %d, the messages say %d", w.host.Spent(), spent)
		}
		if n := len(w.steps()); n != len(w.server.Requests())-1 {
			t.Errorf("%d steps for %d questions: the summary is no step", n, len(w.server.Requests()))
		}
		checkPaired(t, w.server.Requests())
		if out := w.host.Text(process.Stdout); strings.Contains(out, "SUMMARY") {
			t.Errorf("the summary is on stdout: %q", out)
		}
		if !strings.Contains(w.host.Text(process.Stderr), "summarised") {
			t.Error("nobody was told")
		}
	}, withTools("echo"), compacting)
}

// checkPaired checks that every question shows each call with its result.
func checkPaired(t *testing.T, all []agenttest.Request) {
	t.Helper()
	for _, r := range all {
		body := string(r.Body)
		calls := strings.Count(body, `"tool_use"`) + strings.Count(body, `"type":"function","function":{"arguments"`)
		results := strings.Count(body, `"tool_result"`) + strings.Count(body, `"role":"tool"`)
		if r.Protocol == agenttest.OpenAI {
			calls = strings.Count(body, `"id":"id-`)
		}
		if calls != results {
			t.Errorf("question %d shows %d calls and %d results: %s", r.Number, calls, results, body)
		}
		if !strings.Contains(body, "dig") {
			t.Errorf("question %d lacks the intent", r.Number)
		}
	}
}

// After a resume the model is shown the same as before.
func TestResumeHonoursTheSummary(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.remember(beginning("dig")...)
		w.remember(asks(1, "id-1"), answers(1, "id-1", "ancient"))
		w.remember(asks(2, "id-2"), answers(2, "id-2", "recent"))
		w.remember(process.Message{Step: 3, Role: process.RoleSummary, Text: "SUMMARY", Replaces: 4})
		w.remember(asks(3, "id-3"), answers(3, "id-3", "new"))
		w.server.Script(agenttest.Say("the end"))
		if _, err := w.resume(spec("dig")); err != nil {
			t.Fatal(err)
		}
		body := string(w.server.Requests()[0].Body)
		var got []bool
		for _, word := range []string{"ancient", "SUMMARY", "recent", "new", "dig"} {
			got = append(got, strings.Contains(body, word))
		}
		if diff := cmp.Diff([]bool{false, true, true, true, true}, got); diff != "" {
			t.Errorf("%s: %s", diff, body)
		}
		if s := w.steps(); s[0].Step != 4 {
			t.Errorf("steps %+v", s)
		}
		checkPaired(t, w.server.Requests())
	}, withTools("echo"))
}

// What was counted before a summary does not fill the window after it.
func TestResumeDoesNotSummariseAgain(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.remember(beginning("dig")...)
		w.remember(asks(1, "id-1"), answers(1, "id-1", "ancient"))
		large := asks(2, "id-2")
		large.Tokens = &process.MessageTokens{Input: 900, Output: 50}
		w.remember(large, answers(2, "id-2", "recent"))
		w.remember(process.Message{Step: 3, Role: process.RoleSummary, Text: "SUMMARY", Replaces: 4})
		w.server.Script(agenttest.Say("the end"))
		if res, err := w.resume(spec("dig")); err != nil || res.State != process.ExitSuccess || len(w.server.Requests()) != 1 {
			t.Errorf("got %+v, %v after %d questions", res, err, len(w.server.Requests()))
		}
	}, compacting)
}

// A model that says that the conversation is too long has it summarised, once.
func TestTooLongIsSummarisedOnce(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		tooLong := agenttest.Turn{Status: 400, Kind: "invalid_request_error", Said: "prompt is too long: 250000 tokens > 200000 maximum context length"}
		w.host.OnCall = echo
		w.server.Script(agenttest.Ask(agenttest.Call{Name: "svc__echo", Args: "{}"}), tooLong, agenttest.Say("SUMMARY"), agenttest.Say("done"))
		if got := w.succeed(spec("x")); got != "done" {
			t.Errorf("result %q", got)
		}
		other := newWorld(t, providerOf(t), withTools("echo"))
		other.host.OnCall = echo
		other.server.Script(agenttest.Ask(agenttest.Call{Name: "svc__echo", Args: "{}"}), tooLong, agenttest.Say("SUMMARY"), tooLong)
		if _, err := other.run(spec("x")); err == nil || !strings.Contains(err.Error(), "too long") || len(other.server.Requests()) != 4 {
			t.Errorf("got %v after %d questions", err, len(other.server.Requests()))
		}
	}, withTools("echo"))
}

func TestIntentThatDoesNotFit(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.server.Script(agenttest.Turn{Status: 400, Kind: "invalid_request_error", Said: "prompt is too long"})
		_, err := w.run(spec(strings.Repeat("much ", 2000)))
		if err == nil || !strings.Contains(err.Error(), "does not fit") || len(w.server.Requests()) != 1 {
			t.Errorf("got %v after %d questions", err, len(w.server.Requests()))
		}
	}, compacting)
}
