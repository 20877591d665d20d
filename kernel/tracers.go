package kernel

import (
	"slices"
	"sync"
	"time"

	"github.com/reeverun/reeve/process"
)

// tracers are all who follow a run. A run that nobody follows has none, which is
// all that its calls look at.
type tracers struct {
	mu   sync.Mutex
	all  []*Trace
	open []*span // calls that have begun, in order
}

// span is a call that has begun.
type span struct {
	of    *tracers
	began time.Time
	call  process.Syscall
}

// begin begins a call; args are names and values in turn.
func (ts *tracers) begin(call string, args ...any) *span {
	s := newSpan(ts, call, args)
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.open = append(ts.open, s)
	return s
}

func newSpan(ts *tracers, call string, args []any) *span {
	now := time.Now()
	s := &span{of: ts, began: now, call: process.Syscall{At: process.Stamp{Time: now.UTC()}, Call: call,
		Args: make(map[string]any, len(args)/2)}}
	s.add(args)
	return s
}

func (s *span) add(args []any) {
	for i := 0; i+1 < len(args); i += 2 {
		s.call.Args[args[i].(string)] = args[i+1]
	}
}

// end tells that the call has returned, unless the end of the run has; args are
// what is known only now, err is nil for a call that cannot fail.
func (s *span) end(err *error, args ...any) {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	i := slices.Index(s.of.open, s)
	if i < 0 {
		return
	}
	s.of.open = slices.Delete(s.of.open, i, i+1)
	s.add(args)
	if err != nil && *err != nil {
		text := shorten((*err).Error(), maxToolError)
		s.call.Error = &text
	}
	s.of.put(s, false)
}

// put gives a call to all; ts.mu is held.
func (ts *tracers) put(s *span, last bool) {
	s.call.DurationMS = float64(time.Since(s.began)) / float64(time.Millisecond)
	for _, t := range ts.all {
		t.put(s.call, last)
	}
}

// tell tells of a call that took no time.
func (ts *tracers) tell(call string, args ...any) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.put(newSpan(ts, call, args), call == process.CallReap)
}

// wait begins a Wait, which is told of at once.
func (ts *tracers) wait() *span {
	ts.tell("Wait", "action", "entry")
	return ts.begin("Wait", "action", "completed")
}

// closeTracers ends the traces of a run that is being reaped, after the steps
// that are done. Calls that are under way (a kill, those who wait) are told of
// here: it is the end of the run that answers them. Of a run that is not reaped
// there is no more to tell.
func (p *proc) closeTracers(done []string) {
	p.mu.Lock()
	ts := p.tracers.Swap(nil)
	p.mu.Unlock()
	if ts == nil {
		return
	}
	ts.mu.Lock()
	for _, s := range ts.open {
		ts.put(s, false)
	}
	ts.open = nil
	ts.mu.Unlock()
	if done != nil {
		ts.tell(process.CallReap, "steps", slices.Clone(done))
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range ts.all {
		t.end()
	}
}
