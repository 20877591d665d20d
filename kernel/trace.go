package kernel

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/reeverun/reeve/process"
)

// traceBuffer is how many calls a tracer may fall behind before it loses some.
const traceBuffer = 1024

// Trace follows the kernel calls of one run: what its environment asks for, and
// what is done to it, each when it has returned, a Wait also when it begins;
// what is under way when the run is reaped is told of then.
// Any number of them may follow a run, each at its own pace; one that falls
// behind loses calls, which are counted. It ends when the run is reaped.
type Trace struct {
	p    *proc
	of   *tracers
	wake chan struct{} // has one when there is something to see

	mu      sync.Mutex
	calls   []process.Syscall
	dropped int64 // since the last that was kept
	lost    int64 // in all
	over    bool
}

// Trace begins to follow a process's newest run. A process that is idle is
// process.ErrNotRunning. Close it.
func (k *Kernel) Trace(ctx context.Context, id process.ID) (*Trace, error) {
	p, err := k.running(ctx, id)
	var t *Trace
	if err == nil {
		t = p.trace()
	}
	if errors.Is(err, process.ErrNotRunning) || err == nil && t == nil {
		err = process.Errorf(process.CodeNotRunning, "process %d is idle: only a running process can be traced", id)
	}
	return t, answered(ctx, "Trace", id, err)
}

// trace adds a tracer; it is nil if the run is over.
func (p *proc) trace() *Trace {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isOver() || p.dropped {
		return nil
	}
	ts := p.tracers.Load()
	if ts == nil {
		ts = &tracers{}
		p.tracers.Store(ts)
	}
	t := &Trace{p: p, of: ts, wake: make(chan struct{}, 1)}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.all = append(ts.all, t)
	return t
}

// Next returns the next call, when there is one. It is io.EOF after the last.
func (t *Trace) Next(ctx context.Context) (process.Syscall, error) {
	for {
		t.mu.Lock()
		if len(t.calls) > 0 {
			c := t.calls[0]
			t.calls = t.calls[1:]
			t.mu.Unlock()
			return c, nil
		}
		over := t.over
		t.mu.Unlock()
		if over {
			return process.Syscall{}, io.EOF
		}
		select {
		case <-t.wake:
		case <-ctx.Done():
			return process.Syscall{}, context.Cause(ctx)
		}
	}
}

// Ready reports whether Next would return at once.
func (t *Trace) Ready() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.calls) > 0 || t.over
}

// Dropped is how many calls were lost, in all.
func (t *Trace) Dropped() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lost
}

// Close ends it. The last tracer of a run that goes takes all cost with it. It
// may be called again.
func (t *Trace) Close() {
	t.p.mu.Lock()
	ts := t.of
	ts.mu.Lock()
	ts.all = slices.DeleteFunc(ts.all, func(o *Trace) bool { return o == t })
	if len(ts.all) == 0 {
		t.p.tracers.CompareAndSwap(ts, nil)
	}
	ts.mu.Unlock()
	t.p.mu.Unlock()
	t.end()
}

func (t *Trace) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	t.poke()
}

// put keeps a call, or counts it as dropped; the last one is always kept.
func (t *Trace) put(c process.Syscall, last bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.over:
		return
	case len(t.calls) >= traceBuffer && !last:
		t.dropped++
		t.lost++
		return
	}
	c.Dropped, t.dropped = t.dropped, 0
	t.calls = append(t.calls, c)
	t.poke()
}

// poke wakes who waits in Next; t.mu is held.
func (t *Trace) poke() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

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
