package api_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

var specs = api.Specs{Environment: process.EnvTypeScript, Functions: true}

// again makes a Spec of the body that asks for one, by way of JSON.
func again(t *testing.T, s process.Spec) (process.Spec, error) {
	t.Helper()
	body, err := api.CreateOf(s)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	var read api.Create
	if err := api.Decode(b, &read); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return specs.Make(&read)
}

// What a Spec asks for is what its body asks for.
func TestCreateOf(t *testing.T) {
	common := process.Spec{Environment: process.EnvCommand, Ref: "ref", Label: "label", Tags: []string{"a", "b"}, Parent: 7,
		Interpreter: "none", Priority: -3, RawOutput: process.Disabled, Notify: &process.Notify{URL: "http://h/?t", Secret: "s"},
		Options: process.Options{Timeout: process.NoTimeout, Grace: 3 * time.Second, Drain: 4 * time.Second}}
	command, code := common, common
	command.Command = &process.Command{Program: "x", Args: []string{"a", ""}, Env: map[string]process.Secret{"K": "V", "E": ""}, EnvClear: true,
		Dir: "/d", Stdin: process.StdinBytes, StdinData: "\x00\xff", MergeStreams: true, SuccessCodes: []int{0, 3},
		Leftovers: process.WaitLeftovers, HideWindow: true}
	code.Environment, code.Code, code.Options.Tools = process.EnvFunction, "f", []string{}
	for _, want := range []process.Spec{command, code, {Environment: process.EnvTypeScript}} {
		got, err := again(t, want)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
	}
}

// Every option that a body has survives, in the environment that knows it.
func TestCreateOfOptions(t *testing.T) {
	known := reflect.TypeFor[api.Options]()
	for i := range reflect.TypeFor[process.Options]().NumField() {
		f := reflect.TypeFor[process.Options]().Field(i)
		if _, ok := known.FieldByName(strings.TrimPrefix(f.Name, "No")); !ok {
			continue
		}
		survived := false
		for _, environment := range []string{process.EnvCommand, process.EnvTypeScript, process.EnvAgent} {
			var o process.Options
			fill(reflect.ValueOf(&o).Elem().Field(i))
			got, err := again(t, process.Spec{Environment: environment, Options: o})
			survived = survived || err == nil && cmp.Equal(got.Options, o)
		}
		if !survived {
			t.Errorf("options.%s of a child of a supervisor in Go is lost: see optionsOf", f.Name)
		}
	}
}

// fill sets a value that is neither zero nor refused.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
		if b, ok := v.Addr().Interface().(*process.Budget); ok {
			b.OnExceeded = process.BudgetAsk
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("openai")
		if s, ok := v.Addr().Interface().(*process.Sandbox); ok {
			*s = process.Confined
		}
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(time.Second))
	case reflect.Slice:
		v.Set(reflect.ValueOf([]string{"pets/*"}))
	}
}

// Durations are read as people and as programs write them.
func TestMillis(t *testing.T) {
	for text, want := range map[string]time.Duration{"null": 0, "0": 1, "1500": 1500 * time.Millisecond, `"1m30s"`: 90 * time.Second, `"0s"`: 1} {
		var m api.Millis
		if err := json.Unmarshal([]byte(text), &m); err != nil || m.Duration() != want {
			t.Errorf("%s: %v, %v", text, m.Duration(), err)
		}
	}
	for _, text := range []string{`"soon"`, `"5"`, `{}`, `1.5`, `""`} {
		var m api.Millis
		if err := json.Unmarshal([]byte(text), &m); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
}
