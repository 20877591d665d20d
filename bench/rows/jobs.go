package rows

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

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

// commits is the least that makes jobs durable: what waits is appended to a file
// as one, and synced as one.
type commits struct {
	file    *os.File
	mu      sync.Mutex
	waiting []chan error
}

// recordOfJob is about how many bytes a job has in a table.
const recordOfJob = 256

func openCommits(l *lab.Lab, n int) (measure.Instrument, error) {
	dir, err := l.Scratch()
	if err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	return measure.Closing(func(context.Context) (float64, error) {
		c := commits{file: f}
		if err := f.Truncate(0); err != nil {
			return 0, err
		}
		return perSecond(n, clientsOfJobs, c.add)
	}, f.Close), nil
}

// add returns when a record is on the disk. The first who waits commits for all
// who came meanwhile, until nobody waits.
func (c *commits) add() error {
	mine := make(chan error, 1)
	c.mu.Lock()
	c.waiting = append(c.waiting, mine)
	leads := len(c.waiting) == 1
	c.mu.Unlock()
	if leads {
		c.commit()
	}
	return <-mine
}

// commit leaves the first in the list as long as it works, so that nobody else
// leads.
func (c *commits) commit() {
	for done := 0; ; {
		c.mu.Lock()
		c.waiting = c.waiting[done:]
		batch := c.waiting[:len(c.waiting):len(c.waiting)]
		c.mu.Unlock()
		if done = len(batch); done == 0 {
			return
		}
		_, err := c.file.Write(make([]byte, recordOfJob*done))
		if err == nil {
			err = lab.SyncData(c.file)
		}
		for _, w := range batch {
			w <- err
		}
	}
}
