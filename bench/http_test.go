package bench

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

const trueCommand = `{"environment":"command","command":{"program":"true"},"block":true}`

// 1 000 commands by 32 clients over HTTP, durable, beside 1 000 bare spawns by
// as many goroutines.
func BenchmarkThroughput(b *testing.B) {
	const jobs, clients = 1000, 32
	d := start(b, shortDir(b))
	seen := map[int64]bool{}
	var bare, served []time.Duration
	for b.Loop() {
		bare = append(bare, together(b, jobs, clients, func() (int64, error) { return 0, exec.Command("true").Run() }, nil))
		served = append(served, together(b, jobs, clients, func() (int64, error) { return d.run(trueCommand) }, func(id int64) {
			if seen[id] {
				b.Errorf("process %d was answered twice", id)
			}
			seen[id] = true
		}))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(jobs/median(bare).Seconds(), "bare/s")
	b.ReportMetric(jobs/median(served).Seconds(), "jobs/s")
	b.ReportMetric(float64(median(bare))/float64(median(served)), "of-bare")
}

// together does a job n times by several goroutines and returns how long that
// took. Results are given to done one at a time.
func together(b *testing.B, n, workers int, job func() (int64, error), done func(int64)) time.Duration {
	var wg sync.WaitGroup
	var mu sync.Mutex
	todo := make(chan struct{}, n)
	for range n {
		todo <- struct{}{}
	}
	close(todo)
	begin := time.Now()
	for range workers {
		wg.Go(func() {
			for range todo {
				id, err := job()
				mu.Lock()
				if err != nil {
					b.Error(err)
				} else if done != nil {
					done(id)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return time.Since(begin)
}

// One command after the other, from the request to the answer that it is over,
// beside a bare spawn and one sync of a small file.
func BenchmarkCreateToFinished(b *testing.B) {
	dir := shortDir(b)
	d := start(b, dir)
	f, err := os.Create(filepath.Join(dir, "floor"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	page := make([]byte, 4096)
	var floor, served []time.Duration
	for b.Loop() {
		for range 100 { // interleaved, so that both meet the same machine
			begin := time.Now()
			if err := exec.Command("true").Run(); err != nil {
				b.Fatal(err)
			}
			if _, err := f.Write(page); err != nil {
				b.Fatal(err)
			}
			if err := syncData(f); err != nil {
				b.Fatal(err)
			}
			floor = append(floor, time.Since(begin))
			begin = time.Now()
			if _, err := d.run(trueCommand); err != nil {
				b.Fatal(err)
			}
			served = append(served, time.Since(begin))
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(floor).Seconds()*1e3, "floor-ms")
	b.ReportMetric(median(served).Seconds()*1e3, "ms")
	b.ReportMetric(float64(median(served))/float64(median(floor)), "of-floor")
}

// Idle event streams: what each costs the daemon.
func BenchmarkIdleStreams(b *testing.B) {
	const streams = 2000
	for b.Loop() {
		d := start(b, shortDir(b))
		for range 50 {
			if _, err := d.run(trueCommand); err != nil {
				b.Fatal(err)
			}
		}
		before := d.memory(b)
		var open []*http.Response
		for range streams {
			req, _ := http.NewRequestWithContext(b.Context(), "GET", "http://reeve/events", nil)
			req.Header.Set("Accept", "text/event-stream")
			res, err := d.http.Do(req)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := bufio.NewReaderSize(res.Body, 16).ReadString('\n'); err != nil {
				b.Fatal(err)
			}
			open = append(open, res)
		}
		b.ReportMetric(float64(d.memory(b)-before)/1e6, "MB")
		b.ReportMetric(float64(d.memory(b)-before)/streams/1e3, "kB/stream")
		for _, res := range open {
			res.Body.Close()
		}
	}
	b.ReportMetric(0, "ns/op")
}

func env(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}
