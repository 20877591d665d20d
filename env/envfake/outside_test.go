package envfake_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/env/envtest"
	"github.com/reeverun/reeve/process"
)

func TestStepsOutside(t *testing.T) {
	e, h := &envfake.Env{}, envtest.NewHost(t)
	if err := e.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.OnCall = func(_ context.Context, _, tool string, params json.RawMessage) (json.RawMessage, error) {
		switch tool {
		case "no":
			return nil, &process.ToolError{Code: process.ToolDenied, Message: "never"}
		case "broken":
			return nil, errors.New("oops")
		}
		return params, nil
	}
	h.OnSpawn = func(context.Context, process.Spec) (process.ID, error) { return 8, nil }
	h.OnAwait = func(_ context.Context, id process.ID) (env.Ended, error) {
		return env.Ended{Process: &process.Process{ID: id, Run: process.Run{ExitState: process.ExitSuccess}}, Stdout: []byte("hi\n")}, nil
	}
	res, err := e.Execute(t.Context(), env.Input{EID: 1, Run: 1, Spec: &process.Spec{Environment: "fake", Code: `call s echo {"a": [1, 2]}
call s no
call s broken
calls 2 s echo 5
spawn out a; out b
await
await 9
signal TERM`}}, h)
	if err != nil || res.State != process.ExitSuccess {
		t.Fatalf("%+v, %v", res, err)
	}
	want := "{\"a\": [1, 2]}\ndenied: never\nerror: oops\n5\n5\nchild 8\nended 8 success\nhi\nended 9 success\nhi\nerror: no such process\n"
	if got := h.Text(process.Stdout); got != want {
		t.Errorf("printed %q", got)
	}
	if s := h.Spawned(); len(s) != 1 || s[0].Code != "out a\nout b" || s[0].Environment != "fake" {
		t.Errorf("spawned %+v", s)
	}
	if s := h.Signals(); len(s) != 1 || s[0] != (envtest.Sent{Child: 8, Signal: process.SIGTERM}) {
		t.Errorf("signalled %+v", s)
	}
	if c := h.Calls(); len(c) != 5 || c[0].Service != "s" || c[0].Tool != "echo" || string(c[0].Params) != `{"a": [1, 2]}` {
		t.Errorf("called %+v", c)
	}
}
