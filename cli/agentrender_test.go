package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/process"
)

func TestTranscriptText(t *testing.T) {
	at := time.Date(2026, 6, 24, 12, 0, 0, 0, time.Local)
	messages := []process.Message{
		{Number: 1, Run: 1, At: at, Role: process.RoleSystem, Text: "You are an agent.\n"},
		{Number: 2, Run: 1, At: at, Role: process.RoleUser, Text: "count the pets\r\nand \x1b[31mname\x07 them"},
		{Number: 3, Run: 1, Step: 1, At: at, Role: process.RoleAssistant, Text: "I shall look.", Model: "m-1", Finish: "tool_calls",
			Tokens: &process.MessageTokens{Input: 120, Cached: 100, Output: 30}, CostUSD: ptr(0.00123),
			Calls: []process.MessageCall{{ID: "a", Name: "pets_list", Arguments: []byte(`{"limit":5}`)}, {ID: "b", Name: "reeve_spawn"}}},
		{Number: 4, Run: 1, Step: 1, At: at, Role: process.RoleTool, Name: "pets_list", CallID: "a", Text: "[\"Rex\"]"},
		{Number: 5, Run: 1, Step: 1, At: at, Role: process.RoleTool, Name: "reeve_spawn", CallID: "b", Text: "not allowed", Failed: true},
		{Number: 6, Run: 2, At: at, Role: process.RoleSummary, Text: "There is Rex.", Replaces: 4},
		{Number: 7, Run: 2, Step: 2, At: at, Role: process.RoleAssistant, Tokens: &process.MessageTokens{Input: 1}, CostUSD: ptr(1.5)},
	}
	var b strings.Builder
	for i := range messages {
		b.WriteString(messageText(&messages[i], palette{}))
	}
	golden(t, "transcript.txt", b.String())
	if got := messageText(&messages[4], palette{on: true}); !strings.HasPrefix(got, "\x1b[33mtool reeve_spawn failed\x1b[0m ") {
		t.Errorf("%q", got)
	}
}

func TestStepLines(t *testing.T) {
	for want, d := range map[string]process.Payload{
		"step 2": process.StepStarted{Step: 2},
		"step 2: 120 tokens in (100 cached), 30 out, $0.0012, asked 3 times, 1.5s": process.StepFinished{Step: 2, InputTokens: 120, CachedTokens: 100,
			OutputTokens: 30, CostUSD: ptr(0.00123), Retries: 2, DurationMS: 1500},
		"step 3: 0 tokens in, 0 out, 2ms: no \\x1b answer": process.StepFinished{Step: 3, DurationMS: 2, Error: "no \x1b answer\nat all"},
		"  call 1: pets/get":                                     process.ToolCalled{Call: 1, Service: "pets", Tool: "get"},
		"  back from pets/get, call 1, after 3ms":                process.ToolReturned{Call: 1, Service: "pets", Tool: "get", OK: true, DurationMS: 3},
		"  back from pets/get, call 1, after 3ms: denied: never": process.ToolReturned{Call: 1, Service: "pets", Tool: "get", DurationMS: 3, Code: "denied", Error: "never"},
		"  started process 7":                                    process.ChildSpawned{Child: 7},
		"  the model is busy: asked again in 2s":                 process.WarningDetected{Message: "the model is busy: asked again in 2s"},
		"paused: 'reeve resume 5' lets it go on":                 process.Paused{},
		"resumed":                                                process.Resumed{},
		"":                                                       process.ProcessQueued{},
	} {
		ev := process.New(d)
		ev.Process = 5
		if got := stepLine(&ev); got != want {
			t.Errorf("%T: %q, want %q", d, got, want)
		}
	}
}
