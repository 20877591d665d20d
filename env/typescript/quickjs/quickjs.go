// Package quickjs is the engine for machines where V8 cannot be built in: QuickJS
// transpiled to Go, in children that are this same binary started anew. It needs
// no C compiler and runs wherever Reeve does; it is ten to fifty times slower
// than V8, and has no Intl.
//
// A binary that uses it calls [Child] before anything else: in a child that call
// runs the program and does not return.
//
// A child is a process of its own. On Linux it gives up, before it reads its
// script, every system call but those that computing needs; see [Engine.Info]
// for what holds on this machine. Kill is always possible.
//
// Between parent and child the channel carries, before what package engine
// defines, the prelude (to the child) and a greeting (from it) that says how the
// child is confined. The first child compiles the prelude, before it has seen any
// program; the others are given what it made.
package quickjs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/reeverun/reeve/env/typescript/engine"
)

const (
	childVariable = "REEVE_QUICKJS_CHILD" // set in the environment of children
	version       = "2026-06-04"          // of QuickJS, as modernc.org/libquickjs has it

	typePrelude  engine.Type = 'P' // to the first child, first: source
	typeCompiled engine.Type = 'B' // to all others: what the first one made of it
	typeHello    engine.Type = 'H' // from a child, first: JSON of hello

	helloTimeout = 30 * time.Second // a machine under load starts slowly
)

// Config is how children are made. Its zero value lacks only the prelude.
type Config struct {
	Prelude    string   // JavaScript; see package prelude
	Ahead      int      // how many children wait for a script; 0: 2
	Executable string   // what to start; empty: this program
	Args       []string // its arguments; none by default
}

// Engine makes children. It is ready when Start has returned.
type Engine struct {
	config Config
	start  starter // how the operating system is asked for a child; set by Start
	loaded []byte  // the compiled prelude; set by Start

	life context.Context // ends with Close
	end  context.CancelCauseFunc

	mu      sync.Mutex // guards what follows
	info    engine.Info
	ready   []*child            // wait for a script
	living  map[*child]struct{} // all that have not been waited for
	filling bool                // fill runs
	closed  bool

	wg sync.WaitGroup // fill and the watchers of children
}

// hello is what a child says when it is ready.
type hello struct {
	Confined []string `json:"confined"`
	Missing  []string `json:"missing"`
	Compiled []byte   `json:"compiled"` // the prelude, by a child that got its source
}

var errClosed = errors.New("the quickjs engine is closed")

// New makes an engine.
func New(c Config) *Engine {
	if c.Ahead == 0 {
		c.Ahead = 2
	}
	life, end := context.WithCancelCause(context.Background())
	return &Engine{config: c, living: map[*child]struct{}{}, life: life, end: end}
}

// Info says what it is and how its children are held.
func (e *Engine) Info() engine.Info {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.info.Name == "" {
		return engine.Info{Name: "quickjs", Version: version}
	}
	return e.info
}

// Start makes the children that wait. It finds out how far this machine lets
// them be confined.
func (e *Engine) Start(ctx context.Context) error {
	if e.config.Executable == "" {
		program, err := ownProgram()
		if err != nil {
			return fmt.Errorf("find this program: %w", err)
		}
		e.config.Executable = program
	}
	if err := e.first(ctx); err != nil {
		return fmt.Errorf("start a child: %w", err)
	}
	for range e.config.Ahead - 1 {
		c, _, err := e.spawn(ctx)
		if err != nil {
			return fmt.Errorf("start a child: %w", err)
		}
		e.keep(c)
	}
	return nil
}

// first makes the first child in the most confined way that this machine
// allows, which is found out by doing it.
func (e *Engine) first(ctx context.Context) error {
	var denied []string
	var cause error
	for _, s := range starters() {
		e.start = s
		c, said, err := e.spawn(ctx)
		if err != nil {
			if cause == nil {
				cause = err
				denied = append(denied, fmt.Sprintf("%s: %v", s, err))
			}
			if ctx.Err() != nil {
				return err
			}
			continue
		}
		e.loaded = said.Compiled
		e.mu.Lock()
		e.info = engine.Info{
			Name: "quickjs", Version: version, TreeKill: "process",
			Confined: append(said.Confined, s.confines()...), Missing: append(said.Missing, denied...),
		}
		e.mu.Unlock()
		e.keep(c)
		return nil
	}
	return cause
}

