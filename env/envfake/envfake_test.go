package envfake_test

import (
	"testing"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/env/envtest"
	"github.com/reeverun/reeve/process"
)

func TestConformance(t *testing.T) {
	envtest.Run(t, func(*testing.T) env.Environment { return &envfake.Env{} }, envtest.Specs{
		Hello:     &process.Spec{Code: "out hello\nerr oops"},
		Fail:      &process.Spec{Code: "fail no luck"},
		Hang:      &process.Spec{Code: "hang"},
		Stubborn:  &process.Spec{Code: "stubborn"},
		Unstarted: &process.Spec{Code: "spawnfail no such thing"},
	})
}

func TestExecuteBeforeSetup(t *testing.T) {
	e := &envfake.Env{}
	if _, err := e.Execute(t.Context(), env.Input{EID: 1}, envtest.NewHost(t)); err == nil {
		t.Error("it ran")
	}
}
