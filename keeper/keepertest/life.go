package keepertest

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/process"
)

func manyWaiters(r *rig) {
	p := r.sh("read x; exit 5")
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			e, err := p.Wait(r.ctx())
			if e.Code != 5 || err != nil {
				r.Errorf("%+v, %v", e, err)
			}
			if err := p.WaitEmpty(r.ctx()); err != nil {
				r.Error(err)
			}
		})
	}
	_, _ = p.stdin.WriteString("go\n")
	wg.Wait()
}

func waitContext(r *rig) {
	p := r.sh("read x")
	why := errors.New("patience is over")
	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Millisecond, why)
	defer cancel()
	if _, err := p.Wait(ctx); !errors.Is(err, why) {
		r.Errorf("wait: %v", err)
	}
	if err := p.WaitEmpty(ctx); !errors.Is(err, why) {
		r.Errorf("wait for the tree: %v", err)
	}
	if n := len(p.Members()); n != 1 {
		r.Errorf("%d members", n)
	}
}

func signalAfterEnd(r *rig) {
	p := r.sh("true")
	if err := p.WaitEmpty(r.ctx()); err != nil {
		r.Fatal(err)
	}
	for _, s := range []process.Signal{process.SIGTERM, process.SIGINT, process.SIGKILL} {
		if n, err := p.Signal(s); n != 0 || err != nil {
			r.Errorf("%v after the end: %d, %v", s, n, err)
		}
	}
	p.Kill()
	r.exits(p, keeper.Exit{})
}

func usage(r *rig) {
	p := r.sh("i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; echo up; read x")
	p.expect(1, "up")
	live := p.Usage()
	if live.CPU <= 0 {
		r.Errorf("no time was used: %+v", live)
	}
	if runtime.GOOS == "linux" && (live.PIDs != 1 || live.RSS < 64<<10 || live.RSS > 1<<30) {
		r.Errorf("one shell holds %+v", live)
	}
	_, _ = p.stdin.WriteString("go\n")
	if err := p.WaitEmpty(r.ctx()); err != nil {
		r.Fatal(err)
	}
	if end := p.Usage(); end.PIDs != 0 || end.RSS != 0 || end.CPU < live.CPU/2 || end.CPU > time.Minute {
		r.Errorf("%+v at the end, %+v before", end, live)
	}
}

func fifty(r *rig) {
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			spec := keeper.Spec{Path: "/bin/sh", Args: []string{"-c", "sleep 0.01 & exit $0", itoa(i)}, Env: env()}
			j, err := r.Spawn(r.ctx(), spec)
			if err != nil {
				r.Error(err)
				return
			}
			defer j.Release()
			if e, err := j.Wait(r.ctx()); e.Code != i || err != nil {
				r.Errorf("%+v, %v instead of %d", e, err, i)
			}
			if err := j.WaitEmpty(r.ctx()); err != nil {
				r.Error(err)
			}
		})
	}
	wg.Wait()
}

func itoa(i int) string { return string([]byte{'0' + byte(i/10), '0' + byte(i%10)}) }

func killRace(r *rig) {
	for range rounds(12) {
		p := r.sh("exit 6")
		p.Kill()
		e, err := p.Wait(r.ctx())
		if err != nil || e != (keeper.Exit{Code: 6}) && e != (keeper.Exit{Code: 137, Signal: "SIGKILL"}) {
			r.Fatalf("%+v, %v", e, err)
		}
		if err := p.WaitEmpty(r.ctx()); err != nil {
			r.Fatal(err)
		}
		p.Release()
	}
}

func signalRace(r *rig) {
	for range rounds(12) {
		p := r.sh("exit 6")
		n, err := p.Signal(process.SIGTERM)
		if err != nil || n < 0 || n > 1 {
			r.Fatalf("signal: %d, %v", n, err)
		}
		e, err := p.Wait(r.ctx())
		if err != nil || e != (keeper.Exit{Code: 6}) && e != (keeper.Exit{Code: 143, Signal: "SIGTERM"}) {
			r.Fatalf("%+v, %v", e, err)
		}
		p.Release()
	}
}

// releaseRunning gives a job up; it goes on, and Close ends it.
func releaseRunning(r *rig) {
	p, m := r.family(2, sleeper+" & "+sleeper+" & wait")
	p.Release()
	if len(m.alive(r.T)) < 2 {
		r.Error("release ended the job")
	}
	if err := r.Close(); err != nil {
		r.Errorf("close: %v", err)
	}
	if left := m.alive(r.T); len(left) != 0 {
		r.Errorf("close left %v", left)
	}
}

func closeRunning(r *rig) {
	p, m := r.family(4, escapes(sleeper))
	if err := r.Close(); err != nil {
		r.Errorf("close: %v", err)
	}
	if left := m.alive(r.T); len(left) != 0 {
		r.Errorf("close left %v", left)
	}
	if e, err := p.Wait(r.ctx()); err != nil || e.Signal != "SIGKILL" {
		r.Errorf("%+v, %v", e, err)
	}
	if err := r.Close(); err != nil {
		r.Errorf("close again: %v", err)
	}
	if _, err := r.try(keeper.Spec{Path: "/bin/true"}); !errors.Is(err, process.ErrClosed) {
		r.Errorf("spawn after close: %v", err)
	}
}

func noLeak(r *rig) {
	if runtime.GOOS != "linux" {
		r.Skip("needs /proc")
	}
	spawn := func() {
		for range 20 {
			j, err := r.Spawn(r.ctx(), keeper.Spec{Path: "/bin/sh", Args: []string{"-c", "sleep 0.001 & exit 0"}, Env: env()})
			if err != nil {
				r.Fatal(err)
			}
			if err := j.WaitEmpty(r.ctx()); err != nil {
				r.Fatal(err)
			}
			j.Release()
		}
		if _, err := r.Spawn(r.ctx(), keeper.Spec{Path: "/no/such/program"}); err == nil {
			r.Fatal("it started")
		}
	}
	count := func(dir string) int {
		entries, err := os.ReadDir(dir)
		if err != nil {
			r.Fatal(err)
		}
		return len(entries)
	}
	spawn()
	spare := 40 // what a spawner may keep ready
	before, routines := count("/proc/self/fd"), runtime.NumGoroutine()
	for range rounds(3) { // more jobs than are spare
		spawn()
	}
	r.eventually("descriptors are given back", func() bool { return count("/proc/self/fd") <= before+spare })
	r.eventually("goroutines end", func() bool { return runtime.NumGoroutine() <= routines+2 })
}
