package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// tools are one of each permission, one of them hostile.
func tools() []api.Tool {
	return []api.Tool{
		{Service: "pets", Name: "delete_pet", Description: "Deletes a pet.\nFor ever.", Permission: process.Ask,
			Declaration: "/** Deletes a pet. */\nreeve.services.pets.tools.delete_pet(params: {\n\tid: number;\n}): Promise<unknown>"},
		{Service: "pets", Name: "list_pets", Description: "Lists \x1b[2Jpets, and with them all of their names, ages and owners.", Permission: process.Allow},
		{Service: "everything", Name: "printEnv", Permission: process.Deny},
	}
}

func approvals() []process.Approval {
	asked := process.Approval{ID: 12, Process: 108, Run: 2, Call: 3, Service: "pets", Tool: "delete_pet", State: process.ApprovalPending,
		Params: json.RawMessage(`{"id":7,"note":"<b> \u001b[2J","big":12345678901234567890,"id":8}`), RequestedAt: now.Add(-time.Minute), ExpiresAt: now.Add(23 * time.Hour)}
	denied := asked
	denied.ID, denied.State, denied.Params = 3, process.ApprovalDenied, json.RawMessage("{\n\t\"id\": 7\n}")
	denied.DecidedAt, denied.DecidedBy, denied.Reason = ptr(now.Add(-30*time.Second)), ptr("ada"), ptr("not \x1b[2Jtoday")
	return []process.Approval{asked, denied}
}

func TestToolTexts(t *testing.T) {
	golden(t, "tools.txt", toolTable(tools(), 0, palette{}))
	golden(t, "tools-60.txt", toolTable(tools(), 60, palette{}))
	golden(t, "tool.txt", toolText(&tools()[0], palette{}))
	golden(t, "services.txt", serviceTable([]api.Service{
		{Name: "pets", Description: "A shop.", Adapter: "openapi", State: "ready", Tools: 12},
		{Name: "remote", Adapter: "mcp", State: "unavailable", Error: ptr("connection refused"), Tools: 0},
	}, 0, palette{}))
	if toolTable(nil, 80, palette{}) != "" {
		t.Error("an empty list has a head")
	}
}

func TestApprovalTexts(t *testing.T) {
	time.Local = time.UTC
	golden(t, "approvals.txt", approvalTable(approvals(), now, 0, palette{}))
	golden(t, "approvals-60.txt", approvalTable(approvals(), now, 60, palette{}))
	golden(t, "approval.txt", approvalText(&approvals()[0], now, palette{}))
	golden(t, "approval-denied.txt", approvalText(&approvals()[1], now, palette{}))
	if approvalTable(nil, now, 80, palette{}) != "" {
		t.Error("an empty list has a head")
	}
}

// What a program waits for and how it is held are part of what is shown.
func TestShowOfAProgram(t *testing.T) {
	time.Local = time.UTC
	r := samples()[2]
	r.Enforced = &process.Enforced{TreeKill: "cgroup2", Confined: []string{"seccomp", "namespaces"}, Missing: []string{"landlock"}}
	golden(t, "show-waiting.txt", showText(&r, approvals()[:1], nil, now, palette{}))
}

func TestEngines(t *testing.T) {
	if got := engineText(api.Version{Engines: []string{"typescript: v8 13.6", "x\x1b"}}); got != "  typescript: v8 13.6\n  x\\x1b\n" {
		t.Errorf("%q", got)
	}
}

// Nothing that others wrote can move the cursor.
func TestToolTextsAreHarmless(t *testing.T) {
	evil := "\x1b[2J\rx"
	tool := api.Tool{Service: evil, Name: evil, Description: evil + "\n" + evil, Declaration: evil, Permission: process.Permission(evil)}
	v := process.Approval{Service: evil, Tool: evil, State: process.ApprovalState(evil), Params: json.RawMessage(evil), Reason: &evil, DecidedBy: &evil}
	for _, text := range []string{toolTable([]api.Tool{tool}, 0, palette{}), toolText(&tool, palette{}),
		serviceTable([]api.Service{{Name: evil, Adapter: evil, State: evil, Error: &evil}}, 0, palette{}),
		approvalTable([]process.Approval{v}, now, 0, palette{}), approvalText(&v, now, palette{})} {
		if strings.ContainsAny(text, "\x1b\r") {
			t.Errorf("%q", text)
		}
	}
}
