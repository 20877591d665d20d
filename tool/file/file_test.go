package file_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/tool"
	"github.com/reeverun/reeve/tool/file"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func lookup(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoad(t *testing.T) {
	var auth, query string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		auth, query = r.Header.Get("Authorization"), r.URL.RawQuery
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"auth":%q,"query":%q}`, auth, query)
	}))
	defer server.Close()
	dir := t.TempDir()
	write(t, dir, "pets.yaml", `{"openapi":"3.0.0","info":{"title":"Pets"},"paths":{"/a":{"get":{"operationId":"get"}, "delete":{"operationId":"delete_a"}}}}`)
	path := write(t, dir, "tools.yaml", `
# the tools of a test
services:
  pets:
    adapter: openapi
    description: All the pets.
    document: pets.yaml
    url: ${PETS_URL}
    timeout: 30s
    headers: &h {Authorization: "Bearer ${PETS_TOKEN}"}
    query: {api_key: "${PLAIN}", literal: "$${NOT}"}
  again: {adapter: openapi, document: `+filepath.Join(dir, "pets.yaml")+`, url: "${PETS_URL}", headers: *h}
  remote: {adapter: mcp, url: "http://127.0.0.1:1/mcp", headers: {X: "${PETS_TOKEN}"}}
  local: {adapter: mcp, command: [/nonexistent/server, --token, "${PETS_TOKEN}"], env: {A: "1"}, cwd: .}
policy:
  - ask: pets/delete_*
  - deny: [again/*, remote/x]
  - allow: "*"
`)
	f, err := file.Load(path, lookup(map[string]string{"PETS_URL": server.URL, "PETS_TOKEN": "t0ken-value", "PLAIN": "pl4in-value"}))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(f.Services(), " "); got != "pets again remote local" {
		t.Error(got)
	}
	if rules := f.Policy().Rules(); len(rules) != 4 || rules[2] != (tool.Rule{Pattern: "remote/x", Permission: process.Deny}) {
		t.Errorf("%v", rules)
	}
	var log strings.Builder
	r, err := f.Registry(slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	r.Start(t.Context())
	if err := r.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := process.ToolCall{Service: "pets", Tool: "get"}
	if p, err := r.Check(t.Context(), c); p != process.Allow || err != nil {
		t.Error(p, err)
	}
	result, err := r.Call(t.Context(), c)
	if err != nil || auth != "Bearer t0ken-value" || !strings.Contains(query, "api_key=pl4in-value") || !strings.Contains(query, "literal=%24%7BNOT%7D") {
		t.Error(auth, query, err)
	}
	if p, _ := r.Check(t.Context(), process.ToolCall{Service: "pets", Tool: "delete_a"}); p != process.Ask {
		t.Error(p)
	}
	if p, _ := r.Check(t.Context(), process.ToolCall{Service: "again", Tool: "get"}); p != process.Deny {
		t.Error(p)
	}
	again, err := r.Call(t.Context(), process.ToolCall{Service: "again", Tool: "get"})
	if err != nil || auth != "Bearer t0ken-value" {
		t.Error(auth, err)
	}
	info, err := json.Marshal(r.Services())
	if err != nil || !strings.Contains(string(info), "All the pets.") {
		t.Errorf("%s, %v", info, err)
	}
	_ = r.Close()
	for _, text := range []string{string(result), string(again), string(info), log.String(), fmt.Sprintf("%v %+v %#v", f, f, f), fmt.Sprintf("%+v", *f)} {
		for _, secret := range []string{"t0ken-value", "pl4in-value"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s in %s", secret, text)
			}
		}
	}
}

func TestMistakes(t *testing.T) {
	vars := lookup(map[string]string{"SECRET": "s3cret-value"})
	for text, want := range map[string]string{
		"- a":                          "line 1: must hold the keys services and policy",
		"servces: {}":                  `line 1: unknown key "servces": known are services, policy`,
		"services: []":                 "line 1: services must be a mapping",
		"a: b\n---\nc: d":              "more than one document",
		"services:\n\tx":               "is not YAML",
		"services:\n  a b: {}":         `line 2: "a b" cannot name a service`,
		"services:\n  reeve: {}":       "line 2: the service name reeve is reserved",
		"services:\n  a: {}\n":         "line 2: the service a needs an adapter: mcp or openapi",
		"services:\n  a: 3\n":          "line 2: the service a must be a mapping",
		"services:\n  a: {adapter: x}": "needs an adapter",
		"services:\n  a:\n    adapter: mcp\n    comand: [x]":                             `line 4: unknown key "comand" of the service a: the adapter mcp knows adapter,`,
		"services:\n  a:\n    adapter: mcp\n    document: x":                             `line 4: unknown key "document"`,
		"services:\n  a: {adapter: mcp}":                                                 "line 2: the service a: it needs either a command or a url",
		"services:\n  a: {adapter: mcp, url: x, command: [y]}":                           "either a command or a url",
		"services:\n  a: {adapter: mcp, url: x, cwd: y}":                                 "belong to a command",
		"services:\n  a: {adapter: openapi}":                                             "it needs a document",
		"services:\n  a: {adapter: mcp, url: x, timeout: 30}":                            "timeout must be a duration such as 30s",
		"services:\n  a:\n    adapter: mcp\n    command: [\"${MISSING}\"]":               "line 4: the variable MISSING of the service a is not set",
		"services:\n  a:\n    adapter: mcp\n    url: x\n    headers: \"${SECRET}\"":      "line 5",
		"services:\n  a:\n    adapter: mcp\n    command: \"${SECRET}\"":                  "line 4",
		"services:\n  a: {adapter: mcp, url: x}\n  a: {adapter: mcp, url: y}":            "line 3: the service a is given twice",
		"services:\n  a: {adapter: openapi, document: x, basic: {user: a, passwort: b}}": "passwort",
		"policy: {deny: x}":                                "line 1: policy must be a list",
		"policy:\n  - deny: x":                             `line 2: "x" is not a pattern`,
		"policy:\n  - forbid: a/b":                         `line 2: unknown permission "forbid"`,
		"policy:\n  - {deny: a/b, ask: c/d}":               "line 2: a rule is one permission",
		"policy:\n  - deny: {a: b}":                        "line 2: a pattern is a text",
		"services:\n  a: &x {adapter: mcp, command: [*x]}": "",
	} {
		path := write(t, t.TempDir(), "tools.yaml", text)
		_, err := file.Load(path, vars)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3c") {
			t.Errorf("%s\n  got  %v\n  want %s", text, err, want)
		}
	}
	if _, err := file.Load("/nonexistent/tools.yaml", vars); err == nil {
		t.Error("read nothing")
	}
	f, err := file.Load(write(t, t.TempDir(), "tools.yaml", "# nothing\n"), vars)
	if err != nil || len(f.Services()) != 0 {
		t.Error(f, err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("services:\n  a: {adapter: mcp, command: [x, \"${V}\"]}\npolicy:\n  - deny: a/*")
	f.Add("services: {a: &x {adapter: openapi, document: d, headers: *x}}")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Skip()
		}
		read, err := file.Load(path, func(string) (string, bool) { return "v", true })
		if err != nil {
			return
		}
		r, err := read.Registry(slog.New(slog.NewTextHandler(io.Discard, nil)))
		if err != nil {
			t.Error(err)
			return
		}
		_ = r.Close()
	})
}
