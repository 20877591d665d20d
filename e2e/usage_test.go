//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/reeverun/reeve/env/agent/agenttest"
)

// usage waits until a run has n samples, and returns them.
func (d *daemon) usage(t *testing.T, id int64, n int) (series m) {
	t.Helper()
	waitFor(t, "samples", func() bool {
		series = d.get(t, path(id, "/usage")).want(t, 200).json(t)
		return len(series.list("samples")) >= n
	})
	return series
}

// What a command uses is told while it runs, kept when it is over, and goes on
// under the next daemon.
func TestUsageOverTime(t *testing.T) {
	t.Parallel()
	base, gate := newBase(t), filepath.Join(t.TempDir(), "gate")
	d := startIn(t, base, "--stop-jobs=false")
	id := d.sh(t, "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; sleep 0.01 & while [ ! -e "+gate+" ]; do sleep 0.02; done; exit 3").id()
	series := d.usage(t, id, 1)
	first := series.list("samples")[0]
	if series.num("run") != 1 || series.num("stepMs") != 1000 || first.num("cpuMs") <= 0 || first.num("rssBytes") < 64<<10 || first.num("pids") < 1 || first.str("at") == "" {
		t.Errorf("%v", series)
	}
	if _, has := first["tokens"]; !has || first.num("tokens") != 0 {
		t.Errorf("tokens: %v", first)
	}
	d.get(t, "/processes?limit=1") // somebody looks
	waitFor(t, "its processor time in the record", func() bool { return d.record(t, id).obj("usage").num("cpuMs") > 0 })
	if err := d.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-d.exited
	d = startIn(t, base)
	again := d.usage(t, id, len(series.list("samples"))+1).list("samples")
	if again[0].str("at") != first.str("at") || again[len(again)-1].num("cpuMs") < first.num("cpuMs") {
		t.Errorf("first %v, then %v", first, again)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d.await(t, id, "idle").wantEnd(t, "failed")
	kept := d.get(t, path(id, "/usage?run=1")).want(t, 200).json(t).list("samples")
	if last := kept[len(kept)-1]; len(kept) <= len(again) || last.num("pids") != 0 || last.num("cpuMs") < first.num("cpuMs") {
		t.Errorf("at the end %v", kept)
	}
	for query, field := range map[string]string{"run=0": "run", "run=-1": "run", "run=x": "run", "run=": "run", "run=99999999999999999999": "run", "step=1": "step"} {
		d.get(t, path(id, "/usage?"+query)).want(t, 400, "invalid_request").naming(t, field)
	}
	d.get(t, path(id, "/usage?run=2")).want(t, 404, "not_found")
	d.get(t, path(999999, "/usage")).want(t, 404, "not_found")
	d.get(t, "/processes/x/usage").want(t, 400, "invalid_request")
	d.post(t, "/prune", m{"logs": 0}).want(t, 200)
	if left := d.get(t, path(id, "/usage")).want(t, 200).json(t); len(left.list("samples")) > 0 || left["samples"] == nil {
		t.Errorf("pruned: %v", left)
	}
	never := d.fake(t, "", m{"autorun": false}).id()
	if s := d.get(t, path(never, "/usage")).want(t, 200).json(t); s.num("run") != 0 || s["samples"] == nil || s.num("stepMs") != 1000 {
		t.Errorf("never run: %v", s)
	}
	d.delete(t, id).want(t, 200)
	d.get(t, path(id, "/usage")).want(t, 404, "not_found")
}

// A program's use is told as that of a command, an agent's tokens as it spends
// them.
func TestUsageOfProgramsAndAgents(t *testing.T) {
	t.Parallel()
	s := agenttest.New(t)
	d := withModel(t, newBase(t), "openai", s)
	id := d.ts(t, "setInterval(() => { const end = Date.now() + 20; while (Date.now() < end); }, 100)", m{"options": m{"timeout": nil}}).id()
	asked := 0
	s.Answer(func(agenttest.Request) agenttest.Turn {
		if asked++; asked < 3 {
			return agenttest.Ask(agenttest.Call{ID: "a", Name: "reeve_output", Args: `{"output":{"seen":true}}`})
		}
		return agenttest.Say("done")
	})
	agent := d.agent(t, "think", block).wantEnd(t, "success")
	samples := d.get(t, path(agent.id(), "/usage")).want(t, 200).json(t).list("samples")
	if n := len(samples); n < 2 || samples[n-1].num("tokens") != agent.obj("usage").num("tokens") || samples[0].num("tokens") == 0 {
		t.Errorf("an agent that took %v: %v", agent["usage"], samples)
	}
	var last m
	waitFor(t, "what a program used", func() bool {
		samples := d.usage(t, id, 1).list("samples")
		last = samples[len(samples)-1]
		return last.num("cpuMs") >= 20
	})
	if last.num("rssBytes") < 1<<20 || last.num("pids") != 1 {
		t.Errorf("a program: %v", last)
	}
	d.kill(t, id, m{"now": true, "block": true})
}
