//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/reeverun/reeve/env/agent/agenttest"
)

func call(name, args string) agenttest.Call { return agenttest.Call{Name: name, Args: args} }

func (d *daemon) messages(t testing.TB, id int64) []m {
	t.Helper()
	return d.get(t, path(id, "/transcript")).want(t, 200).json(t).list("messages")
}

// Each fault is survived by asking again: no step is lost for it, the same is
// asked, and the transcript holds the whole answer once.
func TestIssue5AgentFaults(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		base := newBase(t)
		d := withModel(t, base, provider, s)
		good := agenttest.Say("all is well")
		broken := agenttest.Turn{Text: "half of it", Piece: 2, Drop: 4}
		for name, fault := range map[string]agenttest.Turn{
			"429":          agenttest.Fault(429).With("Retry-After", "1"),
			"429 in ms":    agenttest.Fault(429).With("Retry-After-Ms", "300"),
			"500":          agenttest.Fault(500),
			"503":          agenttest.Fault(503),
			"529":          agenttest.Fault(529),
			"dropped":      broken,
			"garbage":      {Raw: "data: {\"this is\": not json\n\n"},
			"html":         {Raw: "<html>bad gateway</html>"},
			"empty":        {Raw: "\n"},
			"error inside": {Text: "so far", Error: "overloaded"},
		} {
			before := len(s.Requests())
			var n atomic.Int64
			var at [2]time.Time
			s.Answer(func(agenttest.Request) agenttest.Turn {
				i := n.Add(1)
				if i <= 2 {
					at[i-1] = time.Now()
				}
				if i == 1 {
					return fault
				}
				return good
			})
			rec := d.agent(t, "try "+name, block, m{"options": m{"maxSteps": 1}})
			if rec.exitState() != "success" || rec.obj("output")["result"] != "all is well" {
				t.Errorf("%s: %s %v, output %v, stderr %q", name, rec.exitState(), rec["error"], rec["output"], rec.str("stderr"))
				continue
			}
			asked := s.Requests()[before:]
			if len(asked) != 2 || !bytes.Equal(asked[0].Body, asked[1].Body) {
				t.Errorf("%s: asked %d times, or not the same", name, len(asked))
			}
			if wait := at[1].Sub(at[0]); name == "429" && wait < time.Second {
				t.Errorf("Retry-After of 1 s: asked again after %v", wait)
			}
			if steps := d.told(t, rec.id(), "step_finished"); len(steps) != 1 || steps[0].num("retries") != 1 {
				t.Errorf("%s: steps %v", name, steps)
			}
			said := d.messages(t, rec.id())
			if len(said) != 3 || said[2].str("text") != "all is well" {
				t.Errorf("%s: transcript %v", name, said)
			}
			if rec.str("stderr") == "" {
				t.Errorf("%s: nothing on stderr", name)
			}
		}
		d.wantNoKey(t, base)
	})
}

// What will not go away ends the run at once, with the provider's words and
// without the key they repeat.
func TestIssue5AgentErrors(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		base := newBase(t)
		d := withModel(t, base, provider, s)
		for _, status := range []int{400, 401, 403, 404} {
			before := len(s.Requests())
			said := fmt.Sprintf("no, because of %d and %s", status, agentKey)
			s.Answer(func(agenttest.Request) agenttest.Turn { return agenttest.Turn{Status: status, Said: said} })
			rec := d.agent(t, "x", block).wantEnd(t, "failed")
			if !strings.Contains(rec.str("error"), fmt.Sprintf("because of %d", status)) || rec.obj("exit").num("code") != 1 {
				t.Errorf("%d: error %q, exit %v", status, rec.str("error"), rec["exit"])
			}
			if all := mustJSON(t, rec) + mustJSON(t, d.events(t, rec.id())); strings.Contains(all, agentKey) {
				t.Errorf("%d: the key is shown: %s", status, all)
			}
			if n := len(s.Requests()) - before; n != 1 {
				t.Errorf("%d: asked %d times", status, n)
			}
		}
		s.Answer(func(agenttest.Request) agenttest.Turn {
			return agenttest.Turn{Text: "I echo " + agentKey[:4], Error: "stream failed for " + agentKey}
		})
		id := d.agent(t, "x").id()
		d.awaitTold(t, id, "output_appended")
		s.Await(len(s.Requests()))
		waitFor(t, "a line about the retry", func() bool { return d.record(t, id).num("stderrBytes") > 0 })
		d.kill(t, id, m{"now": true, "block": true})
		d.wantNoKey(t, base)
		auth := s.Requests()[0].Header
		if auth.Get("Authorization") != "Bearer "+agentKey && auth.Get("X-Api-Key") != agentKey {
			t.Errorf("the key was not shown to the model: %v", auth)
		}
	})
}

