package kernel

import (
	"errors"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/process"
)

// verdict is the answer of an environment with what the host knows of it.
type verdict struct {
	state     process.ExitState
	err       string
	exit      process.Exit
	spawnErr  bool
	overspent bool
	survivors []process.Survivor
	usage     process.Usage
	findings  []process.Finding
}

// judge decides how the run ended, in the contract's order; p.mu is held.
func (p *proc) judge(res env.Result, err error) verdict {
	v := verdict{survivors: res.Survivors, usage: res.Usage, findings: res.Findings}
	if res.Exit != nil {
		v.exit = *res.Exit
	}
	var spawn *env.SpawnError
	switch {
	case errors.As(err, &spawn):
		v.state, v.spawnErr, v.err = process.ExitFailed, true, spawn.Error()
		v.exit = process.Exit{Code: 1, Reason: v.err}
	case p.overspent != "": // whoever cancels it after that ends it sooner, for the same reason
		v.state, v.err, v.overspent = process.ExitFailed, p.overspent, true
		v.exit.Code, v.exit.Reason = process.ExitCodeBudget, process.ReasonBudget
	case p.canceled:
		v.state = process.ExitCanceled
	case p.timedOut:
		v.state = process.ExitTimeout
	case errors.Is(err, env.ErrLost):
		v.state, v.spawnErr, v.err = process.ExitFailed, true, process.ErrHostExited
		v.exit = process.Exit{Code: 1, Reason: v.err}
	case err != nil:
		v.state, v.err = process.ExitFailed, err.Error()
	default:
		v.state = res.State
	}
	p.drown(&v)
	switch v.state {
	case process.ExitSuccess:
		if res.Exit == nil {
			v.exit = process.Exit{Reason: process.ReasonCompleted}
		}
	case process.ExitCanceled:
		v.exit.Code = process.ExitCodeCanceled
		if res.Exit == nil || res.State != process.ExitCanceled { // else the environment says what it was to it
			v.exit.Reason = process.ReasonCanceled
		}
		if p.stopped {
			v.exit.Reason = process.ReasonHostStopped
		}
		if p.halted && !p.stopped {
			v.exit.Code, v.exit.Reason = 1, process.ReasonPaused
		}
	case process.ExitTimeout:
		v.exit.Code, v.exit.Reason = process.ExitCodeTimeout, process.ReasonTimeout
	default:
		v.fail()
	}
	return v
}

// fail completes the verdict on a run that failed: it always has an error.
func (v *verdict) fail() {
	v.state = process.ExitFailed
	if v.err == "" {
		v.err = v.exit.Reason
	}
	if v.err == "" {
		v.err = "the environment reported no outcome"
	}
	if v.exit.Reason == "" {
		v.exit = process.Exit{Code: 1, Reason: v.err}
	}
}

// outcome is the verdict with its evidence, which never changes it.
func (v *verdict) outcome(ev interpret.Evidence) process.Outcome {
	o := process.Outcome{Kind: process.OutcomeFailed, Summary: ev.Summary,
		Findings: ev.Findings, Survivors: v.survivors}
	switch {
	case v.spawnErr:
		o.Reason = &process.FailureReason{Kind: process.FailSpawn, Error: v.err}
	case v.state == process.ExitCanceled:
		o.Kind = process.OutcomeCancelled
	case v.state == process.ExitTimeout:
		o.Reason = &process.FailureReason{Kind: process.FailTimeout}
	case v.state == process.ExitSuccess:
		o.Kind = process.OutcomeSucceeded
	case v.overspent:
		o.Reason = &process.FailureReason{Kind: process.FailExitCode, ExitCode: v.exit.Code}
	case ev.KnownError != nil:
		o.Reason = &process.FailureReason{Kind: process.FailKnownError,
			Code: ev.KnownError.Code, Message: ev.KnownError.Message}
	case v.exit.Signal != "":
		o.Reason = &process.FailureReason{Kind: process.FailSignal, Signal: v.exit.Signal}
	default:
		o.Reason = &process.FailureReason{Kind: process.FailExitCode, ExitCode: v.exit.Code}
	}
	return o
}
