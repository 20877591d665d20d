package kernel

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

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
