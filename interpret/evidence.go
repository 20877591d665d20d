package interpret

import (
	"slices"

	"github.com/reeverun/reeve/process"
)

// Evidence is what a run's output told so far.
type Evidence struct {
	Summary    string
	KnownError *process.KnownErrorDetected // the first one
	Findings   []process.Finding
	Phase      *process.Phase // the innermost open one
	Progress   process.Progress
	Label      string
}

// Evidence returns what the run's output told so far. It is a copy.
func (s *Session) Evidence() Evidence {
	if s == nil {
		return Evidence{}
	}
	e := s.evidence
	e.Findings = slices.Clone(e.Findings)
	if n := len(s.phases); n > 0 {
		top := s.phases[n-1]
		e.Phase = &top
	}
	return e
}

// Restore rebuilds a session's evidence, phases and counts from the payloads
// stored of this run, in their order: for a runtime that takes up a run which
// an earlier one started. What the interpreter itself remembered is lost.
func (s *Session) Restore(payloads ...process.Payload) {
	if s == nil {
		return
	}
	for _, p := range payloads {
		s.counts.add(p)
		s.apply(p)
	}
}

// emit applies a payload and queues it, unless the run has had its fill of
// the kind.
func (s *Session) emit(p process.Payload) {
	n := s.counts.add(p)
	if limit := s.opts.Limits.of(p); limit > 0 && n > limit {
		if n == limit+1 {
			s.queue(tooMany(p, limit))
		}
		return
	}
	s.apply(p)
	s.queue(p)
}

func (s *Session) queue(p process.Payload) {
	s.pending = append(s.pending, caused{s.line, p})
}

// apply is the one place where a payload changes what the session knows.
func (s *Session) apply(p process.Payload) {
	switch p := p.(type) {
	case process.PhaseEntered:
		s.lastPhase = max(s.lastPhase, p.ID)
		s.phases = append(s.phases, process.Phase(p))
	case process.PhaseUpdated:
		if n := len(s.phases); n > 0 {
			s.phases[n-1].Label = p.Label
		}
	case process.PhaseExited:
		if n := len(s.phases); n > 0 {
			s.phases = s.phases[:n-1]
		}
	case process.ProgressUpdated:
		s.evidence.Progress, s.held = p.Progress, nil
	case process.LabelUpdated:
		s.evidence.Label = p.Label
	case process.KnownErrorDetected:
		if s.evidence.KnownError == nil {
			s.evidence.KnownError = &p
		}
	case process.FindingEmitted:
		s.evidence.Findings = append(s.evidence.Findings, p.Finding)
	case process.PromptDetected:
		s.prompted = p.Prompt
	case process.SummarySet:
		s.evidence.Summary = p.Summary
	case process.InterpreterError:
		if p.Disabled {
			s.interp = nil
		}
	}
}

// ask emits a prompt unless it is the one that stands.
func (s *Session) ask(text string) {
	if text != s.prompted {
		s.emit(process.PromptDetected{Prompt: text})
	}
}
