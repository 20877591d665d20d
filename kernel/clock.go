package kernel

import "time"

// stopwatch measures how long a run has executed. The zero value has not
// started and reads 0. Pausing will freeze it: see seed 003.
type stopwatch struct {
	started time.Time
	stopped time.Time
}

func (s *stopwatch) start(now time.Time) { s.started = now }

func (s *stopwatch) stop(now time.Time) {
	if !s.started.IsZero() && s.stopped.IsZero() {
		s.stopped = now
	}
}

func (s *stopwatch) elapsed(now time.Time) time.Duration {
	switch {
	case s.started.IsZero():
		return 0
	case !s.stopped.IsZero():
		now = s.stopped
	}
	return max(0, now.Sub(s.started))
}
