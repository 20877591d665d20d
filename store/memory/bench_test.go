package memory_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
	"github.com/reeverun/reeve/store/memory"
)

// job returns the two changes of a no-op job.
func job(id process.ID) (accepted, finished store.Change) {
	now := time.Date(2026, 6, 24, 12, 0, 0, 0, time.UTC).Add(time.Duration(id) * time.Microsecond)
	events := func(seq int64, ds ...process.Payload) []process.Event {
		evs := make([]process.Event, len(ds))
		for i, d := range ds {
			evs[i] = process.New(d)
			evs[i].Seq, evs[i].Process, evs[i].Run, evs[i].At = seq+int64(i)+1, id, 1, now
			evs[i].Cursor = int64(id)*6 + evs[i].Seq
		}
		return evs
	}
	o := process.Outcome{Kind: process.OutcomeSucceeded}
	p := process.Process{ID: id, Spec: process.Spec{Environment: process.EnvFunction}, State: process.Queued,
		CreatedAt: now, Run: process.Run{Number: 1}}
	done := p
	done.State, done.ExitState, done.Outcome, done.CompletedAt = process.Idle, process.ExitSuccess, &o, now
	return store.Change{Insert: &p, Events: events(0, process.ProcessCreated{Environment: p.Environment}, process.ProcessQueued{})},
		store.Change{Update: &done, Events: events(2, process.ProcessStarted{}, process.Exited{},
			process.Reaped{Steps: []string{"cancel", "wait"}}, process.Finalized{Outcome: o})}
}

// BenchmarkJob measures a job: two calls of Apply with one change each.
func BenchmarkJob(b *testing.B) {
	s := memory.New()
	accepted, finished := make([]store.Change, b.N), make([]store.Change, b.N)
	for i := range b.N {
		accepted[i], finished[i] = job(process.ID(i + 1))
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		if err := s.Apply(b.Context(), accepted[i:i+1]); err != nil {
			b.Fatal(err)
		}
		if err := s.Apply(b.Context(), finished[i:i+1]); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(b.N), "B/process")
	runtime.KeepAlive(accepted)
	runtime.KeepAlive(finished)
	runtime.KeepAlive(s)
}

// BenchmarkNewest measures the newest 50 of 100 000.
func BenchmarkNewest(b *testing.B) {
	s := memory.New()
	for id := process.ID(1); id <= 100_000; id++ {
		c, _ := job(id)
		if err := s.Apply(b.Context(), []store.Change{c}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := s.Processes(b.Context(), process.Query{Limit: 50}); err != nil {
			b.Fatal(err)
		}
	}
}
