//go:build cgo && linux && (amd64 || arm64)

package v8

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/env/typescript/engine"
)

// BenchmarkChild is a script to a child that was forked ahead, and its result.
func BenchmarkChild(b *testing.B) {
	e := startEngine(b, Config{Ahead: 8})
	s := program(`print("x")`)
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		c := takeChild(b, e, engine.Options{})
		give(b, c, s)
		upTo(b, c, engine.TypeDone)
		took = append(took, time.Since(start))
		b.StopTimer() // the next one is forked meanwhile
		c.Close()
		waitReady(b, e)
		b.StartTimer()
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// BenchmarkForkOnDemand is the same without one forked ahead.
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

// BenchmarkThroughput is what two clients get.
func BenchmarkThroughput(b *testing.B) {
	e := startEngine(b, Config{Ahead: 8})
	s := program(`print("x")`)
	b.SetParallelism(1)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if r := run(b, e, s); !r.done {
				b.Errorf("%+v", r)
			}
		}
	})
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

// BenchmarkSuspended measures the memory of programs that wait.
func BenchmarkSuspended(b *testing.B) {
	e := startEngine(b, Config{})
	const n = 200
	var idle, waiting float64
	for b.Loop() {
		var fresh, suspended []*child
		for range n {
			fresh = append(fresh, takeChild(b, e, engine.Options{}))
			suspended = append(suspended, suspend(b, takeChild(b, e, engine.Options{})))
		}
		idle, waiting = pss(b, fresh)/n, pss(b, suspended)/n
		for _, c := range append(fresh, suspended...) {
			c.Close()
		}
	}
	b.ReportMetric(idle, "idle-kB")
	b.ReportMetric(waiting, "suspended-kB")
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

func pss(tb testing.TB, children []*child) (kB float64) {
	tb.Helper()
	for _, c := range children {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(c.PID()) + "/smaps_rollup")
		if err != nil {
			tb.Skip("the kernel does not tell the memory of other processes: ", err)
		}
		for line := range strings.Lines(string(b)) {
			if f := strings.Fields(line); f[0] == "Pss:" {
				n, _ := strconv.ParseFloat(f[1], 64)
				kB += n
			}
		}
	}
	return kB
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
