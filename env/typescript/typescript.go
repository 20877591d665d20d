// Package typescript is the environment that runs untrusted programs: each in a
// process of its own, which an engine makes and which is worth nothing to who
// breaks it, with everything it may do asked of this side.
//
//	source ──compile──▶ JavaScript ──frame──▶ child
//	host  ◀──output, structured output, calls──┘   ──results, signals──▶
//
// The child is not trusted: each of its frames is bounded in size and number
// and may be a lie; what it can reach by lying is what its program could ask
// for anyway. It ends by itself, or is killed: at the end of its time, of the
// grace where it has asked to be told first (by looking at reeve.signal), and
// when it breaks the rules.
package typescript

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/typescript/compile"
	"github.com/reeverun/reeve/env/typescript/engine"
	"github.com/reeverun/reeve/process"
)

// Engine is how an engine is made, and what it understands.
type Engine struct {
	New     func() engine.Engine
	Dialect compile.Dialect
}

// Config is what the environment is made of.
type Config struct {
	Engines []Engine // the first that starts is used

	// Limits are for programs that name none, Ceiling is the most one may
	// name; zero fields of either: 128 MiB of heap and 4 GiB at most, else none.
	Limits, Ceiling process.Limits

	// Spec reads what a program passes to reeve.spawn, the body of a create
	// request. nil: programs cannot spawn.
	Spec func(request json.RawMessage) (process.Spec, error)
	// Declarations describe the tools, for Docs. nil: there are none.
	Declarations func() string
	// Logger hears of engines that do not start. Default: none.
	Logger *slog.Logger
}

// Env runs programs.
type Env struct {
	cfg      Config
	onTheWay int64 // maxOnTheWay

	mu     sync.Mutex
	works  *works // nil: not set up
	broken error  // why no engine started
	runs   map[process.ID]*run
	ending sync.WaitGroup // runs
}

// works are what runs programs between a Setup and a Teardown.
type works struct {
	engine   engine.Engine
	compiler *compile.Compiler
}

var (
	_ env.Environment = (*Env)(nil)
	_ env.Signaler    = (*Env)(nil)
	_ env.Pauser      = (*Env)(nil)
	_ env.Counter     = (*Env)(nil)
	_ env.Meter       = (*Env)(nil)
	_ env.Sampler     = (*Env)(nil)
	_ env.Enforcer    = (*Env)(nil)
	_ env.Enclosed    = (*Env)(nil)
)

// New makes the environment.
func New(c Config) *Env {
	c.Limits, c.Ceiling = withDefaults(c.Limits, c.Ceiling)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Env{cfg: c, onTheWay: maxOnTheWay, runs: map[process.ID]*run{}}
}

