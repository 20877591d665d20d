package rows

import (
	"context"
	"fmt"
	"os/exec"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
)

func spawnWait(l *lab.Lab) measure.Row {
	times := l.Size(50, 5)
	return measure.Row{
		ID: "spawn-wait", Title: "spawn and wait of true, one at a time", Unit: "ms", Better: measure.Lower, Rounds: 15,
		Subjects: []measure.Subject{
			{Name: "os/exec", Role: measure.Floor, Open: always(medianOf(times, func(context.Context) error { return exec.Command("true").Run() }))},
			{Name: "in memory", Role: measure.Reeve, Open: embedded(reeve.Config{}, times)},
			{Name: "durable", Role: measure.Reeve, Open: func(ctx context.Context) (measure.Instrument, error) {
				dir, err := l.Scratch()
				if err != nil {
					return nil, err
				}
				return embedded(reeve.Config{Dir: dir}, times)(ctx)
			}},
		},
		Targets: []measure.Target{{Subject: "in memory", Of: "os/exec", Limit: 1.3}},
	}
}

// embedded runs true in a runtime in this process.
func embedded(c reeve.Config, times int) func(context.Context) (measure.Instrument, error) {
	return func(ctx context.Context) (measure.Instrument, error) {
		rt, err := reeve.Open(ctx, c)
		if err != nil {
			return nil, err
		}
		return measure.Closing(medianOf(times, func(ctx context.Context) error { return runTrue(ctx, rt) }), rt.Close), nil
	}
}

func runTrue(ctx context.Context, rt *reeve.Runtime) error {
	p, err := rt.Spawn(ctx, reeve.Command("true"))
	if err != nil {
		return err
	}
	o, err := p.Wait(ctx)
	if err == nil && !o.Succeeded() {
		err = fmt.Errorf("true ended as %v", o)
	}
	return err
}

// always makes a subject of a function that needs nothing.
func always(round measure.Func) func(context.Context) (measure.Instrument, error) {
	return func(context.Context) (measure.Instrument, error) { return round, nil }
}

// medianOf does a job several times and returns the median in milliseconds.
func medianOf(times int, job func(context.Context) error) measure.Func {
	return func(ctx context.Context) (float64, error) {
		took := make([]float64, times)
		for i := range took {
			begin := time.Now()
			if err := job(ctx); err != nil {
				return 0, err
			}
			took[i] = time.Since(begin).Seconds() * 1e3
		}
		return measure.Median(took), nil
	}
}
