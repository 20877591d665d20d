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

// BenchmarkParked starts sleeping programs and reports what each costs the
// keeper and its client, in memory, descriptors and threads.
func BenchmarkParked(b *testing.B) {
	const jobs = 1000
	cl := connect(b, benchConfig(b))
	pid, _ := cl.Keeper()
	for range 3 {
		once(b, cl)
	}
	time.Sleep(100 * time.Millisecond)
	measure := func() (kb [2]int) {
		for i, p := range []int{pid, os.Getpid()} {
			kb[i] = memoryOf(b, p, "Private_Dirty") + memoryOf(b, p, "Private_Clean")
		}
		return kb
	}
	before, idle := measure(), memoryOf(b, pid, "Rss")
	for i := range jobs {
		j, err := cl.Spawn(context.Background(), keeper.Spec{Name: strconv.Itoa(i), Path: "/bin/sleep", Args: []string{"600"}, Env: os.Environ(), Stdin: devNull, Stdout: devNull, Stderr: devNull})
		if err != nil {
			b.Fatal(err)
		}
		go func() { _, _ = j.Wait(context.Background()) }()
	}
	time.Sleep(300 * time.Millisecond)
	after := measure()
	for b.Loop() { // it is measured once
	}
	fds, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	b.ReportMetric(float64(idle), "idle-RSS-kB")
	b.ReportMetric(float64(before[0]), "idle-private-kB")
	b.ReportMetric(float64(after[0]-before[0])/jobs, "keeper-kB/job")
	b.ReportMetric(float64(after[1]-before[1])/jobs, "client-kB/job")
	b.ReportMetric(float64(len(fds)), "keeper-files")
	b.ReportMetric(float64(threadsOf(b, pid)), "keeper-threads")
	b.ReportMetric(0, "ns/op")
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
