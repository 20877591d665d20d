package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/server"
)

func TestBudgetOptions(t *testing.T) {
	ts := serve(t, reeve.Config{Environments: fakes()}, server.Config{})
	for _, environment := range []string{`"environment":"command","code":"exit 0"`, `"code":""`} {
		r := do(t, ts, "POST", "/processes", `{`+environment+`,"options":{"timeout":null,"heartbeat":5000,"budget":{"tokens":1,"wallMs":60000,"cpuMs":60000,"children":4,"depth":5,"onExceeded":"ask"}}}`)
		want := `"budget":{"tokens":1,"wallMs":60000,"cpuMs":60000,"children":4,"depth":5,"onExceeded":"ask"},"heartbeat":5000}`
		if r.status != 201 || !strings.Contains(r.body, want) {
			t.Errorf("%d %s", r.status, r.body)
		}
		for _, off := range []string{`0`, `null`} {
			r := do(t, ts, "POST", "/processes", `{`+environment+`,"options":{"heartbeat":`+off+`,"budget":{"tokens":0}}}`)
			if r.status != 201 || !strings.Contains(r.body, `"heartbeat":0}`) || strings.Contains(r.body, "budget") {
				t.Errorf("heartbeat %s: %d %s", off, r.status, r.body)
			}
		}
	}
	for options, want := range map[string]string{
		`{"budget":{"tokens":-1}}`: "options.budget.tokens: -1 is too small", `{"budget":{"wallMs":"1s"}}`: "options.budget.wallMs: is a string",
		`{"budget":{"cost":1}}`: "options.budget.cost: is not a field", `{"budget":5}`: "options.budget: is a number",
		`{"budget":{"depth":1.5}}`: "options.budget.depth: is the number 1.5", `{"budget":{"onExceeded":"panic"}}`: `options.budget.onExceeded: \"panic\" is not possible`,
		`{"heartbeat":-1}`: "options.heartbeat: -1 is too small", `{"heartbeat":"2m"}`: "options.heartbeat: is a string",
	} {
		r := do(t, ts, "POST", "/processes", `{"code":"","options":`+options+`}`)
		if r.status != 400 || r.json(t)["code"] != "invalid_request" || !strings.Contains(r.body, want) {
			t.Errorf("%s: %d %s, want %q", options, r.status, r.body, want)
		}
	}
}

// A create below a process is refused before anything starts, and nobody is
// stopped for it.
func TestCreateBeyondABudget(t *testing.T) {
	ts := serve(t, reeve.Config{Environments: fakes()}, server.Config{})
	create := func(parent int, budget string) reply {
		return do(t, ts, "POST", "/processes", fmt.Sprintf(`{"code":"hang","parent":%d,"options":{"budget":%s}}`, parent, budget))
	}
	if r := do(t, ts, "POST", "/processes", `{"code":"hang","options":{"budget":{"children":2,"depth":1}}}`); r.status != 201 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if r := create(1, `{"children":100,"tokens":7}`); r.status != 201 || !strings.Contains(r.body, `"budget":{"tokens":7,"children":1}`) {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := create(2, `{}`); r.status != 409 || r.json(t)["code"] != "budget_exceeded" || !strings.Contains(r.body, "depth, which is 1") {
		t.Errorf("too deep: %d %s", r.status, r.body)
	}
	if r := create(1, `{}`); r.status != 201 {
		t.Errorf("the second: %d %s", r.status, r.body)
	}
	if r := create(1, `{}`); r.status != 409 || r.json(t)["code"] != "budget_exceeded" || !strings.Contains(r.body, "children up, which is 2") {
		t.Errorf("the third: %d %s", r.status, r.body)
	}
	for id := 1; id <= 3; id++ {
		if r := do(t, ts, "GET", fmt.Sprintf("/processes/%d", id), ""); r.json(t)["exitState"] != nil {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	if r := do(t, ts, "GET", "/processes/4", ""); r.status != 404 {
		t.Errorf("%d %s", r.status, r.body)
	}
}
