package reeve_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reeverun/reeve"
)

// Every benchmark measures a bare baseline in the same run, interleaved with
// what it measures, and reports the ratio: absolute figures move from machine
// to machine. Targets are those of the issue; `make bench` prints them.

// interleave runs the contestants in turn, b.N rounds, and reports the median
// of each in ns/name, and as a multiple of the first.
func interleave(b *testing.B, names []string, round []func()) {
	b.Helper()
	took := make([][]time.Duration, len(round))
	for _, f := range round { // warm up
		f()
	}
	b.ResetTimer()
	for range b.N {
		for i, f := range round {
			start := time.Now()
			f()
			took[i] = append(took[i], time.Since(start))
		}
	}
	b.StopTimer()
	base := median(took[0])
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(base.Nanoseconds()), "ns/"+names[0])
	for i := 1; i < len(round); i++ {
		m := median(took[i])
		b.ReportMetric(float64(m.Nanoseconds()), "ns/"+names[i])
		b.ReportMetric(float64(m)/float64(base), names[i]+"/"+names[0])
	}
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// Spawn and wait of true: in memory ≤ 1.3 × os/exec, durable ≤ 2 ×.
func BenchmarkSpawnWait(b *testing.B) {
	memory, durable := open(b, reeve.Config{}), open(b, reeve.Config{Dir: b.TempDir()})
	ctx := context.Background()
	run := func(rt *reeve.Runtime) func() {
		return func() {
			p, err := rt.Spawn(ctx, reeve.Command("true"))
			if err != nil {
				b.Fatal(err)
			}
			if o, err := p.Wait(ctx); err != nil || !o.Succeeded() {
				b.Fatal(o, err)
			}
		}
	}
	interleave(b, []string{"os-exec", "memory", "durable"}, []func(){
		func() {
			if err := exec.Command("true").Run(); err != nil {
				b.Fatal(err)
			}
		},
		run(memory), run(durable),
	})
}

