//go:build linux

package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/env/agent/agenttest"
)

// slowStep starts an agent whose model does not answer until it is let.
func (d *daemon) slowStep(t testing.TB, s *agenttest.Server, more ...m) (id int64, let chan struct{}) {
	t.Helper()
	let = make(chan struct{})
	s.Answer(func(r agenttest.Request) agenttest.Turn {
		if strings.Contains(string(r.Body), "call_1") {
			return agenttest.Say("done")
		}
		return agenttest.Turn{Wait: let, Calls: []agenttest.Call{call("reeve_output", `{"output":{"first":true}}`)}, Usage: agenttest.Usage{Input: 1, Output: 1}}
	})
	before := len(s.Requests())
	id = d.agent(t, "work", more...).id()
	s.Await(before + 1)
	return id, let
}

// A pause is answered at once, whatever the model does: the seed's pausedAt is
// when pause was called, and a step may take minutes.
func TestIssue5PauseOfAnAgentIsAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	s := agenttest.New(t)
	d := withModel(t, newBase(t), "openai", s)
	id, let := d.slowStep(t, s)
	defer close(let)
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
	defer cancel()
	resp, err := d.open(ctx, request{method: "POST", path: path(id, "/signals/pause")})
	if err != nil {
		t.Fatalf("no answer within 8 s while the model is silent: %v", err)
	}
	resp.Body.Close()
	if rec := d.record(t, id); rec["paused"] != true || rec["pausedAt"] == nil {
		t.Errorf("paused %v at %v", rec["paused"], rec["pausedAt"])
	}
}

// A client that goes away ends nothing, not its pause either.
func TestIssue5PauseOfAClientThatLeaves(t *testing.T) {
	t.Parallel()
	s := agenttest.New(t)
	d := withModel(t, newBase(t), "openai", s)
	id, let := d.slowStep(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{})
	trace := d.follow(t, path(id, "/trace"), nil)
	go func() {
		defer close(gone)
		if resp, err := d.open(ctx, request{method: "POST", path: path(id, "/signals/pause")}); err == nil {
			resp.Body.Close()
		}
	}()
	select {
	case <-gone:
	case <-time.After(2 * time.Second): // it has been received by then
	}
	cancel()
	<-gone
	close(let)
	_ = trace
	waitFor(t, "the pause, or the end", func() bool { rec := d.record(t, id); return rec["paused"] == true || rec.state() == "idle" })
	if rec := d.record(t, id); rec["paused"] != true {
		t.Errorf("the pause was forgotten: %s/%s", rec.state(), rec.exitState())
	}
}

// A kill and a resume overtake a pause that waits for its step.
func TestIssue5WaitingPauseIsOvertaken(t *testing.T) {
	t.Parallel()
	s := agenttest.New(t)
	d := withModel(t, newBase(t), "openai", s)
	for _, by := range []string{"kill", "resume", "pause now"} {
		id, let := d.slowStep(t, s, m{"options": m{"grace": 100}})
		answered := make(chan answer, 1)
		go func() {
			a, _ := d.try(request{method: "POST", path: path(id, "/signals/pause")})
			answered <- a
		}()
		select {
		case a := <-answered:
			answered <- a
		case <-time.After(time.Second):
		}
		switch by {
		case "kill":
			start := time.Now()
			d.kill(t, id, block).wantEnd(t, "canceled")
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("the kill took %v", took)
			}
			close(let)
		case "resume":
			ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
			resp, err := d.open(ctx, request{method: "POST", path: path(id, "/signals/resume")})
			if err != nil {
				t.Errorf("resume while a pause waits: %v", err)
			} else {
				resp.Body.Close()
			}
			cancel()
			close(let)
			waitFor(t, "the end, or a pause", func() bool { rec := d.record(t, id); return rec["paused"] == true || rec.state() == "idle" })
			if rec := d.record(t, id); rec.state() != "idle" {
				t.Errorf("the resume was lost: paused %v", rec["paused"])
				d.signalOf(t, id)
			}
		case "pause now":
			ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
			resp, err := d.open(ctx, request{method: "POST", path: path(id, "/signals/pause"), body: m{"now": true}})
			if err != nil {
				t.Errorf("pause now while a pause waits: %v", err)
			} else {
				resp.Body.Close()
				if rec := d.record(t, id); rec["paused"] != true {
					t.Errorf("pause now: paused %v", rec["paused"])
				}
			}
			cancel()
			close(let)
			d.signalOf(t, id)
		}
		select {
		case <-answered:
		case <-time.After(patience):
			t.Errorf("%s: the first pause is never answered", by)
		}
	}
}

// A tree with an agent in the middle of a step: the commands in it stand still at
// once, they do not wait for a model.
func TestIssue5PauseOfATreeWithAnAgent(t *testing.T) {
	t.Parallel()
	s := agenttest.New(t)
	d := withModel(t, newBase(t), "openai", s)
	id, let := d.slowStep(t, s)
	child := d.ready(t, loop(""), m{"parent": id})
	answered := make(chan answer, 1)
	go func() {
		a, _ := d.try(request{method: "POST", path: path(id, "/signals/pause"), body: m{"tree": true}})
		answered <- a
	}()
	deadline := time.Now().Add(8 * time.Second)
	for d.record(t, child)["paused"] != true {
		if time.Now().After(deadline) {
			t.Error("the command below the agent runs on for 8 s, because the model is silent")
			break
		}
		select {
		case a := <-answered:
			answered <- a
		case <-time.After(20 * time.Millisecond):
		}
	}
	close(let)
	if a := <-answered; a.status != 200 || a.object().num("affected") != 2 {
		t.Errorf("%v", a)
	}
	d.kill(t, id, m{"now": true, "block": true})
}
