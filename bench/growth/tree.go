package growth

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
)

// grove is a daemon with a command that has many processes below it.
type grove struct {
	l       *lab.Lab
	d       *lab.Daemon
	id      int64
	planted []float64 // how long it took, each process, in ms
	felled  []float64
}

func tree(l *lab.Lab) measure.Family {
	g := &grove{l: l}
	return measure.Family{X: "processes of a command", Sizes: sizes(l, 1, 1000, 10), Grow: g.grow, Close: g.close, Curves: []measure.Curve{
		{ID: "tree-spawn", Title: "a command that starts them, until all live, each process", Unit: "ms", Limit: level, At: g.spawn},
		{ID: "tree-get", Title: "record of the command", Unit: "ms", Limit: level, At: g.get},
		{ID: "tree-idle", Title: "processor time of the daemon while all sleep, each process", Unit: "µs/s", Limit: level, At: g.idle},
		{ID: "tree-kill", Title: "kill of all, each process", Unit: "ms", Limit: level, At: g.kill},
	}}
}

// grow plants the tree and fells it, a few times; the last one stays.
func (g *grove) grow(ctx context.Context, size float64) (err error) {
	if g.d == nil {
		dir, err := g.l.Scratch()
		if err != nil {
			return err
		}
		if g.d, err = g.l.Daemon(ctx, dir); err != nil {
			return err
		}
		if _, err := g.d.Run(ctx, lab.TrueCommand); err != nil { // starts the keeper
			return err
		}
	}
	g.planted, g.felled = nil, nil
	for i := range g.l.Size(4, 2) {
		if i > 0 {
			if err := g.fell(ctx, size); err != nil {
				return err
			}
		}
		if err := g.plant(ctx, int(size)); err != nil {
			return err
		}
	}
	return nil
}

func (g *grove) close() error {
	if g.d == nil {
		return nil
	}
	return g.d.Close()
}

// plant starts a command with so many processes, its leader among them.
func (g *grove) plant(ctx context.Context, size int) error {
	script := fmt.Sprintf(`i=1; while [ $i -lt %d ]; do sleep 100000 & i=$((i+1)); done; echo ready; exec sleep 100000`, size)
	body, err := json.Marshal(map[string]any{"environment": "command", "code": script})
	if err != nil {
		return err
	}
	begin := time.Now()
	if g.id, err = g.d.Create(ctx, string(body)); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ready := make(chan struct{}, 1)
	r, err := follow(ctx, g.d, 1, fmt.Sprintf("/processes/%d/events?kind=output_appended", g.id), func([]byte) { ready <- struct{}{} })
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { _, err := r.wait(); ended <- err }()
	select {
	case <-ready:
		g.planted = append(g.planted, milliseconds(time.Since(begin))/float64(size))
		cancel()
		<-ended
		return nil
	case err := <-ended:
		return fmt.Errorf("the command ended before its processes had started: %v", err)
	}
}

func (g *grove) fell(ctx context.Context, size float64) error {
	took, err := each(ctx, 1, func(int) error { return g.d.KillNow(ctx, g.id) })
	g.felled = append(g.felled, divided(took, size)...)
	return err
}

func (g *grove) spawn(context.Context, float64) ([]float64, error) { return g.planted, nil }

func (g *grove) get(ctx context.Context, _ float64) ([]float64, error) {
	return each(ctx, g.l.Size(200, 5), func(int) error {
		return g.d.Do(ctx, "GET", fmt.Sprint("/processes/", g.id), "", nil)
	})
}

func (g *grove) idle(ctx context.Context, size float64) ([]float64, error) {
	micros, err := used(ctx, time.Duration(g.l.Size(2000, 100))*time.Millisecond, g.d.PID)
	return []float64{micros / size}, err
}

func (g *grove) kill(ctx context.Context, size float64) ([]float64, error) {
	err := g.fell(ctx, size)
	return g.felled, err
}
