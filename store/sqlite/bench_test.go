package sqlite

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// jobs makes the two changes of no-op jobs: one when a job is accepted, one
// when it is over.
type jobs struct {
	id     process.ID
	cursor int64
	now    time.Time
}

func newJobs() *jobs { return &jobs{now: time.Date(2026, 6, 24, 12, 0, 0, 0, time.UTC)} }

func (j *jobs) events(id process.ID, seq int64, ds ...process.Payload) []process.Event {
	evs := make([]process.Event, len(ds))
	for i, d := range ds {
		j.cursor++
		seq++
		j.now = j.now.Add(time.Microsecond)
		evs[i] = process.New(d)
		evs[i].Seq, evs[i].Cursor, evs[i].Process, evs[i].Run, evs[i].At = seq, j.cursor, id, 1, j.now
	}
	return evs
}

func (j *jobs) accepted() store.Change {
	j.id++
	p := &process.Process{
		ID:    j.id,
		Spec:  process.Spec{Environment: process.EnvFunction, Code: "noop", Options: process.Options{Timeout: process.NoTimeout}},
		State: process.Queued, CreatedAt: j.now, LastSeq: 2, Run: process.Run{Number: 1},
	}
	return store.Change{Insert: p, ID: j.id,
		Events: j.events(j.id, 0, process.ProcessCreated{Environment: process.EnvFunction}, process.ProcessQueued{})}
}

func (j *jobs) finished(id process.ID) store.Change {
	o := process.Outcome{Kind: process.OutcomeSucceeded}
	p := &process.Process{
		ID: id, State: process.Idle, LastSeq: 6,
		Run: process.Run{
			Number: 1, Lifecycle: process.LifecycleDead, ExitState: process.ExitSuccess,
			Exit: &process.Exit{Reason: process.ReasonCompleted}, Outcome: &o,
			Enforced: &process.Enforced{TreeKill: "none"}, Usage: process.Usage{WallMS: 1},
			Captured: process.Persist, StartedAt: j.now, CompletedAt: j.now,
		},
	}
	return store.Change{Update: p, ID: id, Events: j.events(id, 2, process.ProcessStarted{}, process.Exited{},
		process.Reaped{Steps: []string{"orphans", "cancel", "wait", "close", "free", "dead", "leave"}}, process.Finalized{Outcome: o})}
}

// batches returns the changes of n jobs, as a kernel under load hands them
// over: acceptances and ends of earlier jobs mixed.
func (j *jobs) batches(n, size int) (out [][]store.Change) {
	var batch []store.Change
	add := func(c store.Change) {
		if batch = append(batch, c); len(batch) == size {
			out, batch = append(out, batch), nil
		}
	}
	const lag = 1000 // jobs in flight
	first := j.id + 1
	for i := range n + lag {
		if i < n {
			add(j.accepted())
		}
		if i >= lag {
			add(j.finished(first + process.ID(i-lag)))
		}
	}
	if len(batch) > 0 {
		out = append(out, batch)
	}
	return out
}

func fill(b testing.TB, s store.Store, n int) {
	b.Helper()
	for _, batch := range newJobs().batches(n, 1000) {
		if err := s.Apply(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkApply measures durable no-op jobs: an insert with two events, later
// an update with four.
func BenchmarkApply(b *testing.B) {
	for _, size := range []int{1, 100, 300, 1000} {
		b.Run(fmt.Sprintf("batch=%d", size), func(b *testing.B) {
			s := open(b, filepath.Join(b.TempDir(), "reeve.db"))
			batches := newJobs().batches(b.N, size)
			b.ReportAllocs()
			b.ResetTimer()
			for _, batch := range batches {
				if err := s.Apply(b.Context(), batch); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
		})
	}
}

// BenchmarkList compares pages of 50 of a small and of a large database; the
// cost must not grow with the table.
func BenchmarkList(b *testing.B) {
	small, large := open(b, filepath.Join(b.TempDir(), "small.db")), open(b, filepath.Join(b.TempDir(), "large.db"))
	const few, many = 1000, 200_000
	fill(b, small, few)
	fill(b, large, many)
	success := process.ExitSuccess
	start := newJobs().now
	for name, q := range map[string]func(n int) process.Query{
		"newest":      func(int) process.Query { return process.Query{} },
		"middle":      func(n int) process.Query { return process.Query{Cursor: fmt.Sprint(n / 2)} },
		"state":       func(int) process.Query { return process.Query{State: process.Idle} },
		"running":     func(int) process.Query { return process.Query{State: process.Running} },
		"status":      func(int) process.Query { return process.Query{Status: &success} },
		"environment": func(int) process.Query { return process.Query{Environment: process.EnvFunction} },
		"tag":         func(int) process.Query { return process.Query{Tag: "none"} },
		"until":       func(int) process.Query { return process.Query{Until: start.Add(time.Millisecond)} },
	} {
		b.Run(name, func(b *testing.B) {
			a, z := medians(b, small, q(few), large, q(many))
			b.ReportMetric(float64(a.Microseconds()), "µs@1k")
			b.ReportMetric(float64(z.Microseconds()), "µs@200k")
			b.ReportMetric(float64(z)/float64(a), "ratio")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// medians reads from both in turn, so that what else the machine does hits both.
func medians(b *testing.B, small store.Store, qs process.Query, large store.Store, ql process.Query) (time.Duration, time.Duration) {
	qs.Limit, ql.Limit = 50, 50
	var ts, tl []time.Duration
	for b.Loop() {
		ts = append(ts, timed(b, small, qs))
		tl = append(tl, timed(b, large, ql))
	}
	slices.Sort(ts)
	slices.Sort(tl)
	return ts[len(ts)/2], tl[len(tl)/2]
}

func timed(b *testing.B, s store.Store, q process.Query) time.Duration {
	t := time.Now()
	if _, err := s.Processes(b.Context(), q); err != nil {
		b.Fatal(err)
	}
	return time.Since(t)
}
