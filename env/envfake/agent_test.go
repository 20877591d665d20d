package envfake_test

import (
	"testing"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/env/envtest"
	"github.com/reeverun/reeve/process"
)

func TestAgentConformance(t *testing.T) {
	envtest.Run(t, func(*testing.T) env.Environment { return &envfake.Agent{} }, envtest.Specs{
		Hello:     &process.Spec{Code: "out hello\nerr oops"},
		Fail:      &process.Spec{Code: "fail no luck"},
		Hang:      &process.Spec{Code: "hang"},
		Stubborn:  &process.Spec{Code: "stubborn"},
		Unstarted: &process.Spec{Code: "spawnfail no such thing"},
	})
}

func TestAgentGoesOnAfterItsLastMessage(t *testing.T) {
	e, h := &envfake.Agent{}, envtest.NewHost(t)
	if err := e.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	spec := &process.Spec{Code: "remember user do it\nout first\nremember assistant done\nout second\nstep 3\nspend 5\nrecall\nexit 3"}
	for run := range 2 {
		if _, err := e.Execute(t.Context(), env.Input{EID: 1, Run: run + 1, Spec: spec, Resume: run == 1}, h); err != nil {
			t.Fatal(err)
		}
	}
	const recalled = "1 user: do it\n2 assistant: done\n"
	if got, want := h.Text(process.Stdout), "first\nsecond\n"+recalled+"second\n"+recalled; got != want {
		t.Errorf("it wrote %q, want %q", got, want)
	}
	if h.Spent() != 10 || len(h.Emitted()) != 2 {
		t.Errorf("it spent %d and told %v", h.Spent(), h.Emitted())
	}
}
