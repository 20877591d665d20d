package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/env/agent"
	"github.com/reeverun/reeve/env/agent/model"
	"github.com/reeverun/reeve/process"
)

// silentModel never answers: whoever asks it waits.
type silentModel struct{}

func (silentModel) Complete(ctx context.Context, _ *model.Request, _ func(string)) (*model.Answer, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

func (silentModel) Close() {}

// BenchmarkParkedAgents has many agents in one process table, in a durable
// store: each has begun and asked its model, and is then parked at the gate
// before its step by one signal to the whole tree. It shows what one costs
// beside its goroutine, and that no operation gets dearer with their number.
func BenchmarkParkedAgents(b *testing.B) {
	sizes := []int{1000, 10_000}
	if os.Getenv("REEVE_BENCH_AGENTS") == "all" { // a hundred thousand take minutes
		sizes = append(sizes, 100_000)
	}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("agents=%d", n), func(b *testing.B) {
			for b.Loop() {
				parkedAgents(b, n)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func parkedAgents(b *testing.B, n int) {
	dir, err := os.MkdirTemp("", "reeve-agents")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(dir)
	bare := bareGoroutine(n)
	rt, err := reeve.Open(b.Context(), reeve.Config{Dir: dir, Environments: map[string]reeve.Environment{
		process.EnvAgent: agent.New(agent.Config{Models: map[string]model.Model{agent.OpenAI: silentModel{}}, Model: "silent"}),
	}})
	if err != nil {
		b.Fatal(err)
	}
	defer rt.Close()
	root, err := rt.Spawn(b.Context(), reeve.Agent("the first"))
	if err != nil {
		b.Fatal(err)
	}
	each := func(name string, f func()) {
		begin := time.Now()
		f()
		b.ReportMetric(float64(time.Since(begin).Microseconds())/float64(n), name)
	}
	before, _ := inUse()
	begin := time.Now()
	spawnAgents(b, rt, root.ID(), n)
	b.ReportMetric(float64(n)/time.Since(begin).Seconds(), "spawns/s")
	each("pause-µs-each", func() { signalAll(b, rt, root.ID(), process.SIGPAUSE, n+1) })
	heap, stack := inUse()
	b.ReportMetric(float64(heap-before)/float64(n), "B-heap")
	b.ReportMetric(float64(stack)/float64(n), "B-stack")
	b.ReportMetric(bare, "B-bare-stack")
	const lists = 50
	begin = time.Now()
	for range lists {
		page, err := rt.Processes(b.Context(), reeve.Query{State: process.Running, Limit: 100})
		if err != nil || len(page.Processes) != 100 {
			b.Fatalf("%d listed, %v", len(page.Processes), err)
		}
	}
	b.ReportMetric(float64(time.Since(begin).Microseconds())/lists, "list-µs")
	each("resume-µs-each", func() { signalAll(b, rt, root.ID(), process.SIGRESUME, n+1) })
	each("kill-µs-each", func() {
		if err := rt.Kill(b.Context(), root.ID(), reeve.KillOptions{Now: true}); err != nil {
			b.Fatal(err)
		}
		awaitIdle(b, rt)
	})
}

func spawnAgents(b *testing.B, rt *reeve.Runtime, parent process.ID, n int) {
	const clients = 32
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for i := c; i < n; i += clients {
				if _, err := rt.Spawn(b.Context(), reeve.Agent("wait").Parent(parent)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func signalAll(b *testing.B, rt *reeve.Runtime, root process.ID, s process.Signal, want int) {
	b.Helper()
	affected, err := rt.Signal(b.Context(), root, s, reeve.SignalOptions{Tree: true, Now: true})
	if err != nil || affected != want {
		b.Fatalf("%s reached %d of %d: %v", s, affected, want, err)
	}
}

// awaitIdle waits until nothing runs.
func awaitIdle(b *testing.B, rt *reeve.Runtime) {
	b.Helper()
	for _, s := range []process.State{process.Running, process.Terminating, process.Queued} {
		for {
			page, err := rt.Processes(b.Context(), reeve.Query{State: s, Limit: 1})
			if err != nil {
				b.Fatal(err)
			}
			if len(page.Processes) == 0 {
				break
			}
			if _, err := rt.Await(b.Context(), page.Processes[0].ID); err != nil && !strings.Contains(err.Error(), "not been run") {
				b.Fatal(err)
			}
		}
	}
}

// bareGoroutine is the stack of a goroutine that waits for a channel.
func bareGoroutine(n int) float64 {
	wait := make(chan struct{})
	_, before := inUse()
	var begun, wg sync.WaitGroup
	begun.Add(n)
	for range n {
		wg.Go(func() {
			begun.Done()
			<-wait
		})
	}
	begun.Wait()
	_, after := inUse()
	each := float64(after-before) / float64(n)
	close(wait)
	wg.Wait()
	return each
}

// inUse is what the program holds.
func inUse() (heap, stacks int64) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse), int64(m.StackInuse)
}
