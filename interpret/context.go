package interpret

import (
	"slices"
	"time"

	"github.com/reeverun/reeve/process"
)

// Context is what an interpreter sees of its run and how it speaks. It is
// valid during a hook only.
type Context struct{ s *Session }

// Elapsed is the time the run has been running, by the runtime's clock.
func (c *Context) Elapsed() time.Duration { return c.s.opts.Elapsed() }

// Succeeded reports whether an exit counts as success for this run.
func (c *Context) Succeeded(e process.Exit) bool {
	return e.Signal == "" && c.s.opts.Succeeds(e.Code)
}

// Phases returns the open phases, outermost first. It is a copy.
func (c *Context) Phases() []process.Phase { return slices.Clone(c.s.phases) }

// Classified reports whether a known error has been seen.
func (c *Context) Classified() bool { return c.s.evidence.KnownError != nil }

// LastLine is the last line of a stream that is not blank, up to and with the
// one a hook is called for; empty if there is none. Long lines are shortened
// to 2 KiB.
func (c *Context) LastLine(stream process.Stream) string {
	for line := range c.Recent(stream) {
		return line
	}
	return ""
}

// EnterPhase opens a phase inside the ones that are open.
func (c *Context) EnterPhase(name, label string) { c.s.enter(name, label) }

// UpdatePhase relabels the innermost open phase; without one it does nothing.
func (c *Context) UpdatePhase(label string) { c.s.relabel(label) }

// ExitPhase closes the innermost open phase, which must have this name. If it
// has not, that is reported as an interpreter_error; phases inside the named
// one are then closed with it, and an unknown name closes nothing.
func (c *Context) ExitPhase(name string) { c.s.exit(name) }

// Progress says how far the run is.
func (c *Context) Progress(p process.Progress) { c.s.progress(p) }

// Label says what the run is doing, in a few words. A repeated label is
// dropped.
func (c *Context) Label(label string) {
	if label = clip(label); label != c.s.evidence.Label {
		c.s.emit(process.LabelUpdated{Label: label})
	}
}

// Warn records a warning.
func (c *Context) Warn(code, message string) {
	c.s.emit(process.WarningDetected{Code: code, Message: clip(message)})
}

// KnownError classifies what went wrong. The first one of a run becomes the
// reason of its failure, if it fails; later ones are events only.
func (c *Context) KnownError(code, message string) {
	c.s.emit(process.KnownErrorDetected{Code: code, Message: clip(message)})
}

// Finding records something that outlives its line. A zero At is filled in.
func (c *Context) Finding(f process.Finding) {
	if f.At.IsZero() {
		f.At = c.s.opts.Now()
	}
	f.Message = clip(f.Message)
	c.s.emit(process.FindingEmitted{Finding: f})
}

// Prompt says that the program waits for an answer. A prompt that is seen
// again while it stands is dropped.
func (c *Context) Prompt(text string) { c.s.ask(clip(text)) }

// Summary is the run in one sentence; the last one counts.
func (c *Context) Summary(text string) {
	if text = clip(text); text != c.s.evidence.Summary {
		c.s.emit(process.SummarySet{Summary: text})
	}
}
