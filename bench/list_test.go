package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/reeverun/reeve/internal/seal"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
	"github.com/reeverun/reeve/store/sqlite"
)

// The first page of a list, with many records beside with few.
func BenchmarkList(b *testing.B) {
	many := env("REEVE_BENCH_RECORDS", 20_000)
	few := start(b, filled(b, 1000))
	full := start(b, filled(b, many))
	var small, large []time.Duration
	for b.Loop() {
		for range 100 {
			small = append(small, few.list(b))
			large = append(large, full.list(b))
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(many), "records")
	b.ReportMetric(median(small).Seconds()*1e3, "ms-at-1000")
	b.ReportMetric(median(large).Seconds()*1e3, "ms")
	b.ReportMetric(float64(median(large))/float64(median(small)), "of-1000")
	b.ReportMetric(float64(large[len(large)*99/100])/float64(small[len(small)*99/100]), "p99-of-1000")
}

func (d *daemon) list(b *testing.B) time.Duration {
	b.Helper()
	return d.ask(b, "/processes?limit=50")
}

// filled returns a data directory with finished processes.
func filled(b *testing.B, n int) string {
	b.Helper()
	dir := shortDir(b)
	box, err := seal.Open(dir + "/key")
	if err != nil {
		b.Fatal(err)
	}
	st, err := sqlite.Open(b.Context(), sqlite.Config{Path: dir + "/reeve.db", Sealer: box})
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	const batch = 1000
	at := time.Now().Add(-time.Hour).UTC()
	for first := 1; first <= n; first += batch {
		var changes []store.Change
		for id := first; id < first+batch && id <= n; id++ {
			changes = append(changes, store.Change{Insert: finished(process.ID(id), at)})
		}
		if err := st.Apply(b.Context(), changes); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

func finished(id process.ID, at time.Time) *process.Process {
	return &process.Process{ID: id, State: process.Idle, CreatedAt: at,
		Spec: process.Spec{Environment: process.EnvCommand, Label: fmt.Sprint("job ", id), Tags: []string{"bench"},
			Command: &process.Command{Program: "true", Args: []string{"a", "b"}}, RawOutput: process.Persist},
		Run: process.Run{Number: 1, Lifecycle: process.LifecycleDead, ExitState: process.ExitSuccess,
			Exit: &process.Exit{Reason: process.ReasonCompleted}, Outcome: &process.Outcome{Kind: process.OutcomeSucceeded},
			StartedAt: at, CompletedAt: at}}
}
