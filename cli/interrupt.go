package cli

import (
	"context"
	"errors"
	"os"
	"syscall"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
)

// begin starts the run. An interrupt meanwhile is kept for the job; a second one
// gives up.
func (j *job) begin(ctx context.Context, start func(context.Context) (process.Record, error), signals <-chan os.Signal) (rec process.Record, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		rec, err = start(ctx)
	}()
	for {
		select {
		case <-done:
			if ctx.Err() != nil && err != nil {
				j.app.say("gave up before the daemon had answered: 'reeve ps' tells whether the job runs")
				err = context.Cause(ctx)
			}
			return rec, err
		case sig := <-signals:
			if j.early = append(j.early, sig); len(j.early) > 1 {
				cancel(exitError{process.ExitCodeCanceled})
			}
		}
	}
}

// passOn passes the first interrupt on to the job, kills it with the second, and
// leaves with the third.
func (j *job) passOn(ctx context.Context, leave context.CancelCauseFunc, signals <-chan os.Signal) {
	n := 0
	handle := func(sig os.Signal) {
		n++
		err := j.interrupt(ctx, sig, n)
		if err != nil && ctx.Err() == nil {
			j.app.say("cannot pass the interrupt on: %s", err)
		}
		var gone *client.UnreachableError
		if n > 2 || n == 2 && errors.As(err, &gone) {
			leave(exitError{process.ExitCodeCanceled})
		}
	}
	for _, sig := range j.early {
		handle(sig)
	}
	for {
		select {
		case <-ctx.Done():
			return
		case sig := <-signals:
			handle(sig)
		}
	}
}

func (j *job) interrupt(ctx context.Context, sig os.Signal, n int) error {
	if n > 1 {
		_, err := j.client.Kill(ctx, j.id, api.Kill{Now: true})
		return unlessOver(err)
	}
	polite := process.SIGINT
	if sig == syscall.SIGTERM {
		polite = process.SIGTERM
	}
	j.passed.Store(true)
	_, err := j.client.Signal(ctx, j.id, polite, api.Signal{})
	if errors.Is(err, process.ErrNotRunning) { // queued: there is no program to ask
		_, err = j.client.Kill(ctx, j.id, api.Kill{})
	}
	return unlessOver(err)
}

// unlessOver drops the error of a job that ended by itself meanwhile.
func unlessOver(err error) error {
	if errors.Is(err, process.ErrAlreadyIdle) {
		return nil
	}
	return err
}
