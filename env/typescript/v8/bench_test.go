//go:build cgo && linux && (amd64 || arm64)

package v8

import (
	"fmt"
	"testing"
	"time"

	"github.com/reeverun/reeve/env/typescript/engine"
)

// BenchmarkForkOnDemand is a program in a child that was not forked ahead. (With
// one that was: go run ./bench -only ts-.)
func BenchmarkForkOnDemand(b *testing.B) {
	e := startEngine(b, Config{})
	s := program(`print("x")`)
	for b.Loop() {
		c, err := e.jit.fork(b.Context(), false)
		if err != nil {
			b.Fatal(err)
		}
		if r := drive(b, c, s); !r.done {
			b.Fatalf("%+v", r)
		}
	}
}

// BenchmarkCall is the round trip of a tool call.
func BenchmarkCall(b *testing.B) {
	e := startEngine(b, Config{})
	c := takeChild(b, e, engine.Options{})
	b.ResetTimer()
	if r := drive(b, c, program(fmt.Sprintf(`for (let i = 0; i < %d; i++) await call(i)`, b.N))); !r.done {
		b.Fatalf("%+v", r)
	}
}

// suspend runs a program up to a call that is not answered.
func suspend(tb testing.TB, c *child) *child {
	tb.Helper()
	give(tb, c, program(`
		const data = Array.from({length: 100}, (_, i) => ({ i, name: "n" + i }));
		print(JSON.stringify(data).length);
		await call({});`))
	upTo(tb, c, engine.TypeCall)
	return c
}

// upTo reads frames until one of this type.
func upTo(tb testing.TB, c *child, want engine.Type) {
	tb.Helper()
	for frames := engine.NewReader(c); ; {
		t, payload, err := frames.Next()
		if err != nil {
			tb.Fatal(err)
		}
		if t == want {
			return
		}
		if t == engine.TypeError {
			tb.Fatalf("%s", payload)
		}
	}
}

func waitReady(tb testing.TB, e *Engine) {
	tb.Helper()
	await(tb, "children forked ahead", func() bool { return !e.jit.missing() })
}

// await polls for what no event tells.
func await(tb testing.TB, what string, done func() bool) {
	tb.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			tb.Fatalf("timed out waiting for %s", what)
		}
	}
}
