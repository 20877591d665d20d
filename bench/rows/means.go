package rows

import (
	"context"
	"fmt"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
)

// opener is what a subject is made ready by.
type opener = func(context.Context) (measure.Instrument, error)

// always makes a subject of a function that needs nothing.
func always(round measure.Func) opener {
	return func(context.Context) (measure.Instrument, error) { return round, nil }
}

// embedded makes a subject of a runtime in this process, in memory or in a
// folder of its own.
func embedded(l *lab.Lab, durable bool, round func(context.Context, *reeve.Runtime) (float64, error)) opener {
	return func(ctx context.Context) (measure.Instrument, error) {
		var c reeve.Config
		if durable {
			dir, err := l.Scratch()
			if err != nil {
				return nil, err
			}
			c.Dir = dir
		}
		rt, err := reeve.Open(ctx, c)
		if err != nil {
			return nil, err
		}
		return measure.Closing(func(ctx context.Context) (float64, error) { return round(ctx, rt) }, rt.Close), nil
	}
}

// served makes a subject of a daemon of its own, spoken to over HTTP.
func served(l *lab.Lab, round func(context.Context, *lab.Daemon) (float64, error), args ...string) opener {
	return func(ctx context.Context) (measure.Instrument, error) {
		dir, err := l.Scratch()
		if err != nil {
			return nil, err
		}
		d, err := l.Daemon(ctx, dir, args...)
		if err != nil {
			return nil, err
		}
		return measure.Closing(func(ctx context.Context) (float64, error) { return round(ctx, d) }, d.Close), nil
	}
}

// each does a job several times and returns how long each took, in
// milliseconds.
func each(times int, job func() error) ([]float64, error) {
	took := make([]float64, times)
	for i := range took {
		begin := time.Now()
		if err := job(); err != nil {
			return nil, err
		}
		took[i] = millis(time.Since(begin))
	}
	return took, nil
}

// typical is the median of each.
func typical(times int, job func() error) (float64, error) {
	took, err := each(times, job)
	return measure.Median(took), err
}

func millis(d time.Duration) float64 { return d.Seconds() * 1e3 }

// perSecond does a job n times by several workers.
func perSecond(n, workers int, job func() error) (float64, error) {
	begin := time.Now()
	err := lab.Together(n, workers, job)
	return float64(n) / time.Since(begin).Seconds(), err
}

// runTrue runs the least of all commands and wants it to succeed.
func runTrue(ctx context.Context, rt *reeve.Runtime) error {
	p, err := rt.Spawn(ctx, reeve.Command("true"))
	if err != nil {
		return err
	}
	o, err := p.Wait(ctx)
	if err == nil && !o.Succeeded() {
		err = fmt.Errorf("process %d ended as %v", p.ID(), o)
	}
	return err
}
