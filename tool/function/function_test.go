package function_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/tool"
	"github.com/reeverun/reeve/tool/function"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type greeting struct {
	Name  string   `json:"name" jsonschema:"whom to greet"`
	Times int      `json:"times,omitempty"`
	Tags  []string `json:"tags,omitempty"`
}

func registry(t *testing.T, a tool.Adapter) *tool.Registry {
	t.Helper()
	r := tool.New(tool.Config{})
	if err := r.Add("go", a); err != nil {
		t.Fatal(err)
	}
	r.Start(t.Context())
	t.Cleanup(func() { _ = r.Close() })
	if err := r.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

func call(t *testing.T, r *tool.Registry, name, params string) (string, error) {
	t.Helper()
	c := process.ToolCall{Service: "go", Tool: name, Params: json.RawMessage(params)}
	if _, err := r.Check(t.Context(), c); err != nil {
		return "", err
	}
	out, err := r.Call(t.Context(), c)
	return string(out), err
}

func TestFunctions(t *testing.T) {
	r := registry(t, function.New("Greets.",
		function.Typed("hello", "Says hello.", func(_ context.Context, in greeting) (map[string]string, error) {
			return map[string]string{"said": strings.Repeat("hello "+in.Name+" ", max(1, in.Times))}, nil
		}),
		function.Typed("any", "", func(_ context.Context, in map[string]any) (any, error) { return in, nil }),
		function.Tool{Name: "raw", Fn: func(_ context.Context, p json.RawMessage) (any, error) { return p, nil }},
		function.Tool{Name: "fails", Fn: func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("no luck") }},
		function.Tool{Name: "own", Fn: func(context.Context, json.RawMessage) (any, error) {
			return nil, &process.ToolError{Code: "busy", Message: "later"}
		}},
		function.Tool{Name: "panics", Fn: func(context.Context, json.RawMessage) (any, error) { panic("oops") }},
		function.Tool{Name: "unwritable", Fn: func(context.Context, json.RawMessage) (any, error) { return make(chan int), nil }},
		function.Tool{Name: "nothing", Fn: func(context.Context, json.RawMessage) (any, error) { return nil, nil }},
	))
	for _, c := range []struct{ tool, params, want, code, said string }{
		{tool: "hello", params: `{"name":"you"}`, want: `{"said":"hello you "}`},
		{tool: "hello", params: `{}`, code: process.ToolInvalid, said: `lacks "name"`},
		{tool: "hello", params: `{"name":"you","x":1}`, code: process.ToolInvalid, said: `does not know "x"`},
		{tool: "any", params: `{"a":[1]}`, want: `{"a":[1]}`},
		{tool: "raw", params: `{"a":1.0}`, want: `{"a":1.0}`},
		{tool: "raw", params: ``, want: `{}`},
		{tool: "fails", code: process.ToolFailed, said: "no luck"},
		{tool: "own", code: "busy", said: "later"},
		{tool: "panics", code: process.ToolFailed, said: "the function panicked: oops"},
		{tool: "unwritable", code: process.ToolFailed, said: "cannot be written as JSON"},
		{tool: "nothing", want: "null"},
	} {
		got, err := call(t, r, c.tool, c.params)
		var said *process.ToolError
		switch {
		case c.code == "" && (err != nil || got != c.want):
			t.Errorf("%s(%s): %s, %v", c.tool, c.params, got, err)
		case c.code != "" && (!errors.As(err, &said) || said.Code != c.code || !strings.Contains(said.Message, c.said)):
			t.Errorf("%s(%s): %v", c.tool, c.params, err)
		}
	}
	info, err := r.Tool("go", "hello")
	if err != nil || !strings.Contains(info.Declaration, "/** whom to greet */\n        name: string;") || !strings.Contains(info.Declaration, "times?: number;") {
		t.Errorf("%v\n%s", err, info.Declaration)
	}
	if s := r.Services()[0]; s.Adapter != "function" || s.Description != "Greets." || s.Tools != 8 {
		t.Errorf("%+v", s)
	}
}

func TestMistakesAreSaid(t *testing.T) {
	ok := func(context.Context, json.RawMessage) (any, error) { return nil, nil }
	type node struct{ Next []*node }
	for want, tools := range map[string][]function.Tool{
		"cannot name a tool":           {{Name: "a b", Fn: ok}},
		"two tools a":                  {{Name: "a", Fn: ok}, {Name: "a", Fn: ok}},
		"has no function":              {{Name: "a"}},
		"the schema of its parameters": {function.Typed("a", "", func(context.Context, node) (int, error) { return 0, nil })},
		"the schema of its result":     {function.Typed("a", "", func(context.Context, struct{}) (chan int, error) { return nil, nil })},
	} {
		if _, err := function.New("", tools...).Open(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
