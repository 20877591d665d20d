package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

const helloProgram = `console.log("hello", 1 + 1);`

func program(code string) string {
	body, _ := json.Marshal(map[string]any{"environment": "typescript", "code": code, "block": true, "options": map[string]any{"timeout": 600_000}})
	return string(body)
}

// One program after the other, from the request to the answer that has its
// durable end and output, beside a fresh isolate of isolated-vm alone. The
// source was seen before.
func BenchmarkProgram(b *testing.B) {
	d, peer := start(b, shortDir(b)), newIsolated(b)
	body := program(helloProgram)
	for range 20 {
		if _, err := d.run(body); err != nil {
			b.Fatal(err)
		}
	}
	var ours, theirs []time.Duration
	for b.Loop() {
		_, each := peer.run(b, helloProgram, 50, 1)
		theirs = append(theirs, each...)
		for range 50 {
			begin := time.Now()
			if _, err := d.run(body); err != nil {
				b.Fatal(err)
			}
			ours = append(ours, time.Since(begin))
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(median(theirs).Microseconds()), "isolated-µs")
	b.ReportMetric(float64(median(ours).Microseconds()), "reeve-µs")
	b.ReportMetric(float64(median(ours))/float64(median(theirs)), "of-isolated")
}

// Programs per second by sixteen clients over HTTP, durable, beside the best that
// isolated-vm does in its own process.
func BenchmarkPrograms(b *testing.B) {
	const jobs, clients = 600, 16
	d, peer := start(b, shortDir(b)), newIsolated(b)
	body := program(helloProgram)
	var ours, theirs []time.Duration
	for b.Loop() {
		one, _ := peer.run(b, helloProgram, jobs, 1)
		two, _ := peer.run(b, helloProgram, jobs, 2)
		theirs = append(theirs, min(one, two))
		ours = append(ours, together(b, jobs, clients, func() (int64, error) { return d.run(body) }, nil))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(jobs/median(theirs).Seconds(), "isolated/s")
	b.ReportMetric(jobs/median(ours).Seconds(), "reeve/s")
	b.ReportMetric(float64(median(theirs))/float64(median(ours)), "of-isolated")
}

// Programs that compute, beside isolated-vm.
func BenchmarkCompute(b *testing.B) {
	d, peer := start(b, shortDir(b)), newIsolated(b)
	for name, code := range map[string]string{
		"fib":   `const fib = (n) => n < 2 ? n : fib(n - 1) + fib(n - 2); console.log(fib(34));`,
		"regex": `let n = 0; const s = "lorem ipsum dolor sit amet 2026-11-15 ".repeat(20000); for (const m of s.matchAll(/(\d+)-(\d+)-(\d+)/g)) n += +m[1]; console.log(n);`,
		"json":  `let o = Array.from({ length: 20000 }, (_, i) => ({ id: i, name: "n" + i, tags: ["a", "b"] })); for (let i = 0; i < 10; i++) o = JSON.parse(JSON.stringify(o)); console.log(o.length);`,
		"sort":  `const a = Array.from({ length: 500000 }, (_, i) => (i * 7919) % 1000003); a.sort((x, y) => x - y); console.log(a[1000]);`,
	} {
		b.Run(name, func(b *testing.B) {
			var ours, theirs []time.Duration
			for b.Loop() {
				_, each := peer.run(b, code, 3, 1)
				theirs = append(theirs, each...)
				for range 3 {
					begin := time.Now()
					if _, err := d.run(program(code)); err != nil {
						b.Fatal(err)
					}
					ours = append(ours, time.Since(begin))
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(median(theirs).Milliseconds()), "isolated-ms")
			b.ReportMetric(float64(median(ours).Milliseconds()), "reeve-ms")
			b.ReportMetric(float64(median(ours))/float64(median(theirs)), "of-isolated")
		})
	}
}

// Memory of programs that wait: proportional set size, which divides what is
// shared by those who share it, and what it adds to the daemon.
func BenchmarkSuspended(b *testing.B) {
	const programs = 200
	d := start(b, shortDir(b), "--concurrency", fmt.Sprintf("typescript=%d", programs))
	body := strings.Replace(program(`console.log("waiting"); await new Promise((done) => setTimeout(done, 3600_000));`), `"block":true`, `"block":false`, 1)
	for b.Loop() {
		before := d.memory(b)
		var pss int64
		var ids []int64
		for range programs {
			ids = append(ids, d.create(b, body))
		}
		for _, id := range ids {
			pss += proportional(b, d.leader(b, id))
		}
		b.ReportMetric(float64(pss)/programs/1000, "kB-each")
		b.ReportMetric(float64(d.memory(b)-before)/programs/1000, "kB-daemon")
		for _, id := range ids {
			d.end(b, id)
		}
	}
	b.ReportMetric(0, "ns/op")
}

// create creates a process and returns its id.
func (d *daemon) create(b *testing.B, body string) int64 {
	b.Helper()
	var rec struct{ ID int64 }
	d.do(b, "POST", "/processes", body, &rec)
	return rec.ID
}

// leader waits until a program has said something, and returns its process of
// the operating system.
func (d *daemon) leader(b *testing.B, id int64) (pid int) {
	b.Helper()
	req, _ := http.NewRequest("GET", fmt.Sprintf("http://reeve/processes/%d/events", id), nil)
	req.Header.Set("Accept", "text/event-stream")
	res, err := d.http.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	var seen []byte
	for buf := make([]byte, 4096); !bytes.Contains(seen, []byte("output_appended")); {
		n, err := res.Body.Read(buf)
		if seen = append(seen, buf[:n]...); err != nil {
			b.Fatalf("%v after %s", err, seen)
		}
	}
	_, rest, _ := bytes.Cut(seen, []byte(`"pid":`))
	fmt.Sscan(string(rest), &pid)
	return pid
}

func (d *daemon) end(b *testing.B, id int64) {
	b.Helper()
	d.do(b, "POST", fmt.Sprintf("/processes/%d/signals/kill", id), `{"now":true,"block":true}`, nil)
}

func (d *daemon) do(b *testing.B, method, path, body string, into any) {
	b.Helper()
	req, _ := http.NewRequest(method, "http://reeve"+path, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	res, err := d.http.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 300 {
		b.Fatalf("%d %s, %v", res.StatusCode, raw, err)
	}
	if into != nil {
		if err := json.Unmarshal(raw, into); err != nil {
			b.Fatal(err)
		}
	}
}

// proportional is the proportional set size of a process, in bytes.
func proportional(b *testing.B, pid int) int64 {
	b.Helper()
	roll, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		b.Skip("no memory of other processes to read: ", err)
	}
	_, rest, _ := bytes.Cut(roll, []byte("\nPss:"))
	var kb int64
	fmt.Sscan(string(rest), &kb)
	return kb << 10
}
