package function_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/envtest"
	"github.com/reeverun/reeve/env/function"
	"github.com/reeverun/reeve/process"
)

func open(t *testing.T) env.Environment {
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	return function.New(map[string]function.Func{
		"hello": func(_ context.Context, c *function.Call) error {
			fmt.Fprintln(c.Stdout, "hello")
			fmt.Fprintln(c.Stderr, "oops")
			return nil
		},
		"fail":     func(context.Context, *function.Call) error { return errors.New("no luck") },
		"hang":     func(ctx context.Context, _ *function.Call) error { <-ctx.Done(); return ctx.Err() },
		"stubborn": func(context.Context, *function.Call) error { <-release; return nil },
		"panic":    func(context.Context, *function.Call) error { panic("boom") },
		"goexit":   func(context.Context, *function.Call) error { runtime.Goexit(); return nil },
	})
}

func named(name string) *process.Spec {
	return &process.Spec{Environment: process.EnvFunction, Code: name}
}

func TestConformance(t *testing.T) {
	envtest.Run(t, open, envtest.Specs{Hello: named("hello"), Fail: named("fail"), Hang: named("hang"),
		Stubborn: named("stubborn"), Unstarted: named("nobody")})
}

func TestFunctionThatDoesNotReturn(t *testing.T) {
	for name, want := range map[string]string{"panic": "panic: boom", "goexit": process.ReasonVanished} {
		_, err := open(t).Execute(t.Context(), env.Input{EID: 1, Spec: named(name)}, envtest.NewHost(t))
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}

func TestPayloadComesBeforeTheName(t *testing.T) {
	ran := false
	fn := function.Func(func(context.Context, *function.Call) error { ran = true; return nil })
	_, err := open(t).Execute(t.Context(), env.Input{EID: 1, Spec: named("fail"), Payload: fn}, envtest.NewHost(t))
	if err != nil || !ran {
		t.Errorf("ran %v, %v", ran, err)
	}
}
