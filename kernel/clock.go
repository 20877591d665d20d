package kernel

import (
	"time"

	"github.com/reeverun/reeve/process"
)

// stopwatch measures how long a run has executed, and how long it was paused.
// The zero value has not started and reads 0. It is given times that carry a
// monotonic reading (time.Now(), not in UTC): a run does not get older when
// somebody sets the clock.
//
//	start ──▶ running ──pause──▶ paused ──▶ … stop
//	             ▲                  │
//	             └─────resume───────┘
type stopwatch struct {
	started  time.Time
	stopped  time.Time
	pausedAt time.Time     // zero: not paused
	paused   time.Duration // in pauses that are over
}

func (s *stopwatch) start(now time.Time) { s.started = now }

// restore takes over the readings of a run that was paused at a time, with what
// it had used by then, and still is: it has not run since.
func (s *stopwatch) restore(used process.Usage, pausedAt, now time.Time) {
	ran := time.Duration(used.WallMS) * time.Millisecond
	s.paused = time.Duration(used.PausedMS)*time.Millisecond + max(0, now.Sub(pausedAt))
	s.started, s.pausedAt = now.Add(-ran-s.paused), now
}

// takeUp takes over the readings of a run that began at a time and has been
// paused for as long as told.
func (s *stopwatch) takeUp(used process.Usage, began, now time.Time) {
	s.paused = millis(used.PausedMS)
	s.started = now.Add(-max(0, now.Sub(began), s.paused))
}

// at is a wall clock's time, as this host's clock would have read it then.
func (s *stopwatch) at(t, now time.Time) time.Time {
	at := now.Add(-max(0, now.Sub(t)))
	if at.Before(s.started) {
		return s.started
	}
	return at
}

// stop freezes both readings; it ends a pause.
func (s *stopwatch) stop(now time.Time) {
	if !s.started.IsZero() && s.stopped.IsZero() {
		s.resume(now)
		s.stopped = now
	}
}

// stands reports whether it is paused.
func (s *stopwatch) stands() bool { return !s.pausedAt.IsZero() }

func (s *stopwatch) pause(now time.Time) {
	if !s.started.IsZero() && s.stopped.IsZero() && s.pausedAt.IsZero() {
		s.pausedAt = now
	}
}

func (s *stopwatch) resume(now time.Time) {
	if !s.pausedAt.IsZero() {
		s.paused = s.inPauses(now)
		s.pausedAt = time.Time{}
	}
}

// elapsed is the time it ran, without pauses.
func (s *stopwatch) elapsed(now time.Time) time.Duration {
	switch {
	case s.started.IsZero():
		return 0
	case !s.stopped.IsZero():
		now = s.stopped
	}
	return max(0, now.Sub(s.started)-s.inPauses(now))
}

// since is elapsed, and goes on after the stop.
func (s *stopwatch) since(now time.Time) time.Duration {
	if s.stopped.IsZero() {
		return s.elapsed(now)
	}
	return s.elapsed(now) + max(0, now.Sub(s.stopped))
}

// inPauses is the time it stood still, the pause it is in included.
func (s *stopwatch) inPauses(now time.Time) time.Duration {
	if s.pausedAt.IsZero() {
		return s.paused
	}
	return s.paused + max(0, now.Sub(s.pausedAt))
}
