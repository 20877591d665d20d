//go:build linux && (amd64 || arm64)

package reeve_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/internal/powercut"
	"github.com/reeverun/reeve/process"
)

// powerHost runs functions that write, some at a time, and says what the
// runtime has acknowledged.
func powerHost() int {
	ctx := context.Background()
	if err := powercut.Enlist(); err != nil {
		fmt.Println("error:", err)
		return 1
	}
	rt, err := reeve.Open(ctx, reeve.Config{Dir: os.Getenv("REEVE_TEST_DIR"), Retention: reeve.Retention{Every: -1}})
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			for i := range 3 {
				powerJob(ctx, rt, 10*n+i)
			}
		})
	}
	all.Wait()
	if err := rt.Close(); err != nil {
		fmt.Println("error:", err)
		return 1
	}
	return 0
}

func powerJob(ctx context.Context, rt *reeve.Runtime, n int) {
	p, err := rt.Spawn(ctx, reeve.Func("write", func(_ context.Context, c *reeve.FuncCall) error {
		for i := range 5 {
			fmt.Fprintf(c.Stdout, "line %d of %d\n", i, n)
		}
		c.Output(map[string]any{"n": n})
		return nil
	}).Ref(fmt.Sprint("job-", n)))
	if err != nil {
		panic(err)
	}
	fmt.Printf("created %d %d\n", p.ID(), n)
	if _, err := p.Wait(ctx); err != nil {
		panic(err)
	}
	fmt.Printf("finished %d %d\n", p.ID(), n)
	s, err := rt.Spawn(ctx, reeve.Command("true").Env("TOKEN", fmt.Sprint("s3cret-", n)).Parked())
	if err != nil {
		panic(err)
	}
	fmt.Printf("secret %d %d\n", s.ID(), n)
}

// Whenever the power is cut, what a runtime has acknowledged is there: the
// process, its end, its structured output, its secrets. The bytes of its output
// are not promised; what is left of them can be read, and what is not is told.
func TestPowerCutUnderARuntime(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "REEVE_TEST_HOST=power", "REEVE_TEST_DIR="+dir)
	cmd.Stderr = os.Stderr
	l, err := powercut.Record(cmd, dir)
	if errors.Is(err, powercut.ErrUntraceable) {
		t.Skip(err)
	}
	if err != nil || len(l.Acknowledged(l.Len())) != 36 {
		t.Fatalf("%v, %q", err, l.Acknowledged(l.Len()))
	}
	stride := max(1, l.Len()/12)
	if os.Getenv("REEVE_TORTURE") != "" {
		stride = 7
	}
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	cuts := 0
	for cut := rng.IntN(stride); cut <= l.Len(); cut += stride {
		for m := range powercut.Modes {
			cuts++
			if err := runtimeAfterCut(t, l, cut, m, rng); err != nil {
				t.Fatalf("cut %d of %d, mode %d, seed %d: %v", cut, l.Len(), m, seed, err)
			}
		}
	}
	t.Logf("%d writes, syncs and acknowledgements, %d cuts", l.Len(), cuts)
}

func runtimeAfterCut(t *testing.T, l *powercut.Log, cut int, m powercut.Mode, rng *rand.Rand) error {
	dir := t.TempDir()
	if err := l.Make(dir, cut, m, rng); err != nil {
		return err
	}
	_ = os.Remove(filepath.Join(dir, "boot")) // the machine was started again
	rt, err := reeve.Open(t.Context(), reeve.Config{Dir: dir})
	if err != nil {
		return err
	}
	for _, ack := range l.Acknowledged(cut) {
		if err := acknowledged(t, rt, ack); err != nil {
			return errors.Join(fmt.Errorf("%q is not so: %w", ack, err), rt.Close())
		}
	}
	return rt.Close()
}

func acknowledged(t *testing.T, rt *reeve.Runtime, ack string) error {
	f := strings.Fields(ack)
	n, _ := strconv.ParseInt(f[1], 10, 64)
	id := reeve.ID(n)
	rec, err := rt.Process(t.Context(), id)
	if err != nil {
		return err
	}
	switch f[0] {
	case "secret":
		if got := rec.Command.Env["TOKEN"].Reveal(); got != "s3cret-"+f[2] {
			return fmt.Errorf("the secret is %q", got)
		}
		return nil
	case "finished":
		if rec.ExitState != process.ExitSuccess || fmt.Sprint(rec.Output["n"]) != f[2] || rec.Ref != "job-"+f[2] {
			return fmt.Errorf("it is %+v", rec)
		}
	}
	events, err := rt.Events(t.Context(), id, 0, 1000)
	if err != nil {
		return err
	}
	seq := int64(1)
	for _, ev := range events {
		if e, ok := ev.Data.(process.OutputElided); ok {
			if e.FromSeq != seq {
				return fmt.Errorf("seq %d follows %d", e.FromSeq, seq-1)
			}
			seq = e.ToSeq
		}
		if ev.Seq != seq {
			return fmt.Errorf("seq %d follows %d", ev.Seq, seq-1)
		}
		seq++
	}
	var out strings.Builder
	if _, err := rt.WriteOutput(t.Context(), &out, id, 0, process.Stdout); err != nil && !errors.Is(err, process.ErrNotKept) && rec.State == process.Idle {
		return fmt.Errorf("output: %w", err)
	}
	return nil
}
