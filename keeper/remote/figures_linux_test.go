package remote_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/remote"
)

// BenchmarkSpawnWait spawns, waits for and releases true, by a keeper process
// and by the in-process spawner in turn, so that both see the same machine;
// ratio is of the medians.
func BenchmarkSpawnWait(b *testing.B) {
	for _, tier := range []keeper.Tier{keeper.TierCgroup2, keeper.TierSubreaper} {
		b.Run(string(tier), func(b *testing.B) {
			c := benchConfig(b)
			c.Tier = tier
			far := connect(b, c)
			near, err := keeper.NewInProcess(keeper.Options{Name: b.Name(), Tier: tier})
			if err != nil {
				b.Skip(err)
			}
			defer near.Close()
			var times [2][]time.Duration
			for b.Loop() {
				for i, s := range []keeper.Spawner{far, near} {
					begin := time.Now()
					once(b, s)
					times[i] = append(times[i], time.Since(begin))
				}
			}
			report(b, times)
		})
	}
}

func report(b *testing.B, times [2][]time.Duration) {
	for i := range times {
		slices.Sort(times[i])
	}
	f, n := times[0][len(times[0])/2], times[1][len(times[1])/2]
	b.ReportMetric(float64(f.Microseconds()), "µs/keeper")
	b.ReportMetric(float64(n.Microseconds()), "µs/inprocess")
	b.ReportMetric(float64(f)/float64(n), "ratio")
}

func once(b testing.TB, s keeper.Spawner) {
	out := devNull
	j, err := s.Spawn(context.Background(), keeper.Spec{Path: "/bin/true", Env: os.Environ(), Stdin: out, Stdout: out, Stderr: out})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := j.Wait(context.Background()); err != nil {
		b.Fatal(err)
	}
	if err := j.WaitEmpty(context.Background()); err != nil {
		b.Fatal(err)
	}
	j.Release()
}

var devNull = func() *os.File {
	f, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		panic(err)
	}
	return f
}()

// benchConfig uses the program named by REEVE_BINARY as the keeper, if there is
// one: its memory is that of the product, this one's that of a test.
func benchConfig(t testing.TB) remote.Config {
	c := config(t)
	c.Executable = os.Getenv("REEVE_BINARY")
	return c
}

func threadsOf(t testing.TB, pid int) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "Threads:\t")
	line, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
