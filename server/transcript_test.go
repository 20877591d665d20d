package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/server"
)

func serveAgent(t *testing.T) func(method, path, body string) reply {
	ts := serve(t, reeve.Config{Environments: map[string]reeve.Environment{
		"typescript": new(envfake.Env), "agent": new(envfake.Agent)}}, server.Config{})
	return func(method, path, body string) reply { return do(t, ts, method, path, body) }
}

func TestTranscript(t *testing.T) {
	do := serveAgent(t)
	do("POST", "/processes", `{"environment":"agent","code":"remember user do it\nremember assistant done <b>\nfail broken","block":true}`)
	do("POST", "/processes", `{"code":"out x","block":true}`)
	r := do("GET", "/processes/1/transcript", "")
	m := r.json(t)
	messages, _ := m["messages"].([]any)
	if r.status != 200 || m["next"] != 2.0 || len(messages) != 2 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	first := messages[0].(map[string]any)
	if first["number"] != 1.0 || first["run"] != 1.0 || first["role"] != "user" || first["text"] != "do it" || !strings.HasSuffix(first["at"].(string), "Z") {
		t.Errorf("%v", first)
	}
	for query, want := range map[string]string{"?after=1": "[2] 2", "?after=2": "[] 2", "?limit=1": "[1] 1", "?after=9&limit=1000": "[] 9"} {
		m := do("GET", "/processes/1/transcript"+query, "").json(t)
		numbers := []any{}
		for _, x := range m["messages"].([]any) {
			numbers = append(numbers, x.(map[string]any)["number"])
		}
		if got := fmt.Sprint(numbers, m["next"]); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	for path, want := range map[string]int{"/processes/2/transcript": 404, "/processes/9/transcript": 404, "/processes/x/transcript": 400,
		"/processes/1/transcript?limit=0": 400, "/processes/1/transcript?limit=1001": 400, "/processes/1/transcript?after=-1": 400,
		"/processes/1/transcript?after=x": 400, "/processes/1/transcript?nope=1": 400} {
		if r := do("GET", path, ""); r.status != want || r.json(t)["error"] == "" {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	if r := do("GET", "/processes/2/transcript", ""); !strings.Contains(r.body, "it is not an agent") {
		t.Errorf("%s", r.body)
	}
}

func TestResume(t *testing.T) {
	do := serveAgent(t)
	do("POST", "/processes", `{"environment":"agent","code":"out one\nremember user a\nout two","block":true}`)
	do("POST", "/processes", `{"code":"out x","block":true}`)
	if r := do("POST", "/processes/1/signals/run", `{}`); r.status != 409 || r.json(t)["code"] != "has_outputs" {
		t.Errorf("%d %s", r.status, r.body)
	}
	for run, body := range []string{`{"resume":true,"block":true}`, `{"resume":true,"force":true,"block":true}`} {
		r := do("POST", "/processes/1/signals/run", body)
		if m := r.json(t); r.status != 200 || m["run"] != float64(run+2) || m["stdout"] != "two\n" {
			t.Errorf("%s: %d %s", body, r.status, r.body)
		}
	}
	if r := do("GET", "/processes/1/runs/1/stdout", ""); r.body != "one\ntwo\n" {
		t.Errorf("%q", r.body)
	}
	if r := do("POST", "/processes/2/signals/run", `{"resume":true}`); r.status != 400 || !strings.Contains(r.body, "resume:") {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := do("POST", "/processes/9/signals/run", `{"resume":true}`); r.status != 404 {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := do("POST", "/processes/1/signals/run", `{"resume":1}`); r.status != 400 {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestAgentOptions(t *testing.T) {
	do := serveAgent(t)
	const options = `"model":"m","provider":"anthropic","maxSteps":3,"system":"be kind","tools":["*"]`
	r := do("POST", "/processes", `{"environment":"agent","code":"","options":{`+options+`}}`)
	if want := `"tools":["*"],"model":"m","provider":"anthropic","maxSteps":3,"system":"be kind"}`; r.status != 201 || !strings.Contains(r.body, want) {
		t.Errorf("%d %s", r.status, r.body)
	}
	for option, want := range map[string]string{`"limits":{}`: "options.limits", `"jit":true`: "options.jit", `"provider":"acme"`: "options.provider",
		`"maxSteps":-1`: "options.maxSteps", `"model":7`: "options.model", `"steps":7`: "options.steps"} {
		r := do("POST", "/processes", `{"environment":"agent","code":"","options":{`+option+`}}`)
		if r.status != 400 || !strings.Contains(r.body, want) {
			t.Errorf("%s: %d %s", option, r.status, r.body)
		}
	}
	for _, environment := range []string{"typescript", "command"} {
		for option, name := range map[string]string{`"model":"m"`: "model", `"provider":"openai"`: "provider", `"maxSteps":1`: "maxSteps", `"system":"s"`: "system"} {
			r := do("POST", "/processes", `{"environment":"`+environment+`","code":"","options":{`+option+`}}`)
			if r.status != 400 || !strings.Contains(r.body, "options."+name+": is for agents, not for the environment "+environment) {
				t.Errorf("%s %s: %d %s", environment, option, r.status, r.body)
			}
		}
	}
}
