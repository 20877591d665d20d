package kernel

import (
	"context"

	"github.com/reeverun/reeve/process"
)

// Usage returns what a run used as time went by; run 0 is the newest one.
func (k *Kernel) Usage(ctx context.Context, id process.ID, run int) (process.UsageSeries, error) {
	k.watch()
	rec, err := k.Process(ctx, id)
	if err != nil {
		return process.UsageSeries{}, err
	}
	if run == 0 {
		run = rec.Number
	}
	if run > rec.Number {
		return process.UsageSeries{}, process.Errorf(process.CodeNotFound, "process %d has no run %d", id, run)
	}
	found, live := k.liveUsage(id, run)
	if !live && run > 0 {
		if found, err = k.cfg.Store.Series(ctx, id, run); err != nil {
			return found, err
		}
	}
	if found.Run = run; found.StepMS == 0 {
		found.StepMS = sampleEvery.Milliseconds()
	}
	return found, nil
}

// liveUsage returns the series of a run that is not stored yet.
func (k *Kernel) liveUsage(id process.ID, run int) (process.UsageSeries, bool) {
	p := k.table.get(id)
	if p == nil {
		return process.UsageSeries{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rec.Number != run || p.series == nil || !p.series.found && len(p.series.samples) == 0 {
		return process.UsageSeries{}, false
	}
	return p.series.shown(run), true
}