// Bad calls of a model are its own affair: it is told and goes on.
func TestIssue5AgentBadCalls(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		d := withModel(t, newBase(t), provider, s)
		s.Script(agenttest.Ask(agenttest.Call{ID: "1", Name: "nothing", Args: `{}`}, agenttest.Call{ID: "2", Name: "reeve_wait", Args: `{"id":999}`},
			agenttest.Call{ID: "3", Name: "reeve_spawn", Args: `{"environment":"command","code":"touch /tmp/never"}`}, agenttest.Call{ID: "4", Name: "reeve_output", Args: `{"output":5}`},
			agenttest.Call{ID: "5", Name: "reeve_signal", Args: `{"id":1,"signal":"SIGKILL"}`}, agenttest.Call{ID: "6", Name: "reeve_wait", Args: `{"id":"x"}`},
			agenttest.Call{ID: "7", Name: "reeve_spawn", Args: `{"code":"","parent":1}`}, agenttest.Call{ID: "8", Name: "reeve_read_output", Args: `{"id":1}`}),
			agenttest.Say("I give up"))
		rec := d.agent(t, "misbehave", block).wantEnd(t, "success")
		failed := 0
		for _, msg := range d.messages(t, rec.id()) {
			if msg.str("role") == "tool" && msg["failed"] == true && len(msg.str("text")) > 5 {
				failed++
			}
		}
		if failed != 8 {
			t.Errorf("%d of 8 calls failed: %v", failed, d.messages(t, rec.id()))
		}
	})
}

// Garbage as arguments is either told to the model or asked for again; the run
// does not end for it.
func TestIssue5AgentGarbageArguments(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		d := withModel(t, newBase(t), provider, s)
		s.Script(agenttest.Ask(call("reeve_output", `{"output": {`)), agenttest.Say("done"))
		d.agent(t, "x", block).wantEnd(t, "success")
		s.Answer(func(agenttest.Request) agenttest.Turn { return agenttest.Say(strings.Repeat("é\x00", 3)) })
		d.agent(t, "x", block).wantEnd(t, "success")
	})
}

// Calls of one step run side by side: two children wait for each other.
func TestIssue5AgentCallsAreConcurrent(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		sh := newShop(t)
		base := newBase(t)
		writeFile(t, base, "shop.yaml", shopDocument)
		file := writeFile(t, base, "tools.yaml", sh.services())
		variables := append(sh.variables(), "OPENAI_BASE_URL="+s.OpenAI(), "OPENAI_API_KEY="+agentKey)
		if provider == "anthropic" {
			variables = append(sh.variables(), "ANTHROPIC_BASE_URL="+s.Anthropic(), "ANTHROPIC_API_KEY="+agentKey)
		}
		d := startRealIn(t, base, variables, "--agent-model", "scripted", "--tools", file)
		s.Script(agenttest.Ask(agenttest.Call{ID: "1", Name: "shop__meet", Args: `{"n":3}`}, agenttest.Call{ID: "2", Name: "shop__meet", Args: `{"n":3}`}, agenttest.Call{ID: "3", Name: "shop__meet", Args: `{"n":3}`}),
			agenttest.Say("met"))
		rec := d.agent(t, "meet", block, m{"options": m{"timeout": 20000}}).wantEnd(t, "success")
		if rec.obj("output")["result"] != "met" {
			t.Errorf("%v", rec["output"])
		}
		if n := len(d.told(t, rec.id(), "tool_returned")); n != 3 {
			t.Errorf("%d returned", n)
		}
		// Options narrow what is offered.
		s.Answer(func(agenttest.Request) agenttest.Turn { return agenttest.Say("x") })
		d.agent(t, "x", block, m{"options": m{"tools": []string{"shop/get_*"}}})
		all := s.Requests()
		if got := strings.Join(all[len(all)-1].Tools(), " "); !strings.Contains(got, "shop__get_pet") || strings.Contains(got, "shop__meet") {
			t.Errorf("offered: %s", got)
		}
	})
}

