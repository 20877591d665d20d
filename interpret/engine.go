package interpret

import (
	"strconv"
	"strings"

	"github.com/reeverun/reeve/process"
)

// engine runs rules over the output of one run.
type engine struct {
	*Rules
	scans   [2]scan
	open    [2]follower // by stream: what takes the next line
	fired   []bool      // by rule: matched before
	tallies map[string]int
	suspect *process.KnownErrorDetected // the error, if the run fails and there is no other
	left    map[string]int              // phases whose end was seen while others were open inside
}

// Interest implements Filter.
func (e *engine) Interest(stream process.Stream, block []byte, from int) int {
	i := streamIndex(stream)
	if e.open[i] != nil {
		return from
	}
	return e.scans[i].first(block, from)
}

// OnLine implements Interpreter.
func (e *engine) OnLine(c *Context, l Line) {
	text, ok := e.read(l.Text)
	if !ok {
		return
	}
	i := streamIndex(l.Stream)
	if f := e.open[i]; f != nil {
		taken, done := f.next(c, text)
		if done {
			e.open[i] = nil
		}
		if taken {
			return
		}
	}
	for _, r := range e.rules {
		if r.reads(l.Stream) && e.try(c, r, l.Stream, text) && !r.goOn {
			return
		}
	}
}

// OnPartial implements PartialInterpreter: prompts are lines that are not
// terminated.
func (e *engine) OnPartial(c *Context, l Line) {
	text := stripANSI(l.Text)
	for _, r := range e.prompts {
		if m, ok := r.match(text); ok && r.reads(l.Stream) {
			r.do(e, c, m)
			return
		}
	}
}

// OnExit implements Interpreter.
func (e *engine) OnExit(c *Context, exit process.Exit) {
	for i, f := range e.open {
		if f != nil {
			f.end(c)
			e.open[i] = nil
		}
	}
	if s := e.total(); s != "" && c.s.evidence.Summary == "" {
		c.Summary(s)
	}
	if c.Succeeded(exit) {
		for top, ok := c.top(); ok; top, ok = c.top() {
			e.leave(c, top.Name)
		}
		return
	}
	if c.Classified() || !byItself(exit) {
		return
	}
	if e.suspect != nil {
		c.KnownError(e.suspect.Code, e.suspect.Message)
	} else if e.fallback != nil {
		e.fallback.apply(e, c)
	}
}

// byItself reports whether a run ended without being made to: one that was
// killed, cancelled or timed out has its reason already.
func byItself(e process.Exit) bool {
	return e.Signal == "" && e.Reason != process.ReasonCanceled && e.Reason != process.ReasonTimeout
}

// read brings a line into the form rules are written for.
func (e *engine) read(line string) (text string, ok bool) {
	if e.unwrap != nil {
		if line, ok = e.unwrap(line); !ok {
			return "", false
		}
	}
	return stripANSI(line), true
}

// try applies a rule to a line it matches.
func (e *engine) try(c *Context, r *rule, stream process.Stream, text string) bool {
	m, ok := r.match(text)
	if !ok {
		return false
	}
	m.stream = stream
	if r.tally != "" {
		e.tallies[r.tally]++
	}
	if r.do != nil && (!r.once || !e.fired[r.index]) {
		r.do(e, c, m)
	}
	e.fired[r.index] = true
	return true
}

// follow makes f the taker of the stream's next lines. None is open then: one
// that does not take a line is done.
func (e *engine) follow(stream process.Stream, f follower) { e.open[streamIndex(stream)] = f }

// total says the tallies that are not zero in one sentence.
func (e *engine) total() string {
	var parts []string
	for _, t := range e.summary {
		switch n := e.tallies[t.Tally]; {
		case n == 1 && t.One != "":
			parts = append(parts, t.One)
		case n > 0:
			parts = append(parts, strings.ReplaceAll(t.Many, "$n", strconv.Itoa(n)))
		}
	}
	return strings.Join(parts, ", ")
}
