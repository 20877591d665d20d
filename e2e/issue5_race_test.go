//go:build linux

package e2e

import (
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/reeverun/reeve/env/agent/agenttest"
)

// Of many children at once exactly as many are let as the budget has.
func TestIssue5BudgetOfChildrenUnderLoad(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	root := d.ready(t, loop(""), budget(m{"children": 5}))
	var made, refused atomic.Int64
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			a, err := d.try(request{method: "POST", path: "/processes", body: m{"environment": "command", "code": "true", "parent": root}})
			switch {
			case err == nil && a.status == 201:
				made.Add(1)
			case err == nil && a.status == 409:
				refused.Add(1)
			default:
				t.Errorf("%v %v", a, err)
			}
		})
	}
	wg.Wait()
	if made.Load() != 5 || refused.Load() != 15 {
		t.Errorf("%d made, %d refused", made.Load(), refused.Load())
	}
	if n := len(d.ids(t, "parent="+itoa(root))); n != 5 {
		t.Errorf("%d are on record", n)
	}
}

// What outlives its parent still counts above, and a re-run starts anew.
func TestIssue5BudgetOfOrphansAndReruns(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	root := d.ready(t, "echo ready; exec "+endless(), budget(m{"cpuMs": 400}))
	middle := d.ready(t, loop(""), m{"parent": root})
	orphan := d.sh(t, "while :; do :; done", m{"parent": middle}).id()
	d.await(t, orphan, "running")
	d.kill(t, middle, m{"tree": false, "now": true, "block": true})
	d.await(t, root, "idle").wantBroke(t, "cpu")
	d.await(t, orphan, "idle").wantBroke(t, "cpu")
	again := d.sh(t, "sleep 0.3", block, budget(m{"wallMs": 500})).wantEnd(t, "success")
	d.post(t, path(again.id(), "/signals/run"), m{"force": true, "block": true}).want(t, 200).json(t).wantEnd(t, "success")
}

// Silence of a model is told; the agent goes on.
func TestIssue5HeartbeatOfAnAgent(t *testing.T) {
	t.Parallel()
	s := agenttest.New(t)
	d := withModel(t, newBase(t), "openai", s)
	let := make(chan struct{})
	s.Answer(func(agenttest.Request) agenttest.Turn {
		turn := agenttest.Say("awake")
		turn.Wait = let
		return turn
	})
	id := d.agent(t, "x", m{"options": m{"heartbeat": 200}}).id()
	d.awaitTold(t, id, "stalled")
	close(let)
	d.await(t, id, "idle").wantEnd(t, "success")
	wantInOrder(t, kinds(d.events(t, id)), "stalled", "recovered", "finalized")
	if n := len(d.told(t, id, "stalled")); n != 1 {
		t.Errorf("stalled %d times", n)
	}
	if text := string(d.get(t, "/metrics").want(t, 200).body); !strings.Contains(text, `reeve_runs_stalled_total{environment="agent"} 1`) {
		t.Error("the metric does not count it")
	}
}

// A daemon that stops in the middle of a question ends the agent within the
// grace, as canceled; the next one can go on with it.
func TestIssue5StopWhileAnAgentThinks(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		base := newBase(t)
		d := withModel(t, base, provider, s)
		s.Script(agenttest.Ask(call("reeve_output", `{"output":{"a":1}}`)), agenttest.Hang())
		id := d.agent(t, "x", m{"options": m{"grace": 100}}).id()
		s.Await(2)
		start := time.Now()
		for _, problem := range d.end() {
			t.Error(problem)
		}
		if took := time.Since(start); took > 15*time.Second {
			t.Errorf("the stop took %v", took)
		}
		d = withModel(t, base, provider, s)
		d.record(t, id).wantEnd(t, "canceled")
		s.Answer(func(agenttest.Request) agenttest.Turn { return agenttest.Say("done") })
		d.post(t, path(id, "/signals/run"), m{"resume": true, "block": true}).want(t, 200).json(t).wantEnd(t, "success")
		if all := s.Requests(); len(all) != 3 || string(all[1].Body) != string(all[2].Body) {
			t.Errorf("%d questions, or another one", len(all))
		}
	})
}

