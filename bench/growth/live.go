package growth

import (
	"context"
	"fmt"
	"time"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
)

const sleeper = `{"environment":"command","command":{"program":"sleep","args":["100000"]}}`

// crowd is a daemon with many commands that sleep.
type crowd struct {
	l      *lab.Lab
	d      *lab.Daemon
	keeper int
	size   int
	alone  float64 // memory without any, in kB
	root   int64   // of a small tree
}

func live(l *lab.Lab) measure.Family {
	c := &crowd{l: l}
	return measure.Family{X: "live processes", Sizes: sizes(l, 10, 10_000, 30), Grow: c.grow, Close: c.close, Curves: []measure.Curve{
		{ID: "live-memory", Title: "memory of daemon and keeper, each process", Unit: "kB", Limit: level, At: c.memory},
		{ID: "live-idle", Title: "processor time of daemon and keeper while all sleep, each process", Unit: "µs/s", Limit: level, At: c.idle},
		{ID: "live-list", Title: "list of the newest 50", Unit: "ms", Limit: level, At: c.ask("/processes?limit=50")},
		{ID: "live-running", Title: "list of 50 that run", Unit: "ms", Limit: level, At: c.ask("/processes?limit=50&state=running")},
		{ID: "live-tree", Title: "a tree of 10", Unit: "ms", Limit: level, At: c.tree},
		{ID: "live-create", Title: "create to finished, true, durable", Unit: "ms", Limit: level, At: c.create},
		{ID: "live-kill", Title: "kill of one", Unit: "ms", Limit: level, At: c.kill},
	}}
}

func (c *crowd) grow(ctx context.Context, size float64) error {
	if room, limit := c.l.Room(); float64(room) < size {
		return measure.Skipf("this machine has room for %d commands: %s", room, limit)
	}
	if c.d == nil {
		if err := c.open(ctx); err != nil {
			return err
		}
	}
	err := lab.Together(int(size)-c.size, 16, func() error {
		_, err := c.d.Create(ctx, sleeper)
		return err
	})
	c.size = int(size)
	if err != nil {
		return err
	}
	return c.awaitRunning(ctx)
}

func (c *crowd) open(ctx context.Context) error {
	dir, err := c.l.Scratch()
	if err != nil {
		return err
	}
	if c.d, err = c.l.Daemon(ctx, dir, "--concurrency", "command=none"); err != nil {
		return err
	}
	if c.root, err = c.d.Create(ctx, sleeper); err != nil {
		return err
	}
	for range 9 {
		if _, err := c.d.Create(ctx, fmt.Sprintf(`{"parent":%d,%s`, c.root, sleeper[1:])); err != nil {
			return err
		}
	}
	for range c.l.Size(200, 5) { // its heap has the size of one that works
		if _, err := c.d.Run(ctx, lab.TrueCommand); err != nil {
			return err
		}
	}
	if c.keeper, err = c.d.Keeper(); err != nil {
		return err
	}
	c.alone, err = c.kilobytes()
	return err
}

func (c *crowd) close() error {
	if c.d == nil {
		return nil
	}
	return c.d.Close()
}

// awaitRunning waits until everything that was created runs.
func (c *crowd) awaitRunning(ctx context.Context) error {
	var all struct{ States map[string]int }
	var failed error
	err := lab.Until(ctx, 5*time.Minute, func() bool {
		failed = c.d.Do(ctx, "GET", "/overview", "", &all)
		return failed != nil || all.States["running"] >= c.size
	})
	if failed == nil && err != nil {
		failed = fmt.Errorf("%d were created, and now there are %v: %w", c.size, all.States, err)
	}
	return failed
}

func (c *crowd) kilobytes() (float64, error) {
	var sum float64
	for _, pid := range []int{c.d.PID, c.keeper} {
		kb, err := lab.Status(pid, "RssAnon")
		if err != nil {
			return 0, err
		}
		sum += float64(kb)
	}
	return sum, nil
}

func (c *crowd) memory(context.Context, float64) ([]float64, error) {
	now, err := c.kilobytes()
	return []float64{max(0, now-c.alone) / float64(c.size)}, err
}

// idle is how much the daemon and its keeper do while nothing happens.
func (c *crowd) idle(ctx context.Context, size float64) ([]float64, error) {
	var figures []float64
	for range c.l.Size(3, 1) {
		micros, err := used(ctx, time.Duration(c.l.Size(2000, 100))*time.Millisecond, c.d.PID, c.keeper)
		if err != nil {
			return nil, err
		}
		figures = append(figures, micros/size)
	}
	return figures, nil
}

// used is the processor time that processes use for each second of a while, in
// microseconds.
func used(ctx context.Context, while time.Duration, pids ...int) (float64, error) {
	begin := time.Now()
	before, err := processorTime(pids...)
	if err != nil {
		return 0, err
	}
	select {
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	case <-time.After(while):
	}
	after, err := processorTime(pids...)
	return float64((after - before).Microseconds()) / time.Since(begin).Seconds(), err
}

func processorTime(pids ...int) (sum time.Duration, err error) {
	for _, pid := range pids {
		one, err := lab.CPU(pid)
		if err != nil {
			return 0, err
		}
		sum += one
	}
	return sum, nil
}

func (c *crowd) ask(path string) func(context.Context, float64) ([]float64, error) {
	return func(ctx context.Context, _ float64) ([]float64, error) {
		return each(ctx, c.l.Size(200, 5), func(int) error { return c.d.Do(ctx, "GET", path, "", nil) })
	}
}

func (c *crowd) tree(ctx context.Context, size float64) ([]float64, error) {
	return c.ask(fmt.Sprintf("/processes/%d/tree", c.root))(ctx, size)
}

func (c *crowd) create(ctx context.Context, _ float64) ([]float64, error) {
	return each(ctx, c.l.Size(200, 5), func(int) error {
		_, err := c.d.Run(ctx, lab.TrueCommand)
		return err
	})
}

func (c *crowd) kill(ctx context.Context, _ float64) ([]float64, error) {
	var took []float64
	for range c.l.Size(50, 3) {
		id, err := c.d.Create(ctx, sleeper)
		if err != nil {
			return nil, err
		}
		one, err := each(ctx, 1, func(int) error { return c.d.KillNow(ctx, id) })
		if err != nil {
			return nil, err
		}
		took = append(took, one...)
	}
	return took, nil
}
