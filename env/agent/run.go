package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/agent/model"
	"github.com/reeverun/reeve/process"
)

// run is one agent under way. Kill, pauses and signals come from anywhere; the
// rest is Execute's goroutine's alone.
type run struct {
	cfg   *Config
	in    env.Input
	host  env.Host
	model model.Model
	name  string          // of the model
	soft  context.Context // over when the run shall end after its step
	kill  context.CancelCauseFunc

	talk  talk
	steps int // taken in this run

	mu       sync.Mutex // guards what follows
	gate     *gate      // nil: nobody wants it to pause
	standing bool       // at the gate
	doing    *doing     // what can be broken off; nil: nothing
	signaled process.Signal
	late     *time.Timer // until a signaled run is not waited for any more
	gaveUp   bool        // it was not
	over     bool
}

var errMaxSteps = errors.New(process.ReasonMaxSteps)

// live takes steps until the model has said its last word, which it returns.
func (r *run) live(ctx context.Context) (string, error) {
	// One that was left paused by another host remembers nothing before it goes on.
	if err := r.pass(ctx); err != nil {
		return "", err
	}
	if err := r.recall(ctx); err != nil {
		return "", err
	}
	most := cmp.Or(r.in.Spec.Options.MaxSteps, r.cfg.MaxSteps)
	for {
		if text, ok := r.talk.result(); ok {
			return text, nil
		}
		if err := r.pass(ctx); err != nil {
			return "", err
		}
		if r.steps >= most {
			return "", errMaxSteps
		}
		if err := r.step(ctx); err != nil {
			return "", err
		}
		r.steps++
	}
}

// recall makes the conversation: a new one, or that of the transcript.
func (r *run) recall(ctx context.Context) error {
	if r.in.Resume {
		all, err := r.host.Transcript(ctx)
		if err != nil {
			return r.kept(ctx, err)
		}
		if t, steps, err := read(all, r.in.Run); err == nil {
			r.talk, r.steps = t, steps
			return nil
		}
	}
	system := process.Message{Role: process.RoleSystem, Text: cmp.Or(r.in.Spec.Options.System, prompt)}
	intent := process.Message{Role: process.RoleUser, Text: r.in.Spec.Code}
	r.talk = talk{system: system, intent: intent}
	return r.remember(ctx, system, intent)
}

// remember adds to the transcript.
func (r *run) remember(ctx context.Context, messages ...process.Message) error {
	return r.kept(ctx, r.host.Remember(ctx, messages...))
}

// kept explains an error of the transcript.
func (r *run) kept(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return errKilled
	}
	return fmt.Errorf("keep the transcript: %w", err)
}

// judge says how the run ended. The host knows by itself whether it was
// canceled, timed out or over its budget.
func (r *run) judge(text string, err error) (env.Result, error) {
	r.mu.Lock()
	signaled, gaveUp := r.signaled, r.gaveUp
	r.mu.Unlock()
	failed := func(code int, reason, signal string) (env.Result, error) {
		return env.Result{State: process.ExitFailed, Exit: &process.Exit{Code: code, Reason: reason, Signal: signal}}, nil
	}
	switch {
	case err == nil:
		r.host.Output(map[string]any{"result": text})
		return env.Result{State: process.ExitSuccess, Exit: &process.Exit{Reason: process.ReasonCompleted}}, nil
	case errors.Is(err, errSignaled) || gaveUp && errors.Is(err, errKilled):
		if signaled == process.SIGINT {
			return failed(128+2, "signal: interrupt", signaled.String())
		}
		return failed(128+15, "signal: terminated", signaled.String())
	case errors.Is(err, errKilled) || errors.Is(err, errCanceled):
		return env.Result{State: process.ExitCanceled}, nil
	case errors.Is(err, errMaxSteps):
		return failed(1, process.ReasonMaxSteps, "")
	case errors.Is(err, process.ErrBudget):
		return failed(process.ExitCodeBudget, process.ReasonBudget, "")
	}
	return env.Result{}, err
}
