package interpret

import (
	"fmt"
	"slices"

	"github.com/reeverun/reeve/process"
)

// enter pushes a phase. Phases over the limit are only counted, so that their
// exits are not taken for those of the phases they were entered in.
func (s *Session) enter(name, label string) {
	if limit := s.opts.Limits.Phases; s.lastPhase >= limit {
		if s.lastPhase == limit {
			s.lastPhase++
			s.queue(tooMany(process.PhaseEntered{}, limit))
		}
		s.unseen++
		return
	}
	s.emit(process.PhaseEntered{ID: s.lastPhase + 1, Name: name, Label: clip(label)})
}

func (s *Session) relabel(label string) {
	n := len(s.phases)
	label = clip(label)
	if n == 0 || s.unseen > 0 || s.phases[n-1].Label == label {
		return
	}
	p := s.phases[n-1]
	p.Label = label
	s.emit(process.PhaseUpdated(p))
}

func (s *Session) exit(name string) {
	if s.unseen > 0 {
		s.unseen--
		return
	}
	n := len(s.phases)
	if n > 0 && s.phases[n-1].Name == name {
		s.pop()
		return
	}
	at := slices.IndexFunc(s.phases, func(p process.Phase) bool { return p.Name == name })
	switch {
	case n == 0:
		s.mismatch("phase %q exited, but no phase is open", name)
	case at < 0:
		s.mismatch("phase %q exited, but it is not open: the innermost is %q", name, s.phases[n-1].Name)
	default:
		s.mismatch("phase %q exited inside %q", name, s.phases[n-1].Name)
		s.popTo(name)
	}
}

// popTo closes phases down to the innermost one of a name.
func (s *Session) popTo(name string) {
	for found := false; !found; {
		found = s.phases[len(s.phases)-1].Name == name
		s.pop()
	}
}

func (s *Session) pop() {
	s.emit(process.PhaseExited(s.phases[len(s.phases)-1]))
}

func (s *Session) mismatch(format string, args ...any) {
	s.emit(process.InterpreterError{Error: fmt.Sprintf(format, args...)})
}
