package peer

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/reeverun/reeve/bench/measure"
)

// managed makes a subject of each manager that has rounds. What the round is
// given is ready; note is what is to be known of its figures.
func (s *Set) managed(round func(context.Context, product, manager) (figure float64, note string, err error), most map[string]int) (all []measure.Subject) {
	for _, p := range products {
		rounds, takesPart := most[p.name]
		if !takesPart {
			continue
		}
		all = append(all, measure.Subject{Name: p.name, Role: measure.Peer, Rounds: rounds, Open: func(ctx context.Context) (measure.Instrument, error) {
			m, err := s.open(ctx, p)
			return guard(&managedInstrument{p: p, m: m, round: round}, err)
		}})
	}
	return all
}

type managedInstrument struct {
	p     product
	m     manager
	round func(context.Context, product, manager) (float64, string, error)
	note  string // of the last round
}

func (i *managedInstrument) Round(ctx context.Context) (figure float64, err error) {
	figure, i.note, err = i.round(ctx, i.p, i.m)
	return figure, err
}

func (i *managedInstrument) Note() string { return i.note }
func (i *managedInstrument) Close() error { return i.m.close() }

// CreateFinished is true, from the request to the answer that it is over, in
// milliseconds, so many times a round.
func (s *Set) CreateFinished(times int) []measure.Subject {
	return s.managed(func(ctx context.Context, p product, m manager) (float64, string, error) {
		n := times
		if p.slow {
			n = min(n, 3)
		}
		took := make([]float64, n)
		for i := range took {
			begin := time.Now()
			if err := m.run(ctx, "true"); err != nil {
				return 0, "", err
			}
			took[i] = time.Since(begin).Seconds() * 1e3
		}
		return measure.Median(took), p.note, nil
	}, map[string]int{"sandbox-agent": 0, "task-spooler": 0, "supervisor": 3, "pm2": 3})
}

// Capture is what a child writes as lines of 100 bytes, from the request to the
// answer that it is over and its output kept, in GB/s. Those that take long
// for the size are given an eighth of it.
func (s *Set) Capture(bytes int) []measure.Subject {
	return s.managed(func(ctx context.Context, p product, m manager) (float64, string, error) {
		n := bytes
		if p.slowOutput {
			n /= 8
		}
		begin := time.Now()
		if err := m.run(ctx, s.lab.Child, "lines", strconv.Itoa(n)); err != nil {
			return 0, "", err
		}
		took := time.Since(begin)
		kept, err := m.kept(ctx)
		if err != nil {
			return 0, "", err
		}
		note := "lines are not indexed"
		if kept < int64(n) {
			note = fmt.Sprintf("keeps %.1f MB of %.1f", float64(kept)/1e6, float64(n)/1e6)
		}
		return float64(n) / took.Seconds() / 1e9, note, m.forget()
	}, map[string]int{"sandbox-agent": 3, "task-spooler": 0, "supervisor": 3, "pm2": 3})
}

// Parked is what a sleeping command adds to a manager's own processes, in kB.
func (s *Set) Parked() []measure.Subject {
	return s.managed(func(ctx context.Context, p product, m manager) (float64, string, error) {
		n := s.lab.Size(p.parked, 5)
		figure, err := park(ctx, m, n)
		return figure, fmt.Sprintf("with %d of them", n), err
	}, map[string]int{"sandbox-agent": 3, "task-spooler": 3, "supervisor": 3, "pm2": 3})
}

func park(ctx context.Context, m manager, n int) (_ float64, err error) {
	asleep := newMark()
	defer endMarked(asleep)
	defer func() { err = errors.Join(err, m.kill(ctx)) }()
	if err := m.start(ctx, n/4+1, "sleep", asleep); err != nil { // the first pay for what all share
		return 0, err
	}
	before, err := memory(m)
	if err != nil {
		return 0, err
	}
	if err := m.start(ctx, n, "sleep", asleep); err != nil {
		return 0, err
	}
	after, err := memory(m)
	return float64(after-before) * 1.024 / float64(n), err
}