// Slow tokens appear as they come; a kill in the middle is prompt, and what was
// said stays.
func TestIssue5AgentStreams(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		d := withModel(t, newBase(t), provider, s)
		s.Script(agenttest.Turn{Text: "one\ntwo\nthree\nfour\n", Piece: 4, Silent: 6})
		id := d.agent(t, "count", m{"options": m{"grace": 100}}).id()
		wantLine(t, d.tap(t, path(id, "/stdout?follow=1")), "one\n")
		start := time.Now()
		rec := d.kill(t, id, block).wantEnd(t, "canceled")
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("the kill took %v", took)
		}
		if !strings.HasPrefix(rec.str("stdout"), "one\n") {
			t.Errorf("stdout %q", rec.str("stdout"))
		}
		if said := d.messages(t, id); len(said) != 2 {
			t.Errorf("a half answer is in the transcript: %v", said)
		}
	})
}

// SIGTERM and SIGINT let the step finish.
func TestIssue5AgentFinishesItsStep(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		d := withModel(t, newBase(t), provider, s)
		for name, code := range map[string]int64{"term": 143, "int": 130} {
			asked := len(s.Requests())
			wait := make(chan struct{})
			s.Answer(func(agenttest.Request) agenttest.Turn {
				return agenttest.Turn{Wait: wait, Calls: []agenttest.Call{call("reeve_output", `{"output":{"done":true}}`)}, Usage: agenttest.Usage{Input: 1, Output: 1}}
			})
			id := d.agent(t, "work", m{"options": m{"grace": 20000}}).id()
			s.Await(asked + 1)
			d.signal(t, id, name, nil)
			close(wait)
			rec := d.await(t, id, "idle").wantEnd(t, "failed")
			if rec.obj("exit").num("code") != code || rec.obj("output")["done"] != true || len(s.Requests()) != asked+1 {
				t.Errorf("%s: exit %v, output %v, %d questions", name, rec["exit"], rec["output"], len(s.Requests())-asked)
			}
			if n := len(d.told(t, id, "step_finished")); n != 1 {
				t.Errorf("%s: %d steps finished", name, n)
			}
		}
	})
}

// Pause holds before the next step; the step under way is finished.
func TestIssue5AgentPausesBetweenSteps(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		d := withModel(t, newBase(t), provider, s)
		wait := make(chan struct{})
		s.Answer(func(r agenttest.Request) agenttest.Turn {
			if strings.Contains(string(r.Body), "call_1") {
				return agenttest.Say("done")
			}
			return agenttest.Turn{Wait: wait, Calls: []agenttest.Call{call("reeve_output", `{"output":{"first":true}}`)}, Usage: agenttest.Usage{Input: 1, Output: 1}}
		})
		id := d.agent(t, "work").id()
		s.Await(1)
		answered := make(chan answer, 1)
		go func() {
			a, _ := d.try(request{method: "POST", path: path(id, "/signals/pause")})
			answered <- a
		}()
		waitFor(t, "the pause to be under way", func() bool { return d.record(t, id).state() == "running" })
		close(wait)
		if rec := (<-answered).object().obj("process"); rec["paused"] != true || rec.state() != "running" {
			t.Errorf("%v", rec)
		}
		d.awaitTold(t, id, "step_finished")
		before := d.record(t, id).obj("usage")
		waitFor(t, "a pause", func() bool { return d.record(t, id).obj("usage").num("pausedMs") > before.num("pausedMs")+200 })
		if after := d.record(t, id).obj("usage"); after.num("wallMs")-before.num("wallMs") > 100 || len(s.Requests()) != 1 {
			t.Errorf("while paused: %v to %v, %d questions", before, after, len(s.Requests()))
		}
		d.signal(t, id, "resume", nil)
		d.await(t, id, "idle").wantEnd(t, "success")
		if len(s.Requests()) != 2 {
			t.Errorf("%d questions", len(s.Requests()))
		}
	})
}