// Spawns per second on all cores: in memory ≥ 0.8 × os/exec.
func BenchmarkSpawnThroughput(b *testing.B) {
	const n = 200
	cores := runtime.NumCPU()
	memory, durable := open(b, reeve.Config{}), open(b, reeve.Config{Dir: b.TempDir()})
	ctx := context.Background()
	bare := func() {
		var wg sync.WaitGroup
		for range cores {
			wg.Go(func() {
				for range n / cores {
					_ = exec.Command("true").Run()
				}
			})
		}
		wg.Wait()
	}
	run := func(rt *reeve.Runtime) func() {
		return func() {
			var hs []*reeve.Handle
			for range n {
				h, err := rt.Spawn(ctx, reeve.Command("true"))
				if err != nil {
					b.Fatal(err)
				}
				hs = append(hs, h)
			}
			for _, h := range hs {
				if _, err := h.Wait(ctx); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	interleave(b, []string{"os-exec", "memory", "durable"}, []func(){bare, run(memory), run(durable)})
}

// captureBytes is how much output a capture writes.
func captureBytes() int {
	if mib, err := strconv.Atoi(os.Getenv("REEVE_BENCH_MIB")); err == nil {
		return mib << 20
	}
	return 1 << 30
}

// writeLines is the chatty child: 100-byte lines, buffered as stdio would.
func writeLines(size int) {
	w := bufio.NewWriterSize(os.Stdout, 64<<10)
	line := strings.Repeat("x", 99) + "\n"
	for n := 0; n < size; n += len(line) {
		_, _ = w.WriteString(line)
	}
	_ = w.Flush()
}

// 1 GiB of 100-byte lines captured, split and indexed, without an interpreter:
// ≥ 0.8 × the speed of a child that writes the file alone, so ≤ 1.25 × its time.
func BenchmarkCapture(b *testing.B) {
	size := captureBytes()
	dir := b.TempDir()
	env := []string{"REEVE_TEST_HOST=write", "REEVE_TEST_SIZE=" + strconv.Itoa(size)}
	rt := open(b, reeve.Config{Dir: dir, LogCap: 4 << 30})
	ctx := context.Background()
	alone := func() {
		path := filepath.Join(dir, "alone")
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			b.Fatal(err)
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env, cmd.Stdout = append(os.Environ(), env...), f
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		f.Close()
		os.Remove(path)
	}
	capture := func(interpreter string) func() {
		return func() {
			task := reeve.Command(os.Args[0]).Interpreter(interpreter)
			for _, kv := range env {
				k, v, _ := strings.Cut(kv, "=")
				task.Env(k, v)
			}
			p, err := rt.Spawn(ctx, task)
			if err != nil {
				b.Fatal(err)
			}
			if o, err := p.Wait(ctx); err != nil || !o.Succeeded() {
				b.Fatal(o, err)
			}
			rec, err := p.Process(ctx)
			if err != nil || rec.StdoutBytes != int64((size+99)/100*100) {
				b.Fatal(rec.StdoutBytes, err)
			}
			if _, err := rt.Delete(ctx, p.ID()); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.SetBytes(int64(size))
	interleave(b, []string{"alone", "none", "generic"}, []func(){alone, capture("none"), capture("generic")})
}

// Durable in-process no-op jobs per second.
func BenchmarkDurableNoop(b *testing.B) {
	rt := open(b, reeve.Config{Dir: b.TempDir()})
	ctx := context.Background()
	task := reeve.Func("noop", func(context.Context, *reeve.FuncCall) error { return nil })
	const clients = 512
	b.ResetTimer()
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for i := c; i < b.N; i += clients {
				p, err := rt.Spawn(ctx, task)
				if err != nil {
					b.Error(err)
					return
				}
				if o, err := p.Wait(ctx); err != nil || !o.Succeeded() {
					b.Error(o, err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
}

// 1 000 subscribers on one chatty process lengthen it by no more than 10 %.
func BenchmarkSubscribers(b *testing.B) {
	rt := open(b, reeve.Config{Concurrency: 4})
	ctx := context.Background()
	// A line each 200 µs or so, as a build prints: not a flood, not idle.
	const script = `i=0; while [ $i -lt 100 ]; do for j in 1 2 3 4 5 6 7 8 9 10; do echo "line $i $j of a chatty process that goes on and on"; done; sleep 0.005; i=$((i+1)); done`
	run := func(subscribers int) func() {
		return func() {
			p, err := rt.Spawn(ctx, reeve.Sh(script).Interpreter("none"))
			if err != nil {
				b.Fatal(err)
			}
			var wg sync.WaitGroup
			for range subscribers {
				sub, err := rt.SubscribeProcess(ctx, p.ID(), 0)
				if err != nil {
					b.Fatal(err)
				}
				wg.Go(func() {
					for range sub.All(ctx) {
					}
				})
			}
			if _, err := p.Wait(ctx); err != nil {
				b.Fatal(err)
			}
			wg.Wait()
		}
	}
	interleave(b, []string{"none", "thousand"}, []func(){run(0), run(1000)})
}

// Memory of a parked process: ≤ 30 kB.
func BenchmarkParked(b *testing.B) {
	const warm, n = 300, 300 // the first ones also pay for caches that all share
	rt := open(b, reeve.Config{Dir: b.TempDir(), Concurrency: warm + n})
	ctx := context.Background()
	for range b.N {
		var hs []*reeve.Handle
		park := func(n int) {
			for range n {
				p, err := rt.Spawn(ctx, reeve.Command("sleep", "1000"))
				if err != nil {
					b.Fatal(err)
				}
				awaitEvent(b, rt, p.ID(), isKind("process_started"))
				hs = append(hs, p)
			}
		}
		park(warm)
		before := footprint(b)
		park(n)
		after := footprint(b)
		b.ReportMetric(float64(after-before)/n, "B/parked")
		b.ReportMetric(float64(threads(b)), "threads")
		for _, p := range hs {
			if err := rt.Kill(ctx, p.ID(), reeve.KillOptions{Now: true}); err != nil {
				b.Fatal(err)
			}
		}
		for _, p := range hs {
			if _, err := p.Wait(ctx); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// footprint is the memory of this process that the system counts as its own.
func footprint(b *testing.B) int64 {
	for range 3 { // stacks shrink by half in each
		debug.FreeOSMemory()
	}
	return statusKB(b, "RssAnon:") << 10
}

func threads(b *testing.B) int64 { return statusKB(b, "Threads:") }

func statusKB(b *testing.B, key string) int64 {
	b.Helper()
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip("needs /proc:", err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, key); ok {
			var n int64
			_, _ = fmt.Sscan(rest, &n)
			return n
		}
	}
	return 0
}
