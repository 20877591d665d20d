//go:build linux

package e2e

import (
	"strings"
	"testing"

	"github.com/reeverun/reeve/env/agent/agenttest"
)

// The keys of the daemon are not handed on to what it runs, by whatever way it is
// started.
func TestIssue5KeysAreNotInherited(t *testing.T) {
	eachModel(t, func(t *testing.T, provider string, s *agenttest.Server) {
		base := newBase(t)
		d := withModel(t, base, provider, s)
		if out := d.sh(t, "env", block).wantEnd(t, "success").str("stdout"); strings.Contains(out, agentKey) || !strings.Contains(out, "PATH=") {
			t.Errorf("a command sees the key, or no PATH")
		}
		sup := d.post(t, "/supervisors", m{"children": []m{{"name": "a", "restart": "temporary", "environment": "command", "code": "env"}}}).want(t, 201).json(t)
		d.await(t, sup.id(), "idle")
		if out := d.record(t, sup.child("a").num("process")).str("stdout"); strings.Contains(out, agentKey) || !strings.Contains(out, "PATH=") {
			t.Errorf("a supervised command sees the key, or no PATH")
		}
		s.Answer(func(r agenttest.Request) agenttest.Turn {
			if strings.Contains(string(r.Body), "call_1") {
				return agenttest.Say("done")
			}
			return agenttest.Ask(call("reeve_spawn", `{"environment":"command","code":"env","label":"nosy"}`))
		})
		id := d.agent(t, "look", block, m{"options": m{"tools": []string{"reeve/*", "reeve/spawn.command"}}}).wantEnd(t, "success").id()
		kids := d.get(t, path(id, "/tree")).want(t, 200).json(t).list("children")
		if len(kids) != 1 {
			t.Fatalf("%d children: %v", len(kids), d.messages(t, id))
		}
		if out := d.await(t, kids[0].id(), "idle").str("stdout"); strings.Contains(out, agentKey) {
			t.Errorf("an agent's command sees the key")
		}
		d.wantNoKey(t, base)
	})
}