// A pause over an orderly restart and a crash after it; elapsed time stands.
func TestIssue5PausedAgentOverRestarts(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		base := newBase(t)
		d := withModel(t, base, provider, s)
		s.Script(agenttest.Ask(call("reeve_output", `{"output":{"first":1}}`)), agenttest.Hang())
		id := d.agent(t, "work", m{"options": m{"timeout": 60000}}).id()
		s.Await(2)
		paused := d.signal(t, id, "pause", m{"now": true}).obj("process")
		for i := range 2 {
			if i == 0 {
				for _, problem := range d.end() {
					t.Error(problem)
				}
			} else {
				d.crash()
			}
			d = withModel(t, base, provider, s)
			rec := d.record(t, id)
			if rec.state() != "running" || rec["paused"] != true || rec.str("pausedAt") != paused.str("pausedAt") || rec.num("run") != 1 ||
				rec.obj("usage").num("wallMs")-paused.obj("usage").num("wallMs") > 100 || rec.obj("usage").num("tokens") != 15 {
				t.Fatalf("after restart %d: %v (%v)", i+1, rec, paused)
			}
			if n := len(d.told(t, id, "reattached")); n != i+1 {
				t.Errorf("reattached is told %d times", n)
			}
		}
		if n := len(s.Requests()); n != 2 {
			t.Errorf("%d questions while paused", n)
		}
		s.Answer(func(agenttest.Request) agenttest.Turn { return agenttest.Say("done") })
		d.signal(t, id, "resume", nil)
		rec := d.await(t, id, "idle").wantEnd(t, "success")
		if out := rec.obj("output"); out["result"] != "done" || out["first"] != 1.0 {
			t.Errorf("output %v", out)
		}
		if rec.obj("usage").num("tokens") != 30 {
			t.Errorf("usage %v", rec["usage"])
		}
		wantSeqs(t, d.events(t, id), 1)
		wantInOrder(t, kinds(d.events(t, id)), "process_started", "step_finished", "paused", "reattached", "reattached", "resumed", "step_finished", "reaped", "finalized")
	})
}

// A paused agent that was taken up by another daemon can be killed there.
func TestIssue5KillAfterReattach(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		base := newBase(t)
		d := withModel(t, base, provider, s)
		s.Script(agenttest.Hang())
		id := d.agent(t, "work").id()
		s.Await(1)
		d.signal(t, id, "pause", m{"now": true})
		d.crash()
		d = withModel(t, base, provider, s)
		rec := d.kill(t, id, block).wantEnd(t, "canceled")
		if e := rec.obj("exit"); e.num("code") != 1 || e.str("reason") != "context cancelled while paused" {
			t.Errorf("exit %v", e)
		}
		resumed := d.reeve(t, "", "rerun", "--detach", "--resume", itoa(id))
		if resumed.code != 0 {
			t.Errorf("rerun --resume: %+v", resumed)
		}
		s.Await(2)
		d.kill(t, id, m{"now": true, "block": true})
	})
}

// Many agents at once, killed with their daemon: each is told as interrupted,
// and goes on from where it was.
func TestIssue5ManyAgentsCrash(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		base := newBase(t)
		d := withModel(t, base, provider, s)
		var finish atomic.Bool
		s.Answer(func(r agenttest.Request) agenttest.Turn {
			switch n := len(r.JSON.Messages); {
			case finish.Load():
				return agenttest.Say("done")
			case n > 3:
				return agenttest.Hang()
			}
			return agenttest.Ask(call("reeve_output", `{"output":{"first":1}}`))
		})
		var mu sync.Mutex
		var ids []int64
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 10 {
					a, err := d.try(request{method: "POST", path: "/processes", body: m{"environment": "agent", "code": "work"}})
					if err == nil && a.status == 201 {
						mu.Lock()
						ids = append(ids, a.object().id())
						mu.Unlock()
					}
				}
			})
		}
		wg.Wait()
		if len(ids) != 40 {
			t.Fatalf("%d made", len(ids))
		}
		s.Await(60)
		d.crash()
		d = withModel(t, base, provider, s)
		finish.Store(true)
		for _, id := range ids {
			rec := d.record(t, id).wantEnd(t, "failed")
			if rec.str("error") != "host process exited" {
				t.Errorf("%v", rec["error"])
			}
			before := len(d.messages(t, id))
			rec = d.post(t, path(id, "/signals/run"), m{"resume": true, "block": true}).want(t, 200).json(t).wantEnd(t, "success")
			said := d.messages(t, id)
			for i, msg := range said {
				if msg.num("number") != int64(i+1) {
					t.Errorf("message %d has the number %v", i+1, msg["number"])
				}
			}
			if len(said) < before || rec.obj("output")["result"] != "done" {
				t.Errorf("%d messages before, %d after; output %v", before, len(said), rec["output"])
			}
		}
		if left := d.ids(t, "state=running"); len(left) != 0 {
			t.Errorf("running: %v", left)
		}
	})
}

