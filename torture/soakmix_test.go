//go:build linux

package torture

import (
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"github.com/reeverun/reeve/env/agent/agenttest"
)

// newcomer makes up the next process of the mix.
func (s *soak) newcomer() *proc {
	p := s.anyKind()
	if p.nurse {
		return p
	}
	switch s.rand.IntN(8) {
	case 0:
		p.body["ref"] = p.name
	case 1:
		if !p.never && (p.job == nil || p.job.Kind != Endless) {
			p.body["block"] = true
		}
	case 2:
		p.body["tags"] = []string{"pinned"} // its output is kept
	}
	return p
}

func (s *soak) anyKind() *proc {
	switch n := s.rand.IntN(100); {
	case n < 15:
		return s.quick()
	case n < 50:
		return s.chatty()
	case n < 58:
		return s.command(Fed, 1+s.rand.IntN(200), s.upTo(time.Second))
	case n < 61:
		return s.command(Plain, 2000+s.rand.IntN(3000), 0) // a flood
	case n < 73:
		return s.script(10+s.rand.IntN(60), s.upTo(1500*time.Millisecond))
	case n < 83:
		return s.ordinary()
	case n < 91:
		return s.malign()
	case n < 97:
		return s.agent()
	default:
		return s.nursery()
	}
}

// agent makes up an agent whose model says one line.
func (s *soak) agent() *proc {
	p := s.newProc("agent", map[string]any{"environment": "agent"})
	p.program = &program{lines: 1, agent: true}
	p.body["code"] = "say " + p.name
	return p
}

// answerAgents has the model say what is foretold, and enter the agent into
// the ledger.
func (s *soak) answerAgents(model *agenttest.Server) {
	named := regexp.MustCompile(`say (agent\d+)`)
	model.Answer(func(r agenttest.Request) agenttest.Turn {
		found := named.FindSubmatch(r.Body)
		if found == nil {
			return agenttest.Fault(400)
		}
		name := string(found[1])
		s.ledger.begins(name)
		line := (&program{}).line(name, 1)
		return agenttest.Say(line[:len(line)-1])
	})
}

// nursery makes up a supervisor that runs two commands again and again, one of
// which fails each time.
func (s *soak) nursery() *proc {
	p := s.newProc("nursery", map[string]any{"environment": "supervisor"})
	p.nurse = true
	var children []any
	for i := range 2 {
		job := Job{Name: fmt.Sprintf("%schild%d", p.name, i), Mark: s.mark, Ledger: s.ledger.file, Kind: Plain, Lines: 5, Pace: 5 * time.Millisecond}
		children = append(children, map[string]any{
			"name": job.Name, "restart": "permanent", "options": map[string]any{"grace": 150, "drain": 50},
			"command": map[string]any{"program": suite.job, "args": []string{job.String(), Leader}},
		})
		p.children = append(p.children, &job)
	}
	code, err := json.Marshal(map[string]any{
		"name": p.name, "strategy": "one_for_one", "maxRestarts": 1000, "window": "1s",
		"backoff": map[string]any{"initial": "50ms", "max": "100ms"}, "children": children,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	p.body["code"] = string(code)
	return p
}
