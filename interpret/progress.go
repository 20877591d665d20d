package interpret

import (
	"math"

	"github.com/reeverun/reeve/process"
)

// progressStep is the smallest change of the whole that is told: a counter of
// a million steps makes a thousand events.
const progressStep = 0.001

// progress tells a change that is worth an event and holds back any other.
func (s *Session) progress(p process.Progress) {
	p = p.Clamp()
	old := s.evidence.Progress
	if p == old {
		s.held = nil
		return
	}
	if !worthTelling(old, p) || s.progressFull() {
		s.held = &p
		return
	}
	s.emit(process.ProgressUpdated{Progress: p})
}

// progressFull reports whether the run has had its fill of progress, and says
// so once.
func (s *Session) progressFull() bool {
	limit := s.opts.Limits.Progress
	if s.counts.progress == limit {
		s.counts.progress++
		s.queue(tooMany(process.ProgressUpdated{}, limit))
	}
	return s.counts.progress > limit
}

// worthTelling decides by the values alone, never by time, so that the same
// output always makes the same events.
func worthTelling(old, p process.Progress) bool {
	if old.Kind != p.Kind || old.Unit != p.Unit || old.Total != p.Total || p.Kind != process.ProgressDeterminate {
		return true
	}
	share, known := p.Share()
	if !known { // an open-ended count: a hundredth of itself
		return math.Abs(float64(p.Done-old.Done)) >= float64(old.Done)/100
	}
	before, _ := old.Share()
	// A counter's steps are not exact in binary: be generous by a hair.
	return share == 1 || math.Abs(share-before) >= progressStep-1e-9
}

// release tells the last progress that was held back.
func (s *Session) release() {
	if s.held != nil {
		s.emit(process.ProgressUpdated{Progress: *s.held})
	}
}