// An agent reads, signals and waits for its children; they are in its tree and
// end with it.
func TestIssue5AgentsChildren(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		d := withModel(t, newBase(t), provider, s)
		script := []agenttest.Turn{
			agenttest.Ask(call("reeve_spawn", `{"environment":"command","code":"trap 'echo bye; exit 4' TERM; echo re''ady; while :; do sleep 0.02; done"}`)),
			agenttest.Ask(call("reeve_read_output", `{"id":2}`)),
			agenttest.Ask(call("reeve_signal", `{"id":2,"signal":"SIGTERM"}`)),
			agenttest.Ask(call("reeve_wait", `{"id":2}`)),
			agenttest.Ask(call("reeve_spawn", `{"environment":"command","code":"sleep 1000"}`)),
			agenttest.Say("leaving"),
		}
		step := 0
		var mu sync.Mutex
		s.Answer(func(r agenttest.Request) agenttest.Turn {
			mu.Lock()
			defer mu.Unlock()
			if step == 2 && !strings.Contains(string(r.Body), "ready") {
				return script[1] // not yet
			}
			step++
			return script[step-1]
		})
		rec := d.agent(t, "mind a child", block, m{"options": m{"tools": []string{"reeve/*", "reeve/spawn.command"}, "maxSteps": 500}}).wantEnd(t, "success")
		child := d.record(t, 2)
		if child.num("parent") != rec.id() || child.obj("exit").num("code") != 4 {
			t.Errorf("child: parent %v, exit %v, %v", child["parent"], child["exit"], d.messages(t, rec.id()))
		}
		all := s.Requests()
		if last := string(all[len(all)-1].Body); !strings.Contains(last, "bye") {
			t.Errorf("the model did not see the end of its child")
		}
		orphan := d.record(t, 3)
		if orphan.state() != "running" {
			t.Logf("an agent's child after its end: %s/%s", orphan.state(), orphan.exitState())
		}
		d.signalOf(t, 3)
	})
}

func (d *daemon) signalOf(t testing.TB, id int64) {
	t.Helper()
	_, _ = d.try(request{method: "POST", path: path(id, "/signals/kill"), body: m{"now": true, "block": true}})
}

// The transcript by pages, refused where it makes no sense, and encrypted at rest.
func TestIssue5Transcript(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		base := newBase(t)
		d := withModel(t, base, provider, s)
		const secret = "the-vault-opens-with-4711"
		s.Script(agenttest.Ask(call("reeve_output", `{"output":{"n":1}}`)), agenttest.Ask(call("reeve_output", `{"output":{"n":2}}`)), agenttest.Say("done"))
		id := d.agent(t, "remember", block, m{"options": m{"system": secret}}).wantEnd(t, "success").id()
		whole := d.messages(t, id)
		var paged []m
		for after := int64(0); ; {
			page := d.get(t, path(id, fmt.Sprintf("/transcript?after=%d&limit=2", after))).want(t, 200).json(t)
			if len(page.list("messages")) == 0 {
				break
			}
			paged = append(paged, page.list("messages")...)
			after = page.num("next")
		}
		if mustJSON(t, whole) != mustJSON(t, paged) || len(whole) != 7 {
			t.Errorf("%d messages, %d by pages", len(whole), len(paged))
		}
		for _, q := range []string{"after=x", "after=-1", "limit=0", "limit=x", "limit=100000", "nonsense=1"} {
			if a := d.get(t, path(id, "/transcript?"+q)); a.status != 400 {
				t.Errorf("?%s: %d", q, a.status)
			}
		}
		got := d.reeve(t, "", "transcript", "--json", itoa(id))
		rows := strings.Split(strings.TrimSpace(got.stdout), "\n")
		if got.code != 0 || len(rows) != len(whole) {
			t.Errorf("transcript --json: %+v", got)
		}
		for _, row := range rows {
			var msg m
			if json.Unmarshal([]byte(row), &msg) != nil || msg.num("number") == 0 {
				t.Errorf("row %q", row)
			}
		}
		for args, code := range map[string]int{"transcript": 2, "transcript 987654": 1, "transcript x y": 2, "transcript --run 9 " + itoa(id): 1, "transcript --run x " + itoa(id): 2} {
			if got := d.reeve(t, "", strings.Fields(args)...); got.code != code {
				t.Errorf("reeve %s: %+v, want %d", args, got, code)
			}
		}
		d.delete(t, id).want(t, 200)
		d.get(t, path(id, "/transcript")).want(t, 404)
	})
}

