package interpret

import (
	"fmt"
	"sort"
	"time"

	"github.com/reeverun/reeve/process"
)

// Options are what a Session needs to know of its run. The zero value works.
type Options struct {
	Now      func() time.Time        // nil: time.Now
	Started  time.Time               // zero: now
	Elapsed  func() time.Duration    // nil: Now since Started
	Succeeds func(exitCode int) bool // nil: 0 does
	Limits   Limits                  // zero fields: the defaults
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Started.IsZero() {
		o.Started = o.Now()
	}
	if o.Elapsed == nil {
		now, started := o.Now, o.Started
		o.Elapsed = func() time.Duration { return now().Sub(started) }
	}
	if o.Succeeds == nil {
		o.Succeeds = func(code int) bool { return code == 0 }
	}
	o.Limits = o.Limits.withDefaults()
	return o
}

// Session drives one interpreter for one run. A nil Session does nothing and
// costs nothing.
type Session struct {
	interp    Interpreter // nil: none, or disabled
	filter    Filter
	partial   PartialInterpreter
	opts      Options
	ctx       Context
	evidence  Evidence
	phases    []process.Phase // the stack, innermost last
	lastPhase int             // id of the last phase entered
	unseen    int             // open phases over the limit
	held      *process.Progress
	counts    counts
	tails     [2]tail
	prompted  string

	// The block a hook is called for, and what the hooks said so far.
	block   []byte
	spans   []Span
	stream  process.Stream
	line    int
	pending []caused
}

// caused is a payload with the line that led to it.
type caused struct {
	line int
	p    process.Payload
}

// NewSession makes a session for one run of an interpreter. For a nil one the
// session is nil too.
func NewSession(i Interpreter, o Options) *Session {
	if i == nil {
		return nil
	}
	s := &Session{interp: i, opts: o.withDefaults()}
	s.ctx.s = s
	s.filter, _ = i.(Filter)
	s.partial, _ = i.(PartialInterpreter)
	return s
}

// Wants reports whether any line of a block might be of interest. Where it
// is false and nobody else reads the lines, they need not be split: Skip
// takes the place of Block.
func (s *Session) Wants(stream process.Stream, block []byte) (yes bool) {
	if s == nil || s.interp == nil || len(block) == 0 {
		return false
	}
	defer func() {
		if recover() != nil {
			yes = true // Block meets the same panic, and reports it
		}
	}()
	return s.filter == nil || s.filter.Interest(stream, block, 0) < len(block)
}

// Block gives the interpreter the lines of a block, in order, as far as they
// are of interest, and then calls emit with what they led to: the payload and
// the index in spans of the line that caused it, ascending. Neither block nor
// spans is kept.
func (s *Session) Block(stream process.Stream, block []byte, spans []Span, emit func(line int, p process.Payload)) {
	if s == nil || s.interp == nil || len(spans) == 0 {
		return
	}
	s.block, s.spans, s.stream, s.prompted = block, spans, stream, ""
	s.guard("OnLine", s.deliver)
	s.tails[streamIndex(stream)].addLines(block, spans)
	s.block, s.spans = nil, nil
	s.flush(emit)
}

// Skip tells the session of a block whose lines it does not want: its end is
// remembered for Context.LastLine. rest is as Count returned it.
func (s *Session) Skip(stream process.Stream, block []byte, rest int) {
	if s == nil || s.interp == nil || rest == 0 {
		return
	}
	s.prompted = ""
	s.tails[streamIndex(stream)].addBlock(block[:rest])
}

// deliver calls OnLine for every line of interest.
func (s *Session) deliver() {
	from := 0
	for s.line = 0; s.line < len(s.spans); s.line++ {
		if s.filter != nil {
			at := s.filter.Interest(s.stream, s.block, from)
			if s.line = lineAt(s.spans, s.line, at); s.line == len(s.spans) {
				return
			}
		}
		sp := s.spans[s.line]
		from = sp.Next
		s.interp.OnLine(&s.ctx, Line{s.stream, Text(s.block[sp.Start:sp.End])})
	}
}

// lineAt returns the index, at or after from, of the line that holds an offset.
func lineAt(spans []Span, from, at int) int {
	if spans[from].Next > at {
		return from
	}
	rest := spans[from:]
	return from + sort.Search(len(rest), func(i int) bool { return rest[i].Next > at })
}

// Partial gives the interpreter a line that is not terminated yet.
func (s *Session) Partial(stream process.Stream, text string) []process.Payload {
	if s == nil || s.interp == nil || s.partial == nil {
		return nil
	}
	s.stream = stream
	s.guard("OnPartial", func() { s.partial.OnPartial(&s.ctx, Line{stream, text}) })
	return s.take()
}

// Exit runs the exit hook, states the progress that was held back and closes
// the phases that are still open, innermost first. It ends the session.
func (s *Session) Exit(e process.Exit) []process.Payload {
	if s == nil {
		return nil
	}
	if s.interp != nil {
		s.guard("OnExit", func() { s.interp.OnExit(&s.ctx, e) })
	}
	s.interp = nil
	s.release()
	for len(s.phases) > 0 {
		s.pop()
	}
	return s.take()
}

// guard calls hooks; a panic disables the interpreter.
func (s *Session) guard(hook string, call func()) {
	defer func() {
		if r := recover(); r != nil {
			s.emit(process.InterpreterError{Error: clip(fmt.Sprintf("panic in %s: %v", hook, r)), Disabled: true})
		}
	}()
	call()
}

func (s *Session) flush(emit func(line int, p process.Payload)) {
	pending := s.pending
	s.pending = nil
	for _, c := range pending {
		emit(c.line, c.p)
	}
}

func (s *Session) take() (out []process.Payload) {
	s.flush(func(_ int, p process.Payload) { out = append(out, p) })
	return out
}