// Pauses and resumes from all sides while agents and commands work: nobody hangs,
// no step is lost or done twice.
func TestIssue5PauseStorm(t *testing.T) {
	t.Parallel()
	s := agenttest.New(t)
	d := withModel(t, newBase(t), "openai", s)
	const steps = 40
	s.Answer(func(r agenttest.Request) agenttest.Turn {
		if len(r.JSON.Messages) > 2*steps {
			return agenttest.Say("done")
		}
		turn := work(r)
		turn.Delay = time.Millisecond
		return turn
	})
	root := d.ready(t, loop(""))
	var ids []int64
	for range 4 {
		ids = append(ids, d.agent(t, "work", m{"parent": root, "options": m{"maxSteps": 100}}).id())
	}
	var over atomic.Bool
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			for !over.Load() {
				for _, name := range []string{"pause", "resume"} {
					a, err := d.try(request{method: "POST", path: path(root, "/signals/"+name), body: m{"tree": true, "now": i%2 == 0 && name == "pause"}})
					if err != nil || a.status != 200 {
						t.Errorf("%s: %v %v", name, a, err)
					}
				}
			}
		})
	}
	for _, id := range ids {
		waitFor(t, "an agent to get on", func() bool {
			rec := d.record(t, id)
			return rec.state() == "idle" || len(d.told(t, id, "step_finished")) > 3
		})
	}
	over.Store(true)
	wg.Wait()
	d.signal(t, root, "resume", m{"tree": true})
	for _, id := range ids {
		d.await(t, id, "idle").wantEnd(t, "success")
		if n := len(d.told(t, id, "step_finished")); n != steps+1 {
			t.Errorf("agent %d: %d steps finished, want %d", id, n, steps+1)
		}
		if said := d.messages(t, id); len(said) != 2+2*steps+1 {
			t.Errorf("agent %d: %d messages", id, len(said))
		}
		wantSeqs(t, d.events(t, id), 1)
	}
	d.kill(t, root, m{"now": true, "block": true})
}

// Kills in random moments of agents' lives, and of the daemon's: every record has
// an end, every transcript is whole, and each goes on.
func TestIssue5CrashesUnderLoad(t *testing.T) {
	t.Parallel()
	s := agenttest.New(t)
	base := newBase(t)
	s.Answer(func(r agenttest.Request) agenttest.Turn {
		if len(r.JSON.Messages) > 60 {
			return agenttest.Say("done")
		}
		return work(r)
	})
	d := withModel(t, base, "openai", s)
	var ids []int64
	for range 8 {
		ids = append(ids, d.agent(t, "work", m{"options": m{"maxSteps": 200}}).id())
	}
	for round := range 3 {
		asked := len(s.Requests())
		s.Await(asked + 10)
		d.signal(t, ids[round], "pause", m{"now": true})
		_ = d.cmd.Process.Signal(syscall.SIGKILL)
		<-d.exited
		d = withModel(t, base, "openai", s)
		for i, id := range ids {
			rec := d.record(t, id)
			switch {
			case i == round && rec["paused"] != true && rec.exitState() != "success":
				t.Errorf("round %d: agent %d was paused and is %s/%s", round, id, rec.state(), rec.exitState())
			case rec["paused"] == true:
				d.signal(t, id, "resume", nil)
			case rec.exitState() != "success":
				d.post(t, path(id, "/signals/run"), m{"resume": true}).want(t, 200)
			}
		}
	}
	for _, id := range ids {
		d.await(t, id, "idle").wantEnd(t, "success")
		said := d.messages(t, id)
		calls := map[bool]int{}
		for i, msg := range said {
			if msg.num("number") != int64(i+1) {
				t.Fatalf("agent %d: message %d has the number %v", id, i+1, msg["number"])
			}
			if msg.str("role") == "assistant" && len(msg.list("calls")) > 0 || msg.str("role") == "tool" {
				calls[msg.str("role") == "tool"]++
			}
		}
		if calls[true] > calls[false] {
			t.Errorf("agent %d: %d calls, %d results", id, calls[false], calls[true])
		}
		wantSeqs(t, d.events(t, id), 1)
	}
}
