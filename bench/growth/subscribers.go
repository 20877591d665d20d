package growth

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
)

// audience is a daemon with a chatty process that many listen to.
type audience struct {
	l *lab.Lab
	d *lab.Daemon
	// taken is what the last performances were: both curves look at the same.
	taken []performance
}

// performance is what a chatty process cost with an audience.
type performance struct {
	longer float64 // times as long as without
	micros float64 // of the daemon, each event that was delivered
}

func subscribers(l *lab.Lab) measure.Family {
	a := &audience{l: l}
	return measure.Family{X: "subscribers", Sizes: sizes(l, 1, 1000, 10), Grow: a.grow, Close: a.close, Curves: []measure.Curve{
		{ID: "subscribers-cpu", Title: "processor time of the daemon, each line delivered to one", Unit: "µs", Limit: level, At: a.show(func(p performance) float64 { return p.micros })},
		{ID: "subscribers-longer", Title: "running time of a process that prints, as a multiple of that without", Unit: "×", Limit: level, Most: 1.1,
			At: a.show(func(p performance) float64 { return p.longer })},
		{ID: "subscribers-last", Title: "an event, until all have it, each subscriber", Unit: "ms", Limit: level, At: a.last},
	}}
}

func (a *audience) grow(ctx context.Context, _ float64) error {
	if a.d == nil {
		dir, err := a.l.Scratch()
		if err != nil {
			return err
		}
		if a.d, err = a.l.Daemon(ctx, dir, "--concurrency", "command=none"); err != nil {
			return err
		}
	}
	a.taken = nil
	return nil
}

func (a *audience) close() error {
	if a.d == nil {
		return nil
	}
	return a.d.Close()
}

// show takes a figure of performances with as many subscribers.
func (a *audience) show(figure func(performance) float64) func(context.Context, float64) ([]float64, error) {
	return func(ctx context.Context, size float64) ([]float64, error) {
		for len(a.taken) < a.l.Size(5, 1) {
			p, err := a.perform(ctx, int(size))
			if err != nil {
				return nil, err
			}
			a.taken = append(a.taken, p)
		}
		var figures []float64
		for _, p := range a.taken {
			figures = append(figures, figure(p))
		}
		return figures, nil
	}
}

// chatty prints as a build does: not a flood, not idle.
func (a *audience) chatty() pace {
	return pace{bursts: a.l.Size(100, 10), lines: 10, pause: 5 * time.Millisecond}
}

func (a *audience) perform(ctx context.Context, n int) (p performance, err error) {
	alone, _, err := a.listenTo(ctx, 0)
	if err != nil {
		return p, err
	}
	before, err := lab.CPU(a.d.PID)
	if err != nil {
		return p, err
	}
	took, events, err := a.listenTo(ctx, n)
	if err != nil {
		return p, err
	}
	after, err := lab.CPU(a.d.PID)
	if want := n * a.chatty().all(); events < want {
		return p, fmt.Errorf("%d subscribers had %d lines and should have had %d", n, events, want)
	}
	return performance{longer: took.Seconds() / alone.Seconds(), micros: float64((after - before).Microseconds()) / float64(events)}, err
}

// listenTo runs the chatty process before n subscribers, and returns how long it
// ran and how many events all had.
func (a *audience) listenTo(ctx context.Context, n int) (time.Duration, int, error) {
	id, err := open(ctx, a.l, a.d, a.chatty())
	if err != nil {
		return 0, 0, err
	}
	r, err := follow(ctx, a.d, n, fmt.Sprintf("/processes/%d/events?kind=output_appended", id), nil)
	if err != nil {
		return 0, 0, err
	}
	if err := begin(ctx, a.d, id); err != nil {
		return 0, 0, err
	}
	took, err := finished(ctx, a.d, id)
	if err != nil {
		return 0, 0, err
	}
	events, err := r.wait()
	return took, events, err
}

// last is how long it takes until all subscribers have an event.
func (a *audience) last(ctx context.Context, size float64) ([]float64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var round sync.WaitGroup
	r, err := follow(ctx, a.d, int(size), "/events?kind=process_created", func([]byte) { round.Done() })
	if err != nil {
		return nil, err
	}
	took, err := each(ctx, a.l.Size(30, 3), func(int) error {
		round.Add(int(size))
		if _, err := a.d.Create(ctx, `{"environment":"command","command":{"program":"true"},"autorun":false}`); err != nil {
			return err
		}
		round.Wait()
		return nil
	})
	cancel()
	if _, failed := r.wait(); err == nil {
		err = failed
	}
	return divided(took, size), err
}
