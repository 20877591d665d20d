package typescript

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/typescript/compile"
	"github.com/reeverun/reeve/env/typescript/engine"
	"github.com/reeverun/reeve/process"
)

// run is one program, from before its child exists to the child's end.
//
// Execute's goroutine reads the child's frames; each call has a goroutine of
// its own, which end waits for; outbox writes. Kill, pause and signals come from
// anywhere.
type run struct {
	env    *Env
	works  *works
	in     env.Input
	host   env.Host
	limits process.Limits
	ctx    context.Context // over when the run shall end
	cancel context.CancelFunc
	work   context.Context // of calls: over when it has ended
	finish context.CancelFunc
	calls  sync.WaitGroup
	atOnce chan struct{}
	out    outbox
	output merger

	child   atomic.Pointer[engine.Child]
	waiting atomic.Int64 // calls not answered yet
	held    atomic.Int64 // bytes of them

	mu       sync.Mutex
	aware    bool           // it shall be asked before it is killed
	asked    bool           // it was
	killed   bool           // by this side
	fault    error          // why, if that is not the host's wish
	signaled process.Signal // that ended it
	stopped  time.Time      // when it was paused; zero: it is not
	unstop   func() bool    // releases what waits for the context

	// Of the reading goroutine alone.
	written, structured int64
	merges, made        int
	used                *process.Usage // as the child told it
}

// newRun makes a run; e.mu is held.
func newRun(ctx context.Context, e *Env, in env.Input, h env.Host) *run {
	r := &run{env: e, works: e.works, in: in, host: h, limits: e.limits(in.Spec.Options.Limits), atOnce: make(chan struct{}, maxAtOnce)}
	r.output.host = h
	r.out.most = e.onTheWay
	r.ctx, r.cancel = context.WithCancel(ctx)
	r.work, r.finish = context.WithCancel(context.WithoutCancel(ctx))
	return r
}

// start gives the program to a fresh child.
func (r *run) start(p *compile.Program) error {
	child, err := r.works.engine.Child(r.ctx, engine.Options{NoJIT: r.in.Spec.Options.NoJIT})
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.child.Store(&child)
	if r.killed {
		child.Kill()
	}
	r.mu.Unlock()
	meta, err := json.Marshal(engine.Meta{ID: int64(r.in.EID), Run: r.in.Run, Mappings: p.Mappings, Lines: p.Lines})
	if err != nil {
		return err
	}
	r.host.Started(child.PID(), r.works.enforced())
	script := &engine.Script{HeapBytes: uint64(r.limits.MemoryBytes), CPUMS: cpuLimit(r.limits, r.in.Spec.Options),
		Name: compile.Name, Code: p.Code, Meta: string(meta)}
	r.out.start(child, engine.AppendScript(nil, script))
	r.unstop = context.AfterFunc(r.ctx, r.ask)
	return nil
}

// converse reads what the child says until it has ended, and judges. One that
// said its last word is killed, so that it says no more, and not waited for: what
// is left of it is the engine's to clear away.
func (r *run) converse() (env.Result, error) {
	child := *r.child.Load()
	last, err := r.read(engine.NewReader(child))
	child.Kill()
	r.output.end()
	if last.said && r.used != nil {
		return r.judge(env.Result{Usage: *r.used}, last, engine.Exit{}, nil)
	}
	exit, werr := child.Wait(r.work)
	if werr != nil {
		return env.Result{}, fmt.Errorf("wait for the program's process: %w", werr)
	}
	res := env.Result{Usage: process.Usage{CPUMS: exit.CPU.Milliseconds(), MaxRSSBytes: exit.MaxRSS}}
	return r.judge(res, last, exit, err)
}

// final is how a child said it ended.
type final struct {
	said  bool
	error *failure // nil: it succeeded
}

// failure is the payload of engine.TypeError.
type failure struct {
	Message string `json:"message"`
	Kind    string `json:"kind"`
}

// read handles frames until the last one. An error is a rule broken.
func (r *run) read(frames *engine.Reader) (final, error) {
	for {
		t, payload, err := frames.Next()
		switch {
		case errors.Is(err, engine.ErrFrame):
			return final{}, broken(err)
		case err != nil: // it has ended, or is about to
			return final{}, nil
		case t == engine.TypeDone:
			return final{said: true}, nil
		case t == engine.TypeError:
			f := new(failure)
			if err := decode(payload, f); err != nil {
				return final{}, err
			}
			return final{said: true, error: f}, nil
		}
		if err := r.handle(t, payload); err != nil {
			return final{}, err
		}
	}
}

