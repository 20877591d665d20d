//go:build cgo && linux && (amd64 || arm64)

package v8

import (
	"context"
	"errors"
	"sync"

	"github.com/reeverun/reeve/env/typescript/engine"
)

var (
	errNotStarted = errors.New("the V8 engine is not started")
	errClosed     = errors.New("the V8 engine is closed")
)

// Engine is an engine.Engine of V8 children.
type Engine struct {
	config Config

	mu      sync.Mutex // guards what follows
	started bool
	closed  bool
	info    engine.Info
	jit     *nursery
	jitless *nursery // nil until a child without JIT is asked for
}

var _ engine.Engine = (*Engine)(nil)

// New returns an engine that Start readies.
func New(c Config) *Engine {
	return &Engine{config: c.withDefaults(), info: engine.Info{Name: "v8", Version: Version, TreeKill: "pidfd"}}
}

// Info says how children are held, once Start has returned.
func (e *Engine) Info() engine.Info {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.info
}

// Start starts the zygote and forks children ahead. A second call does nothing.
func (e *Engine) Start(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return errClosed
	}
	if e.started {
		return nil
	}
	sweepCgroups()
	n := newNursery(e.config, false)
	z, err := n.zygote(ctx)
	if err == nil {
		err = n.fill(ctx)
	}
	if err != nil {
		n.close()
		return err
	}
	e.info.Confined, e.info.Missing = z.holds.split()
	e.jit, e.started = n, true
	n.start()
	return nil
}

// Child returns a child from those forked ahead, or a new one.
func (e *Engine) Child(ctx context.Context, o engine.Options) (engine.Child, error) {
	n, err := e.nursery(o)
	if err != nil {
		return nil, err
	}
	c, err := n.take(ctx)
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (e *Engine) nursery(o engine.Options) (*nursery, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.closed:
		return nil, errClosed
	case !e.started:
		return nil, errNotStarted
	case !o.NoJIT:
		return e.jit, nil
	}
	if e.jitless == nil {
		e.jitless = newNursery(e.config, true)
		e.jitless.start()
	}
	return e.jitless, nil
}

// Close kills all children and waits until nothing is left of them.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	nurseries := []*nursery{e.jit, e.jitless}
	e.jit, e.jitless = nil, nil
	e.mu.Unlock()
	for _, n := range nurseries {
		if n != nil {
			n.close()
		}
	}
	return nil
}
