package agent_test

import (
	"bytes"
	"testing"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/agent"
	"github.com/reeverun/reeve/env/agent/agenttest"
	"github.com/reeverun/reeve/env/envtest"
	"github.com/reeverun/reeve/process"
)

// What an agent does is up to its model: this one does what the intent says.
func obedient(r agenttest.Request) agenttest.Turn {
	switch {
	case bytes.Contains(r.Body, []byte("say hello")):
		return agenttest.Say("hello")
	case bytes.Contains(r.Body, []byte("work without end")):
		return agenttest.Ask(agenttest.Call{Name: "reeve_output", Args: `{"output":{"n":1}}`})
	case bytes.Contains(r.Body, []byte("think without end")):
		return agenttest.Hang()
	}
	return agenttest.Fault(401)
}

func TestConformance(t *testing.T) {
	for _, provider := range []string{agent.OpenAI, agent.Anthropic} {
		t.Run(provider, func(t *testing.T) {
			open := func(t *testing.T) env.Environment {
				s := agenttest.New(t)
				s.Answer(obedient)
				return open(t, s, provider, 0)
			}
			endless := spec("work without end")
			endless.Options.MaxSteps = 1_000_000
			nobody := &process.Spec{Environment: process.EnvAgent, Code: "say hello", Options: process.Options{Provider: "nobody"}}
			envtest.Run(t, open, envtest.Specs{Hello: spec("say hello"), Fail: spec("fail"), Hang: endless,
				Stubborn: spec("think without end"), Unstarted: nobody, Quiet: true})
		})
	}
}
