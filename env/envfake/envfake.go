// Package envfake is a scriptable environment for tests of every layer above
// the environment contract. The code of a process is a script, one step a
// line:
//
//	trap CODE         from here on end with CODE on SIGTERM and SIGINT, which
//	                  else end a waiting script as they end a program
//	ignore            from here on ignore them
//	out TEXT          write TEXT and a newline to stdout
//	err TEXT          the same to stderr
//	raw TEXT          write TEXT to stdout without a newline (\n, \r, \xNN work)
//	output JSON       merge structured output
//	sleep DURATION    wait (Go duration); ends early, canceled, on a stop
//	hang              wait until stopped
//	stubborn          wait until killed, whatever is asked before
//	deaf              ignore even the kill until Release
//	gate NAME         wait until Open(NAME)
//	call SERVICE TOOL [JSON]     call a tool and print its result, or
//	                  "CODE: message" of its error
//	calls N SERVICE TOOL [JSON]  the same N times, side by side
//	spawn STEP; STEP  start a child with that script, print "child ID"
//	await [ID]        wait for a child (the last one), print "ended ID STATE"
//	                  and its output
//	signal NAME [ID]  signal a child (the last one)
//	remember ROLE TEXT  add a message to the transcript
//	recall            print the transcript, "NUMBER ROLE: TEXT" a line
//	step N            tell that step N begins
//	spend N           use N tokens; ends the script when they are used up
//	within JSON       from here on give children this budget
//	burn DURATION     pretend to have used CPU time
//	end CODE REASON   end with an exit code and a reason, as failed
//	spawnfail TEXT    be unable to start (must come first)
//	fail TEXT         end as failed with an error
//	exit CODE         end with an exit code
//	panic TEXT        panic
//	goexit            leave the goroutine without an answer
//	survivor NAME     name a process that outlives the kill
//	late              after the end, call the host again with everything
//
// Without any of the endings a script succeeds. A paused script does no step,
// and its sleep does not count; a gate that opens meanwhile is passed later.
//
// An [Agent] plays the same scripts and goes on from its transcript.
package envfake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// Env is the fake. The zero value is ready.
type Env struct {
	mu       sync.Mutex
	kills    map[process.ID]chan struct{}
	players  map[process.ID]*player
	gates    map[string]chan struct{}
	released chan struct{}
	executed []process.ID
	killed   []process.ID
	down     bool
}

var (
	_ env.Environment = (*Env)(nil)
	_ env.Signaler    = (*Env)(nil)
	_ env.Pauser      = (*Env)(nil)
	_ env.Meter       = (*Env)(nil)
	_ env.Sampler     = (*Env)(nil)
)

// Setup makes it ready, also after a Teardown.
func (e *Env) Setup(context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.kills = map[process.ID]chan struct{}{}
	e.players = map[process.ID]*player{}
	e.released = make(chan struct{})
	e.down = false
	return nil
}

// Docs describes the script.
func (e *Env) Docs() string { return "# fake\n\nScripts for tests.\n" }

// Executed returns the processes Execute was called for, in order.
func (e *Env) Executed() []process.ID {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]process.ID(nil), e.executed...)
}

// Killed returns the processes Kill was called for, in order.
func (e *Env) Killed() []process.ID {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]process.ID(nil), e.killed...)
}

// Open lets scripts pass a gate, now and later.
func (e *Env) Open(gate string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.gate(gate)
	select {
	case <-c:
	default:
		close(c)
	}
}

func (e *Env) gate(name string) chan struct{} {
	if e.gates == nil {
		e.gates = map[string]chan struct{}{}
	}
	if e.gates[name] == nil {
		e.gates[name] = make(chan struct{})
	}
	return e.gates[name]
}

// Release ends deaf scripts.
func (e *Env) Release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	select {
	case <-e.released:
	default:
		close(e.released)
	}
}

// Kill ends a script, unless it is deaf.
func (e *Env) Kill(eid process.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.killed = append(e.killed, eid)
	if c, ok := e.kills[eid]; ok {
		close(c)
		delete(e.kills, eid)
	}
}

// Teardown kills what still runs.
func (e *Env) Teardown(context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.down = true
	for eid, c := range e.kills {
		close(c)
		delete(e.kills, eid)
	}
	return nil
}

// Execute plays a script.
func (e *Env) Execute(ctx context.Context, in env.Input, h env.Host) (res env.Result, err error) {
	killed, err := e.enter(in.EID)
	if err != nil {
		return env.Result{}, err
	}
	defer e.leave(in.EID)
	if ctx.Err() != nil {
		return env.Result{State: process.ExitCanceled}, nil
	}
	from, err := begin(ctx, in, h)
	if err != nil {
		return env.Result{}, err
	}
	p := &player{e: e, paused: in.Paused, environment: in.Spec.Environment, ctx: ctx, h: h, killed: killed, fatal: make(chan process.Signal, 1), change: make(chan struct{})}
	e.play(in.EID, p)
	defer func() {
		res.Survivors = p.survivors
		res.Usage.CPUMS = time.Duration(p.burnt.Load()).Milliseconds()
	}()
	return p.play(in.Spec.Code, from)
}