// Options that make no sense are refused before anything is asked.
func TestIssue5AgentOptions(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		d := withModel(t, newBase(t), provider, s)
		for name, bad := range map[string]any{"maxSteps": -1, "provider": "nobody", "model": 5, "system": 5, "tools": "all", "limits": m{"memoryBytes": 1 << 20}, "jit": false, "nonsense": 1} {
			d.post(t, "/processes", m{"environment": "agent", "code": "x", "options": m{name: bad}}).want(t, 400, "invalid_request").naming(t, name)
		}
		for _, name := range []string{"model", "provider", "system"} {
			d.post(t, "/processes", m{"environment": "command", "code": "true", "options": m{name: "openai"}}).want(t, 400, "invalid_request").naming(t, name)
		}
		d.post(t, "/processes", m{"environment": "command", "code": "true", "options": m{"maxSteps": 3}}).want(t, 400, "invalid_request").naming(t, "maxSteps")
		other := map[string]string{"openai": "anthropic", "anthropic": "openai"}[provider]
		a := d.post(t, "/processes", m{"environment": "agent", "code": "x", "options": m{"provider": other}})
		if a.status != 503 && a.status != 400 {
			t.Errorf("a provider that is not set up: %v", a)
		}
		d.post(t, "/processes", m{"environment": "agent", "command": m{"program": "true"}}).want(t, 400, "invalid_request")
		if n := len(s.Requests()); n != 0 {
			t.Errorf("%d questions were asked", n)
		}
	})
}

// reeve agent is interrupted as a command is: once lets the step finish, twice
// kills; --detach and --json.
func TestIssue5AgentCommandInterrupted(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		d := withModel(t, newBase(t), provider, s)
		s.Script(agenttest.Hang())
		cmd := d.client("agent", "--grace", "60s", "think")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		s.Await(1)
		_ = cmd.Process.Signal(syscall.SIGINT)
		waitFor(t, "the interrupt", func() bool { return len(d.told(t, 1, "signal_delivered")) > 0 })
		_ = cmd.Process.Signal(syscall.SIGINT)
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 130 && code != 137 {
			t.Errorf("exit code %d", code)
		}
		d.await(t, 1, "idle")
		got := d.reeve(t, "", "agent", "--detach", "--ref", "quiet", "think")
		if got.code != 0 || got.stdout != "2\n" {
			t.Errorf("--detach: %+v", got)
		}
		for args, code := range map[string]int{"agent": 2, "agent a b": 2, "agent --max-steps x y": 2, "agent --provider nobody x": 2, "agent --ref quiet x": 1} {
			if got := d.reeve(t, "", strings.Fields(args)...); got.code != code {
				t.Errorf("reeve %s: %+v, want %d", args, got, code)
			}
		}
		d.reeve(t, "", "kill", "--now", "quiet")
		s.Answer(func(agenttest.Request) agenttest.Turn { return agenttest.Say("hello") })
		if got := d.reeve(t, "what is piped\n", "agent", "-"); got.code != 0 || got.stdout != "hello\n" {
			t.Errorf("-: %+v", got)
		}
		if all := s.Requests(); !strings.Contains(string(all[len(all)-1].Body), "what is piped") {
			t.Error("the intent from standard input did not arrive")
		}
		var last m
		js := d.reeve(t, "", "agent", "--json", "greet")
		for row := range strings.SplitSeq(strings.TrimSpace(js.stdout), "\n") {
			last = nil
			if json.Unmarshal([]byte(row), &last) != nil {
				t.Errorf("--json printed %q", row)
			}
		}
		if js.code != 0 || last == nil {
			t.Errorf("--json: %+v", js)
		}
		s.Answer(func(agenttest.Request) agenttest.Turn { return agenttest.Hang() })
		if got := d.reeve(t, "", "agent", "--timeout", "100ms", "--grace", "50ms", "x"); got.code != 124 {
			t.Errorf("--timeout: %+v", got)
		}
	})
}
