package kernel

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
	"github.com/reeverun/reeve/store/memory"
)

// parkedEnv runs what waits until it is ended, and can be paused.
type parkedEnv struct{}

func (parkedEnv) Setup(context.Context) error                   { return nil }
func (parkedEnv) Teardown(context.Context) error                { return nil }
func (parkedEnv) Docs() string                                  { return "waits" }
func (parkedEnv) Kill(process.ID)                               {}
func (parkedEnv) Pause(context.Context, process.ID, bool) error { return nil }
func (parkedEnv) Resume(process.ID) error                       { return nil }
func (parkedEnv) Execute(ctx context.Context, _ env.Input, h env.Host) (env.Result, error) {
	h.Started(0, process.Enforced{TreeKill: "none", Missing: []string{}})
	<-ctx.Done()
	return env.Result{State: process.ExitCanceled}, nil
}

// BenchmarkParked shows what it costs to have many processes that wait in one
// table, and that no operation gets dearer with their number.
func BenchmarkParked(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("processes=%d", n), func(b *testing.B) {
			for b.Loop() {
				parked(b, n)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func parked(b *testing.B, n int) {
	logs, err := rawlog.New(rawlog.Config{})
	if err != nil {
		b.Fatal(err)
	}
	k, err := Open(b.Context(), Config{Store: memory.New(), Logs: logs, Interpreters: interpret.NewRegistry(), RawOutput: process.MemoryOnly,
		Environments: map[string]Environment{"parked": {Environment: parkedEnv{}}}, Retention: Retention{Every: -1}, MaxTree: 2 * n})
	if err != nil {
		b.Fatal(err)
	}
	root, err := k.Spawn(b.Context(), Request{Spec: process.Spec{Environment: "parked"}})
	if err != nil {
		b.Fatal(err)
	}
	before := memoryUsed()
	begin := time.Now()
	const spawners = 16
	done := make(chan error, spawners)
	for w := range spawners {
		go func() {
			for i := w; i < n; i += spawners {
				if _, err := k.Spawn(b.Context(), Request{Spec: process.Spec{Environment: "parked", Parent: root}}); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range spawners {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	took := time.Since(begin)
	b.ReportMetric(float64(n)/took.Seconds(), "spawns/s")
	b.ReportMetric(float64(memoryUsed()-before)/float64(n), "B-each")

	begin = time.Now()
	affected, err := k.Signal(b.Context(), root, process.SIGPAUSE, SignalOptions{Tree: true})
	if err != nil || affected != n+1 {
		b.Fatalf("%d paused, %v", affected, err)
	}
	b.ReportMetric(float64(time.Since(begin).Nanoseconds())/float64(n), "ns-paused-each")
	begin = time.Now()
	if affected, err = k.Signal(b.Context(), root, process.SIGRESUME, SignalOptions{Tree: true}); err != nil || affected != n+1 {
		b.Fatalf("%d resumed, %v", affected, err)
	}
	b.ReportMetric(float64(time.Since(begin).Nanoseconds())/float64(n), "ns-resumed-each")
	begin = time.Now()
	const lists = 100
	for range lists {
		page, err := k.Processes(b.Context(), process.Query{State: process.Running, Limit: 100})
		if err != nil || len(page.Processes) != 100 {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(time.Since(begin).Microseconds())/lists, "µs-list")
	begin = time.Now()
	if err := k.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(time.Since(begin).Nanoseconds())/float64(n), "ns-ended-each")
}

// memoryUsed is what the program holds, stacks included.
func memoryUsed() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}