// play plays a script from a line on, step by step: a pause comes between two of
// them, or into one that waits.
func (p *player) play(script string, from int) (env.Result, error) {
	p.acting.Lock()
	defer p.acting.Unlock()
	if paused, _ := p.state(); paused { // from the beginning
		p.start()
	}
	for line := range strings.Lines(script) {
		if p.line++; p.line <= from {
			continue
		}
		verb, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
		p.standStill()
		res, err, over := p.step(verb, arg)
		if over {
			return res, err
		}
	}
	p.start()
	return env.Result{State: process.ExitSuccess}, nil
}

func (e *Env) enter(eid process.ID) (chan struct{}, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.kills == nil || e.down:
		return nil, errors.New("the environment is not set up")
	case e.kills[eid] != nil:
		return nil, fmt.Errorf("process %d is already running", eid)
	}
	killed := make(chan struct{})
	e.kills[eid] = killed
	e.executed = append(e.executed, eid)
	return killed, nil
}

func (e *Env) leave(eid process.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.kills, eid)
	delete(e.players, eid)
}

func (e *Env) play(eid process.ID, p *player) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.players[eid] = p
}

// player is one script under way.
type player struct {
	e           *Env
	environment string // its own
	ctx         context.Context
	h           env.Host
	killed      <-chan struct{}
	started     bool

	survivors []process.Survivor
	child     process.ID // the last one
	line      int        // of the script, from 1
	budget    process.Budget
	burnt     atomic.Int64 // CPU time, in nanoseconds

	acting sync.Mutex // held by the script except while it waits

	mu     sync.Mutex          // guards the rest
	paused bool                //
	change chan struct{}       // closed when paused changes
	trap   *int                // what SIGTERM and SIGINT end it with; nil: as they do
	ignore bool                // them
	fatal  chan process.Signal // gets the one that ends it
}

func (p *player) start() {
	if !p.started {
		p.started = true
		p.h.Started(0, process.Enforced{TreeKill: "none", Missing: []string{}})
	}
}

// step plays one line; over says that the script has ended.
func (p *player) step(verb, arg string) (res env.Result, err error, over bool) {
	if verb == "spawnfail" {
		return res, &env.SpawnError{Err: errors.New(arg)}, true
	}
	p.start()
	canceled := env.Result{State: process.ExitCanceled}
	switch verb {
	case "", "#":
	case "out":
		err = p.h.Write(process.Stdout, []byte(arg+"\n"))
	case "err":
		err = p.h.Write(process.Stderr, []byte(arg+"\n"))
	case "raw":
		var text string
		if text, err = strconv.Unquote(`"` + arg + `"`); err == nil {
			err = p.h.Write(process.Stdout, []byte(text))
		}
	case "output":
		var data map[string]any
		if err = json.Unmarshal([]byte(arg), &data); err == nil {
			p.h.Output(data)
		}
	case "trap":
		var code int
		if code, err = strconv.Atoi(arg); err == nil {
			p.onSignal(&code, false)
		}
	case "ignore":
		p.onSignal(nil, true)
	case "sleep":
		var d time.Duration
		if d, err = time.ParseDuration(arg); err == nil {
			return p.wait(d, nil)
		}
	case "gate":
		p.e.mu.Lock()
		gate := p.e.gate(arg)
		p.e.mu.Unlock()
		return p.wait(forever, gate)
	case "call":
		return p.call(1, arg)
	case "calls":
		return p.calls(arg)
	case "spawn":
		return p.spawn(arg)
	case "await":
		return p.await(arg)
	case "signal":
		return p.signal(arg)
	case "remember", "recall", "step", "spend":
		return p.tell(verb, arg)
	case "within":
		p.budget = process.Budget{}
		err = json.Unmarshal([]byte(arg), &p.budget)
	case "burn":
		err = p.burn(arg)
	case "end":
		return p.end(arg)
	case "hang":
		return p.wait(forever, nil)
	case "stubborn":
		p.waitOnly(p.killed)
		return canceled, nil, true
	case "deaf":
		p.waitOnly(p.e.released)
		return canceled, nil, true
	case "fail":
		return res, errors.New(arg), true
	case "exit":
		code, err := strconv.Atoi(arg)
		exit := &process.Exit{Code: code, Reason: "exit status " + arg}
		p.h.Exited(*exit)
		return env.Result{Exit: exit}, err, true
	case "panic":
		panic(arg)
	case "goexit":
		runtime.Goexit()
	case "survivor":
		p.survivors = append(p.survivors, process.Survivor{PID: 1 + len(p.survivors), Command: arg})
	case "late":
		go p.late()
	default:
		err = fmt.Errorf("unknown step %q", verb)
	}
	return res, err, err != nil
}

// late calls the host when the script is long over.
func (p *player) late() {
	p.e.mu.Lock()
	gate := p.e.gate("late")
	p.e.mu.Unlock()
	<-gate
	p.h.Started(1, process.Enforced{})
	p.h.Exited(process.Exit{Code: 9})
	_ = p.h.Write(process.Stdout, []byte("late\n"))
	p.h.Output(map[string]any{"late": true})
	p.e.Open("late done")
}

// AwaitGate blocks until somebody opened a gate.
func (e *Env) AwaitGate(ctx context.Context, name string) error {
	e.mu.Lock()
	gate := e.gate(name)
	e.mu.Unlock()
	select {
	case <-gate:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
