package server_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/server"
	"github.com/reeverun/reeve/token"
	"github.com/reeverun/reeve/tool"
	"github.com/reeverun/reeve/tool/function"
)

// petShop is a service with a tool of each permission, started.
func petShop(t testing.TB) *tool.Registry {
	t.Helper()
	policy, err := tool.NewPolicy(tool.Rule{Pattern: "pets/delete_*", Permission: process.Ask}, tool.Rule{Pattern: "pets/eat", Permission: process.Deny})
	if err != nil {
		t.Fatal(err)
	}
	r := tool.New(tool.Config{Policy: policy})
	echo := func(_ context.Context, params json.RawMessage) (any, error) { return params, nil }
	id := json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}`)
	if err := r.Add("pets", function.New("A shop.",
		function.Tool{Name: "delete_pet", Description: "Deletes a pet.", Params: id, Fn: echo},
		function.Tool{Name: "list", Description: "Lists pets.", Result: json.RawMessage(`{"type":"array"}`), Fn: echo},
		function.Tool{Name: "eat", Fn: echo})); err != nil {
		t.Fatal(err)
	}
	r.Start(t.Context())
	t.Cleanup(func() { r.Close() })
	if err := r.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// withTools serves a runtime whose programs can call the pet shop.
func withTools(t testing.TB) (*httptest.Server, *token.File) {
	t.Helper()
	r, tokens := petShop(t), token.Open(filepath.Join(t.TempDir(), "tokens"))
	return serve(t, reeve.Config{Dir: t.TempDir(), Tools: r}, server.Config{Tools: r, Tokens: tokens}), tokens
}

func TestTools(t *testing.T) {
	ts, _ := withTools(t)
	var services struct {
		Services []struct {
			Name, Adapter, State string
			Error                *string
			Tools                int
		}
	}
	decode(t, do(t, ts, "GET", "/services", ""), &services)
	if s := services.Services; len(s) != 2 || s[0].Name != "pets" || s[0].State != "ready" || s[0].Adapter != "function" || s[0].Tools != 3 || s[1].Name != "reeve" {
		t.Errorf("%+v", services)
	}
	for query, want := range map[string]string{
		"": "pets/delete_pet pets/eat pets/list reeve/search", "?query=": "pets/delete_pet pets/eat pets/list reeve/search",
		"?query=delete": "pets/delete_pet", "?service=pets&limit=2": "pets/delete_pet pets/eat", "?service=nobody": "", "?query=DELETES%20pet&service=pets": "pets/delete_pet",
	} {
		if got := toolNames(t, do(t, ts, "GET", "/tools"+query, "")); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	m := do(t, ts, "GET", "/tools/pets/delete_pet", "").json(t)
	if m["permission"] != "ask" || m["result"] != nil || m["params"].(map[string]any)["required"] == nil || !strings.Contains(m["declaration"].(string), "delete_pet") {
		t.Errorf("%v", m)
	}
	if m := do(t, ts, "GET", "/tools/pets/eat", "").json(t); m["permission"] != "deny" || m["params"].(map[string]any)["type"] != "object" {
		t.Errorf("%v", m)
	}
	for _, path := range []string{"/tools/pets/no", "/tools/nobody/x", "/tools/pets", "/tools/pets/list/x", "/tools/%2e%2e/x", "/services/pets"} {
		if r := do(t, ts, "GET", path, ""); r.status != 404 || r.json(t)["code"] != "not_found" {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	for _, path := range []string{"/tools?limit=0", "/tools?limit=1001", "/tools?service=", "/tools?name=x", "/services?x=1", "/tools?query=a&query=b"} {
		if r := do(t, ts, "GET", path, ""); r.status != 400 {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	if r := do(t, ts, "POST", "/tools", ""); r.status != 405 {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// A server without tools says so.
func TestNoTools(t *testing.T) {
	ts := serve(t, reeve.Config{}, server.Config{})
	if r := do(t, ts, "GET", "/services", ""); r.status != 200 || strings.TrimSpace(r.body) != `{"services":[]}` {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := do(t, ts, "GET", "/tools", ""); r.status != 200 || strings.TrimSpace(r.body) != `{"tools":[]}` {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := do(t, ts, "GET", "/tools/a/b", ""); r.status != 404 {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := do(t, ts, "GET", "/version", ""); !strings.Contains(r.body, `"engines":[]`) {
		t.Error(r.body)
	}
}

func decode(t testing.TB, r reply, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.body), v); err != nil || r.status != 200 {
		t.Fatalf("%d %s: %v", r.status, r.body, err)
	}
}

func toolNames(t testing.TB, r reply) string {
	t.Helper()
	var page struct {
		Tools []struct{ Service, Name string }
	}
	decode(t, r, &page)
	var names []string
	for _, tool := range page.Tools {
		names = append(names, tool.Service+"/"+tool.Name)
	}
	return strings.Join(names, " ")
}

// eventually waits for a condition.
func eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !cond(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came to pass that %s", what)
		}
	}
}