// Setup starts an engine and a compiler. Where no engine starts it is no error
// of the host's: programs are refused then, with the reason.
func (e *Env) Setup(ctx context.Context) error {
	var why []error
	for _, choice := range e.cfg.Engines {
		w, err := choice.start(ctx)
		if err == nil {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.works, e.broken = w, nil
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		e.cfg.Logger.Warn("an engine for TypeScript does not start here", "error", err)
		why = append(why, err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.broken = fmt.Errorf("no engine starts here: %w", errors.Join(why...))
	return nil
}

func (c Engine) start(ctx context.Context) (*works, error) {
	compiler, err := compile.New(compile.Config{Dialect: c.Dialect})
	if err != nil {
		return nil, err
	}
	w := &works{engine: c.New(), compiler: compiler}
	if err := w.engine.Start(ctx); err != nil {
		return nil, fmt.Errorf("start %s: %w", w.engine.Info().Name, errors.Join(err, w.close()))
	}
	if err := compiler.Warm(ctx); err != nil {
		return nil, fmt.Errorf("start the compiler: %w", errors.Join(err, w.close()))
	}
	return w, nil
}

func (w *works) close() error {
	w.compiler.Close()
	return w.engine.Close()
}

// Teardown kills what runs and ends engine and compiler.
func (e *Env) Teardown(context.Context) error {
	e.mu.Lock()
	w := e.works
	e.works = nil
	for _, r := range e.runs {
		r.kill()
	}
	e.mu.Unlock()
	e.ending.Wait()
	if w == nil {
		return nil
	}
	return w.close()
}

// Info describes the engine; the zero Info: there is none.
func (e *Env) Info() engine.Info {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.works == nil {
		return engine.Info{}
	}
	return e.works.engine.Info()
}

// Enclosed says that a program reaches nothing by itself.
func (e *Env) Enclosed() {}

// Execute runs one program.
func (e *Env) Execute(ctx context.Context, in env.Input, h env.Host) (env.Result, error) {
	r, err := e.enter(ctx, in, h)
	if err != nil {
		return env.Result{}, err
	}
	defer e.leave(r)
	if err := r.works.refuse(in.Spec.Options.Require); err != nil {
		return env.Result{}, err
	}
	program, err := r.works.compiler.Compile(r.ctx, in.Spec.Code)
	if wrong := (*compile.Error)(nil); errors.As(err, &wrong) {
		h.Started(0, r.works.enforced())
		_ = h.Write(process.Stderr, []byte(wrong.Shown()+"\n"))
		return env.Result{}, err
	}
	if err == nil {
		err = r.start(program)
	}
	switch {
	case r.ctx.Err() != nil:
		return env.Result{State: process.ExitCanceled}, nil // asked to end before it began
	case err != nil:
		return env.Result{}, &env.SpawnError{Err: err}
	}
	return r.converse()
}

func (w *works) enforced() process.Enforced {
	i := w.engine.Info()
	return process.Enforced{TreeKill: i.TreeKill, Confined: i.Confined, Missing: i.Missing}
}

var errNotSetUp = errors.New("the environment is not set up")

func (e *Env) enter(ctx context.Context, in env.Input, h env.Host) (*run, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.works == nil {
		return nil, &env.SpawnError{Err: cmp.Or(e.broken, errNotSetUp)}
	}
	if e.runs[in.EID] != nil {
		return nil, fmt.Errorf("process %d is already running", in.EID)
	}
	r := newRun(ctx, e, in, h)
	e.runs[in.EID] = r
	e.ending.Add(1)
	return r, nil
}

func (e *Env) leave(r *run) {
	r.end()
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.runs, r.in.EID)
	e.ending.Done()
}

// find returns a run that has not ended, or nil.
func (e *Env) find(eid process.ID) *run {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.runs[eid]
}

// Kill ends a program at once.
func (e *Env) Kill(eid process.ID) {
	if r := e.find(eid); r != nil {
		r.kill()
	}
}

// CPU is the processor time that a program has used so far, where its engine can
// tell.
func (e *Env) CPU(eid process.ID) time.Duration {
	r := e.find(eid)
	if r == nil {
		return 0
	}
	if child := r.child.Load(); child != nil {
		if m, ok := (*child).(engine.Metered); ok {
			return m.CPU()
		}
	}
	return 0
}

// Sample is what a program uses at the moment, where its engine can tell.
func (e *Env) Sample(eid process.ID) (env.Sample, bool) {
	r := e.find(eid)
	if r == nil {
		return env.Sample{}, false
	}
	child := r.child.Load()
	if child == nil {
		return env.Sample{}, false
	}
	m, ok := (*child).(engine.Metered)
	if !ok {
		return env.Sample{}, false
	}
	rss := residentOf((*child).PID())
	cpu := m.CPU() // after it: 0 if the number may be another's by now
	return env.Sample{CPU: cpu, RSS: rss, PIDs: 1}, cpu > 0
}

// Members is one for a program that runs: it cannot start another process.
func (e *Env) Members(eid process.ID) int {
	if r := e.find(eid); r == nil || r.child.Load() == nil {
		return 0
	}
	return 1
}
