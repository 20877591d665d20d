package sqlite

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/reeverun/reeve/process"
)

// BenchmarkCount measures what the first overview costs: everything is counted.
func BenchmarkCount(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "reeve.db"))
	fill(b, s, 200_000)
	for b.Loop() {
		count, err := s.Count(b.Context(), process.NewActivity(newJobs().now.Add(-time.Minute), time.Minute, 60))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := count(); err != nil {
			b.Fatal(err)
		}
	}
}
