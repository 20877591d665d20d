package bench

import (
	"io"
	"testing"
	"time"
)

// The numbers above a dashboard, and a search that finds nothing, with many
// records: the first overview counts them all, those after it do not.
func BenchmarkOverview(b *testing.B) {
	many := env("REEVE_BENCH_RECORDS", 20_000)
	d := start(b, filled(b, many))
	first := d.ask(b, "/overview")
	var next, search []time.Duration
	for b.Loop() {
		for range 10 {
			next = append(next, d.ask(b, "/overview"))
		}
		search = append(search, d.ask(b, "/processes?limit=50&text=nothing+like+it"))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(many), "records")
	b.ReportMetric(first.Seconds()*1e3, "ms-first")
	b.ReportMetric(median(next).Seconds()*1e3, "ms")
	b.ReportMetric(median(search).Seconds()*1e3, "ms-search")
}

// ask is how long an answer takes.
func (d *daemon) ask(b *testing.B, path string) time.Duration {
	b.Helper()
	begin := time.Now()
	res, err := d.http.Get("http://reeve" + path)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != 200 {
		b.Fatal(res.Status, err)
	}
	return time.Since(begin)
}