func (e *Engine) keep(c *child) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ready = append(e.ready, c)
}

// Child returns a child that waits for its script.
func (e *Engine) Child(ctx context.Context, _ engine.Options) (engine.Child, error) {
	e.mu.Lock()
	for len(e.ready) > 0 {
		c := e.ready[0]
		e.ready = e.ready[1:]
		if c.ended() { // killed from outside while it waited
			c.Close()
			continue
		}
		e.refill()
		e.mu.Unlock()
		return c, nil
	}
	closed := e.closed
	e.refill()
	e.mu.Unlock()
	if closed {
		return nil, errClosed
	}
	c, _, err := e.spawn(ctx)
	if err != nil {
		return nil, fmt.Errorf("start a child: %w", err)
	}
	return c, nil
}

// refill makes new children in the background; e.mu is held.
func (e *Engine) refill() {
	if e.filling || e.closed {
		return
	}
	e.filling = true
	e.wg.Go(e.fill)
}

func (e *Engine) fill() {
	for e.wants() {
		c, _, err := e.spawn(e.life)
		if err != nil {
			e.mu.Lock()
			e.filling = false // Child meets the same error and reports it
			e.mu.Unlock()
			return
		}
		e.keep(c)
	}
}

// wants says whether another child should wait; if not, fill is over.
func (e *Engine) wants() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.filling = !e.closed && len(e.ready) < e.config.Ahead
	return e.filling
}

// spawn starts a child and waits until it is ready.
func (e *Engine) spawn(ctx context.Context) (*child, hello, error) {
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	c, err := e.launch(e.start)
	if err != nil {
		return nil, hello{}, err
	}
	stop := context.AfterFunc(ctx, c.Kill)
	defer stop()
	said, err := e.greet(c)
	if err != nil {
		c.Close()
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, hello{}, err
	}
	return c, said, nil
}

// launch starts a process and keeps it in the books.
func (e *Engine) launch(s starter) (*child, error) {
	c, err := start(e.config, s)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	closed := e.closed
	if !closed {
		e.living[c] = struct{}{}
		e.wg.Go(func() {
			c.watch()
			e.mu.Lock()
			delete(e.living, c)
			e.mu.Unlock()
		})
	}
	e.mu.Unlock()
	if closed {
		c.Kill()
		c.watch()
		c.Close()
		return nil, errClosed
	}
	return c, nil
}

// greet gives a child its prelude and hears whether it can run programs.
func (e *Engine) greet(c *child) (hello, error) {
	var said hello
	first := engine.AppendFrame(nil, typePrelude, []byte(e.config.Prelude))
	if e.loaded != nil {
		first = engine.AppendFrame(nil, typeCompiled, e.loaded)
	}
	if _, err := c.Write(first); err != nil {
		return said, fmt.Errorf("write the prelude: %w", err)
	}
	frames := engine.NewReader(c)
	t, payload, err := frames.Next()
	if err == nil && t == engine.TypeUsage { // then comes why it failed
		t, payload, err = frames.Next()
	}
	if err != nil {
		return said, fmt.Errorf("the child ended before it was ready: %w", err)
	}
	if t != typeHello {
		return said, fmt.Errorf("the child could not load the prelude: %s", payload)
	}
	if err := json.Unmarshal(payload, &said); err != nil {
		return said, fmt.Errorf("read the child's greeting: %w", err)
	}
	return said, nil
}

// Close kills all children and waits for their ends.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	e.end(errClosed)
	ready := e.ready
	e.ready = nil
	for c := range e.living {
		c.Kill()
	}
	e.mu.Unlock()
	for _, c := range ready {
		c.Close()
	}
	e.wg.Wait()
	return nil
}
