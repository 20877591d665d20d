package reeve_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/reeverun/reeve"
)

// One function's output that is not JSON must not stop the whole runtime.
func TestOutputThatIsNotJSON(t *testing.T) {
	rt := open(t, reeve.Config{Dir: t.TempDir()})
	p := spawn(t, rt, reeve.Func("nan", func(ctx context.Context, c *reeve.FuncCall) error {
		c.Output(map[string]any{"loss": math.NaN()})
		return nil
	}))
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	if _, err := p.Wait(ctx); err != nil {
		t.Errorf("the function's process never ends: %v", err)
	}
	done := make(chan error, 1)
	go func() {
		q, err := rt.Spawn(context.Background(), reeve.Command("true"))
		if err == nil {
			_, err = q.Wait(context.Background())
		}
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(3 * time.Second):
		t.Error("no other process can be spawned any more")
	}
}

// A log directory without a database holds logs of an earlier program.
func TestStaleLogs(t *testing.T) {
	dir := t.TempDir()
	rt, err := reeve.Open(t.Context(), reeve.Config{LogDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	wait(t, spawn(t, rt, reeve.Command("echo", "of the first program")))
	_ = rt.Close()
	rt = open(t, reeve.Config{LogDir: dir})
	p := spawn(t, rt, reeve.Func("quiet", func(context.Context, *reeve.FuncCall) error { return nil }))
	wait(t, p)
	if out := output(t, rt, p.ID(), reeve.Stdout); out != "" {
		t.Errorf("a function that wrote nothing has output %q", out)
	}
}

// A map given to Output is read by the journal later.
func TestOutputIsCopied(t *testing.T) {
	rt := open(t, reeve.Config{Dir: t.TempDir()})
	p := spawn(t, rt, reeve.Func("alias", func(ctx context.Context, c *reeve.FuncCall) error {
		m := map[string]any{}
		for i := range 2000 {
			m["n"] = i
			c.Output(map[string]any{"progress": m})
		}
		return nil
	}))
	wait(t, p)
}
