package server_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/server"
)

func fakes() map[string]reeve.Environment {
	return map[string]reeve.Environment{"typescript": new(envfake.Env)}
}

func TestProgramOptions(t *testing.T) {
	ts := serve(t, reeve.Config{}, server.Config{})
	r := do(t, ts, "POST", "/processes", `{"code":"","block":true,"options":{"limits":{"memoryBytes":1000,"cpuMs":2,"outputBytes":3,"pids":0},"jit":false,"tools":["pets/*","*"]}}`)
	want := `"options":{"timeoutMs":null,"limits":{"memoryBytes":1000,"cpuMs":2,"outputBytes":3},"jit":false,"tools":["pets/*","*"]}`
	if r.status != 201 || !strings.Contains(r.body, want) {
		t.Errorf("%d %s", r.status, r.body)
	}
	for _, options := range []string{`{"limits":{},"jit":true}`, `{"limits":null,"jit":null,"tools":null}`, `{"limits":{"memoryBytes":0}}`} {
		r := do(t, ts, "POST", "/processes", `{"code":"","options":`+options+`}`)
		if r.status != 201 || !strings.Contains(r.body, `"options":{"timeoutMs":null}`) {
			t.Errorf("%s: %d %s", options, r.status, r.body)
		}
	}
	if r := do(t, ts, "POST", "/processes", `{"code":"","options":{"tools":[]}}`); r.status != 201 || !strings.Contains(r.body, `"tools":[]`) {
		t.Errorf("%d %s", r.status, r.body)
	}
	long := `["` + strings.Repeat(`a/b","`, 100) + `a/b"]`
	for options, want := range map[string]string{
		`{"limits":{"memoryBytes":-1}}`: "options.limits.memoryBytes: -1 is too small", `{"limits":{"cpuMs":"1"}}`: "options.limits.cpuMs: is a string",
		`{"limits":{"threads":1}}`: "options.limits.threads: is not a field", `{"limits":5}`: "options.limits: is a number", `{"jit":1}`: "options.jit: is a number",
		`{"tools":"*"}`: "options.tools: is a string", `{"tools":["pets"]}`: "options.tools[0]", `{"tools":["a/b","a b/c"]}`: "options.tools[1]",
		`{"tools":[""]}`: "options.tools[0]", `{"tools":` + long + `}`: "options.tools: has 101 items", `{"limits":{"memoryBytes":1.5}}`: "whole number",
		`{"limits":{"cpuMs":1e300}}`: "is too large",
	} {
		r := do(t, ts, "POST", "/processes", `{"code":"","options":`+options+`}`)
		if r.status != 400 || !strings.Contains(r.body, want) {
			t.Errorf("%s: %d %s, want %q", options, r.status, r.body, want)
		}
	}
	for option, want := range map[string]string{`"limits":{"openFiles":-1}`: "options.limits.openFiles", `"sandbox":"open"`: "options.sandbox", `"require":["x"]`: "options.require[0]", `"jit":true`: "options.jit", `"tools":[]`: "options.tools"} {
		r := do(t, ts, "POST", "/processes", `{"environment":"command","code":"true","options":{`+option+`}}`)
		if r.status != 400 || r.json(t)["code"] != "invalid_request" || !strings.Contains(r.body, want) {
			t.Errorf("%s: %d %s", option, r.status, r.body)
		}
	}
}

// A program's child is asked for with the same body, and the same care.
func TestChildren(t *testing.T) {
	spec := server.Children("typescript")
	for body, want := range map[string]process.Spec{
		`{"code":"x"}`: {Environment: "typescript", Code: "x"},
		`{"code":"x","ref":" a ","label":"l","tags":["t"],"priority":2,"autorun":true,"block":false,"parent":null,"options":{"timeout":null,"tools":["a/b"],"jit":false,"limits":{"cpuMs":5}}}`: {
			Environment: "typescript", Code: "x", Ref: "a", Label: "l", Tags: []string{"t"}, Priority: 2,
			Options: process.Options{Timeout: process.NoTimeout, NoJIT: true, Tools: []string{"a/b"}, Limits: process.Limits{CPUMS: 5}}},
		`{"environment":"command","code":"true","options":{"require":["tree-kill"],"sandbox":"confined","limits":{"pids":9}}}`: {Environment: "command", Code: "true",
			Options: process.Options{Require: []string{process.TreeKill}, Sandbox: process.Confined, Limits: process.Limits{PIDs: 9}}},
	} {
		got, err := spec(json.RawMessage(body))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
	}
	for body, want := range map[string]string{
		``: "body", `{}`: "code: is missing", `[]`: "body", `{"code":1}`: "code: is a number", `{"code":"","nope":1}`: "nope: is not a field",
		`{"code":"","parent":3}`: "parent: cannot be chosen", `{"code":"","block":true}`: "block: is not possible", `{"code":"","autorun":false}`: "autorun: cannot be false",
		`{"code":"","notify":{"url":"http://h/"}}`: "notify: is not possible",
		`{"environment":"command"}`:                "command: is missing", `{"environment":"command","code":"","options":{"limits":{"pids":-1}}}`: "options.limits.pids", `{"code":"","ref":" "}`: "ref",
	} {
		_, err := spec(json.RawMessage(body))
		if !errors.Is(err, process.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
	if _, err := spec(json.RawMessage(`{"environment":"function","code":""}`)); !errors.Is(err, process.ErrNoEnvironment) {
		t.Error(err)
	}
}
