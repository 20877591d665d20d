package rows

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
	"github.com/reeverun/reeve/bench/peer"
)

// clientsOfJobs is how many wait for a job at a time: the size of a batch.
const clientsOfJobs = 512

func noopJobs(l *lab.Lab, p *peer.Set) measure.Row {
	n := l.Size(100_000, 2_000)
	return measure.Row{
		ID: "noop-jobs", Title: grouped(n) + " durable jobs that do nothing, in process", Unit: "/s", Better: measure.Higher, Rounds: 5,
		Subjects: []measure.Subject{
			{Name: "group commit alone", Role: measure.Floor, Open: func(context.Context) (measure.Instrument, error) { return openCommits(l, n) }},
			{Name: "function", Role: measure.Reeve, Open: embedded(l, true, func(ctx context.Context, rt *reeve.Runtime) (float64, error) {
				return perSecond(n, clientsOfJobs, func() error { return runNoop(ctx, rt) })
			})},
			p.River(n),
		},
		Targets: []measure.Target{{Subject: "function", Of: peer.RiverName, Limit: 1}},
	}
}

func runNoop(ctx context.Context, rt *reeve.Runtime) error {
	h, err := rt.Spawn(ctx, reeve.Func("noop", func(context.Context, *reeve.FuncCall) error { return nil }))
	if err != nil {
		return err
	}
	o, err := h.Wait(ctx)
	if err == nil && !o.Succeeded() {
		err = fmt.Errorf("process %d ended as %v", h.ID(), o)
	}
	return err
}

func openCommits(l *lab.Lab, n int) (measure.Instrument, error) {
	dir, err := l.Scratch()
	if err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	c := lab.Commits{File: f}
	return measure.Closing(func(context.Context) (float64, error) { return perSecond(n, clientsOfJobs, c.Add) }, f.Close), nil
}
