package memory

import (
	"context"
	"slices"
	"time"

	"github.com/reeverun/reeve/process"
)

// keepSeries adds series to a process, or replaces those of their runs.
func (e *entry) keepSeries(all []process.UsageSeries) {
	for _, s := range all {
		s.Samples = slices.Clone(s.Samples)
		for i := range s.Samples {
			at := &s.Samples[i].At
			at.Time = at.UTC().Truncate(time.Millisecond)
		}
		if e.series == nil {
			e.series = map[int]process.UsageSeries{}
		}
		e.series[s.Run] = s
	}
}

// Series implements [store.Store].
func (s *Store) Series(ctx context.Context, id process.ID, run int) (process.UsageSeries, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return process.UsageSeries{}, err
	}
	e, err := s.find(id)
	if err != nil {
		return process.UsageSeries{}, err
	}
	found := e.series[run]
	found.Run, found.Samples = run, slices.Clone(found.Samples)
	return found, nil
}
