package growth

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
)

// press is a daemon with a process that prints ever faster.
type press struct {
	l *lab.Lab
	d *lab.Daemon
}

func lines(l *lab.Lab) measure.Family {
	p := &press{l: l}
	return measure.Family{X: "lines per second", Sizes: sizes(l, 10, 1_000_000, 1000), Grow: p.grow, Close: p.close, Curves: []measure.Curve{
		{ID: "lines-cpu", Title: "processor time of the daemon, each line", Unit: "µs", Limit: level, At: p.cost},
		{ID: "lines-latency", Title: "a line, until a subscriber has it (median)", Unit: "ms", Limit: 1, Most: 15, At: p.latency,
			Explained: "A line that comes alone is delivered at once; lines that come fast are read every few milliseconds, all at once, which is what keeps them cheap. The last figure is of a flood as fast as it goes, many times what a subscriber can take: most of its lines are left out, and those it gets have waited behind all that its buffer holds."},
	}}
}

func (p *press) grow(ctx context.Context, _ float64) error {
	if p.d != nil {
		return nil
	}
	dir, err := p.l.Scratch()
	if err != nil {
		return err
	}
	p.d, err = p.l.Daemon(ctx, dir)
	return err
}

func (p *press) close() error {
	if p.d == nil {
		return nil
	}
	return p.d.Close()
}

// paced prints at a rate for a while; the highest is as fast as it goes.
func (p *press) paced(rate float64) pace {
	while := time.Duration(p.l.Size(1500, 200)) * time.Millisecond
	bursts := min(rate, 1000)
	out := pace{lines: int(rate / bursts), steady: true, pause: time.Duration(float64(time.Second) / bursts)}
	out.bursts = max(1, int(while/out.pause))
	if rate >= 1_000_000 {
		out.steady, out.pause = false, 0
	}
	return out
}

// cost is what each line costs the daemon when nobody listens.
func (p *press) cost(ctx context.Context, rate float64) ([]float64, error) {
	how := p.paced(rate)
	body, err := how.command(p.l, true)
	if err != nil {
		return nil, err
	}
	var figures []float64
	for range p.l.Size(3, 1) {
		before, err := lab.CPU(p.d.PID)
		if err != nil {
			return nil, err
		}
		if _, err := p.d.Run(ctx, body); err != nil {
			return nil, err
		}
		after, err := lab.CPU(p.d.PID)
		if err != nil {
			return nil, err
		}
		figures = append(figures, float64((after-before).Nanoseconds())/1e3/float64(how.all()))
	}
	return figures, nil
}

// latency is how old lines are when a subscriber has them. One that comes too
// fast for it is left out: it is told so, and reads on.
func (p *press) latency(ctx context.Context, rate float64) ([]float64, error) {
	id, err := open(ctx, p.l, p.d, p.paced(rate))
	if err != nil {
		return nil, err
	}
	var ages []float64 // one reader: no lock
	r, err := follow(ctx, p.d, 1, fmt.Sprintf("/processes/%d/events?kind=output_appended", id), func(data []byte) {
		if at, is := written(data); is {
			ages = append(ages, milliseconds(time.Since(at)))
		}
	})
	if err != nil {
		return nil, err
	}
	if err := begin(ctx, p.d, id); err != nil {
		return nil, err
	}
	if _, err := finished(ctx, p.d, id); err != nil {
		return nil, err
	}
	if _, err := r.wait(); err != nil {
		return nil, err
	}
	if len(ages) == 0 {
		return nil, fmt.Errorf("no line came")
	}
	return ages, nil
}

// written is when the line of an event was.
func written(data []byte) (time.Time, bool) {
	_, rest, found := bytes.Cut(data, []byte(`"line":"`))
	number, _, _ := bytes.Cut(rest, []byte(" "))
	ns, err := strconv.ParseInt(string(number), 10, 64)
	return time.Unix(0, ns), found && err == nil
}