// decode reads the JSON of a frame.
func decode(payload []byte, into any) error {
	if engine.TooDeep(payload) {
		return broken(fmt.Errorf("%w: nested deeper than %d levels", engine.ErrFrame, engine.MaxDepth))
	}
	if err := json.Unmarshal(payload, into); err != nil {
		return broken(err)
	}
	return nil
}

func broken(err error) error { return fmt.Errorf("the program's process broke its channel: %w", err) }

func (r *run) handle(t engine.Type, payload []byte) error {
	switch t {
	case engine.TypeStdout:
		return r.write(process.Stdout, payload)
	case engine.TypeStderr:
		return r.write(process.Stderr, payload)
	case engine.TypeOutput:
		return r.merge(payload)
	case engine.TypeCall:
		return r.call(payload)
	case engine.TypeUsage:
		var u engine.Usage
		if err := decode(payload, &u); err != nil {
			return err
		}
		r.used = &process.Usage{CPUMS: max(0, u.CPUMicros/1000), MaxRSSBytes: max(0, u.MaxRSS)}
		return nil
	case engine.TypeAware:
		r.mu.Lock()
		r.aware = true
		r.mu.Unlock()
		return nil
	}
	return broken(fmt.Errorf("%w of type %d", engine.ErrFrame, t))
}

func (r *run) write(s process.Stream, chunk []byte) error {
	limit := r.limits.OutputBytes
	if limit > 0 && r.written+int64(len(chunk)) > limit {
		chunk = chunk[:limit-r.written]
		_ = r.host.Write(s, chunk)
		return fmt.Errorf("too much output: the program wrote more than its limit of %d bytes (options.limits.outputBytes)", limit)
	}
	r.written += int64(len(chunk))
	if err := r.host.Write(s, chunk); err != nil {
		return fmt.Errorf("keep output: %w", err)
	}
	return nil
}

func (r *run) merge(payload []byte) error {
	r.structured += int64(len(payload))
	r.merges++
	switch {
	case r.structured > maxStructure:
		return fmt.Errorf("too much structured output: reeve.output was given more than %d MiB in one run", maxStructure>>20)
	case r.merges > maxMerges:
		return fmt.Errorf("too much structured output: reeve.output was called more than %d times in one run", maxMerges)
	}
	var data map[string]any
	if err := decode(payload, &data); err != nil {
		return err
	}
	r.output.add(data)
	return nil
}

// judge decides how the run ended. The host knows by itself whether it was
// canceled or timed out.
func (r *run) judge(res env.Result, last final, exit engine.Exit, err error) (env.Result, error) {
	r.mu.Lock()
	killed, signaled := r.killed, r.signaled
	if err == nil && !last.said {
		err = r.fault
	}
	r.mu.Unlock()
	switch {
	case err != nil:
		return res, err
	case last.said && last.error == nil:
		res.State = process.ExitSuccess
		return res, nil
	case last.said:
		return res, errors.New(r.message(last.error))
	case signaled != 0:
		n := map[process.Signal]int{process.SIGTERM: 15, process.SIGINT: 2}[signaled]
		text := map[process.Signal]string{process.SIGTERM: "signal: terminated", process.SIGINT: "signal: interrupt"}[signaled]
		res.State, res.Exit = process.ExitFailed, &process.Exit{Code: 128 + n, Reason: text, Signal: signaled.String()}
		return res, nil
	case killed || r.ctx.Err() != nil:
		res.State = process.ExitCanceled
		return res, nil
	}
	text, detail := ended(exit, r.limits)
	res.Exit = detail
	return res, errors.New(text)
}

// message is the error of a program that failed, bounded.
func (r *run) message(f *failure) string {
	switch f.Kind {
	case "memory":
		return outOfMemory(r.limits)
	case "cpu":
		return outOfCPU(r.limits)
	}
	if len(f.Message) > maxMessage {
		return strings.ToValidUTF8(f.Message[:maxMessage], "") + "…" // not within a character
	}
	if f.Message == "" {
		return "the program failed without a message"
	}
	return f.Message
}

// end releases the run once its child has ended, or there never was one.
func (r *run) end() {
	r.mu.Lock()
	r.killed = true
	r.mu.Unlock()
	if r.unstop != nil {
		r.unstop()
	}
	r.cancel()
	r.finish()
	if child := r.child.Load(); child != nil {
		_ = (*child).Close()
	}
	r.calls.Wait()
	r.out.stop()
}
