package keeper_test

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/reeverun/reeve/keeper"
)

// BenchmarkSpawnWait spawns, waits for and releases true, alternating with
// os/exec so that both see the same machine; ratio is keeper over os/exec, of
// the medians.
func BenchmarkSpawnWait(b *testing.B) {
	for _, tier := range []keeper.Tier{keeper.TierCgroup2, keeper.TierSubreaper, keeper.TierGroup} {
		b.Run(string(tier), func(b *testing.B) {
			s, err := keeper.NewInProcess(keeper.Options{Name: b.Name(), Tier: tier})
			if err != nil {
				b.Skip(err)
			}
			defer s.Close()
			spec := keeper.Spec{Path: "/bin/true", Env: os.Environ()}
			var ours, plain []time.Duration
			for b.Loop() {
				t0 := time.Now()
				j, err := s.Spawn(context.Background(), spec)
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
				t1 := time.Now()
				if err := exec.Command("/bin/true").Run(); err != nil {
					b.Fatal(err)
				}
				ours = append(ours, t1.Sub(t0))
				plain = append(plain, time.Since(t1))
			}
			slices.Sort(ours)
			slices.Sort(plain)
			a, p := ours[len(ours)/2], plain[len(plain)/2]
			b.ReportMetric(float64(a.Microseconds()), "µs/keeper")
			b.ReportMetric(float64(p.Microseconds()), "µs/osexec")
			b.ReportMetric(float64(a)/float64(p), "ratio")
		})
	}
}

// BenchmarkSandboxSpawnWait does the same in each sandbox, and with a limit.
func BenchmarkSandboxSpawnWait(b *testing.B) {
	dir := b.TempDir()
	for _, tier := range []keeper.Tier{keeper.TierCgroup2, keeper.TierSubreaper} {
		s, err := keeper.NewInProcess(keeper.Options{Name: b.Name(), Tier: tier})
		if err != nil {
			b.Skip(err)
		}
		for name, spec := range map[string]keeper.Spec{
			"trusted": {}, "limited": {Limits: keeper.Limits{Memory: 1 << 30, PIDs: 100}},
			"confined": {Sandbox: keeper.Confined}, "sandbox": {Sandbox: keeper.Sandboxed},
		} {
			spec.Path, spec.Env, spec.Dir = "/bin/true", os.Environ(), dir
			b.Run(string(tier)+"/"+name, func(b *testing.B) {
				var all []time.Duration
				for b.Loop() {
					begin := time.Now()
					j, err := s.Spawn(context.Background(), spec)
					if err != nil {
						b.Fatal(err)
					}
					if err := j.WaitEmpty(context.Background()); err != nil {
						b.Fatal(err)
					}
					j.Release()
					all = append(all, time.Since(begin))
				}
				slices.Sort(all)
				b.ReportMetric(float64(all[len(all)/2].Microseconds()), "µs/p50")
				b.ReportMetric(float64(all[len(all)/10].Microseconds()), "µs/p10")
			})
		}
		s.Close()
	}
}

// BenchmarkKillTree kills a tree of 300 processes, a third of them in sessions
// of their own, and waits until all are dead.
func BenchmarkKillTree(b *testing.B) {
	const script = `i=0; while [ $i -lt 100 ]; do
		sleep 600 & setsid sleep 600 & (sleep 600 &) ; i=$((i+1)); done; echo up; wait`
	for _, tier := range []keeper.Tier{keeper.TierCgroup2, keeper.TierSubreaper, keeper.TierGroup} {
		b.Run(string(tier), func(b *testing.B) {
			s, err := keeper.NewInProcess(keeper.Options{Name: b.Name(), Tier: tier})
			if err != nil {
				b.Skip(err)
			}
			defer s.Close()
			for b.Loop() {
				b.StopTimer()
				r, w, err := os.Pipe()
				if err != nil {
					b.Fatal(err)
				}
				j, err := s.Spawn(context.Background(), keeper.Spec{Path: "/bin/sh", Args: []string{"-c", script}, Env: os.Environ(), Stdout: w})
				w.Close()
				if err != nil {
					b.Fatal(err)
				}
				_, _ = r.Read(make([]byte, 3))
				r.Close()
				b.StartTimer()
				j.Kill()
				if err := j.WaitEmpty(context.Background()); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				j.Release()
				b.StartTimer()
			}
		})
	}
}
