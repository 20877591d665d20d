package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
)

// job is one run that the command line attends to: its output is shown live,
// interrupts are passed on, and the command ends as the run did.
type job struct {
	app    *App
	client *client.Client
	screen *screen
	detach bool
	bar    bool                        // draw a progress bar, if the terminal can
	parked bool                        // to be started once its events are watched
	asks   bool                        // it may call tools or ask for more, and wait for an approval
	steps  bool                        // it is an agent: tell what it does, on a terminal
	show   func(context.Context) error // shows more than its two streams; nil: those

	visiting bool // somebody else started it: an interrupt leaves it

	id     process.ID
	run    int
	cursor string      // of the events, from before the run
	early  []os.Signal // that came before the run was known
	passed atomic.Bool // an interrupt was passed on
}

// attend starts a run and stays until it is over.
func (j *job) attend(ctx context.Context, start func(context.Context) (process.Record, error)) error {
	if j.detach {
		rec, err := start(ctx)
		if err != nil {
			return err
		}
		return j.detached(&rec)
	}
	signals, stopSignals := j.app.Signals()
	defer stopSignals()
	j.screen = j.app.newScreen(j.bar)
	if j.screen.status || j.asks {
		if now, err := j.client.AllEventsPage(ctx, client.EventFilter{}, ""); err == nil {
			j.cursor = cmp.Or(now.Next, "0") // a daemon without any events has no cursor yet
		}
	}
	rec, err := j.begin(ctx, start, signals)
	if err != nil {
		return err
	}
	j.id, j.run = rec.ID, max(rec.Run, 1)
	j.steps = rec.Environment == process.EnvAgent
	ended, err := j.stay(ctx, signals)
	if err != nil {
		return j.left(err)
	}
	return j.report(ended)
}

func (j *job) detached(rec *process.Record) error {
	if j.app.global.json {
		return j.app.printJSON(rec)
	}
	_, err := fmt.Fprintln(j.app.Stdout, rec.ID)
	return err
}

// stay runs everything that goes on beside the job, and ends it with the job.
func (j *job) stay(ctx context.Context, signals <-chan os.Signal) (process.Record, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	var beside sync.WaitGroup
	if j.visiting {
		beside.Go(func() { j.leaveOn(ctx, cancel, signals) })
	} else {
		beside.Go(func() { j.passOn(ctx, cancel, signals) })
	}
	beside.Go(func() { j.noticeQueue(ctx) })
	if j.cursor != "" && j.asks {
		beside.Go(func() { j.noticeApprovals(ctx) })
	}
	if j.cursor != "" && j.screen.status {
		beside.Go(func() { j.app.watchProgress(ctx, j.client, j.id, j.cursor, j.screen) })
	}
	var told sync.WaitGroup // ends by itself, when all is told
	if j.steps && j.screen.errShared && !j.app.global.json {
		told.Go(func() { j.showSteps(ctx) })
	}
	defer func() { cancel(nil); beside.Wait(); told.Wait() }()
	if !j.app.global.json {
		if err := j.output(ctx); err != nil {
			return process.Record{}, err
		}
	}
	rec, err := j.end(ctx)
	if err == nil {
		told.Wait()
	}
	return rec, err
}

// output shows both streams until the run has ended.
func (j *job) output(ctx context.Context) error {
	if j.show != nil {
		return j.show(ctx)
	}
	if j.parked {
		return j.lines(ctx)
	}
	both, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var streams sync.WaitGroup
	for _, stream := range []process.Stream{process.Stdout, process.Stderr} {
		streams.Go(func() {
			_, err := j.client.FollowOutput(both, j.screen.stream(stream), client.Log{Process: j.id, Run: j.run, Stream: stream})
			if err != nil {
				cancel(err) // the other one need not go on
			}
		})
	}
	streams.Wait()
	err := context.Cause(both)
	if errors.Is(err, process.ErrNotKept) {
		return j.lines(ctx)
	}
	return err
}

// lines shows the output of a run whose bytes are not kept: all there is of it
// are its events.
func (j *job) lines(ctx context.Context) error {
	for ev, err := range j.client.Events(ctx, j.id, 0) {
		if err != nil {
			return err
		}
		if ev.Kind == process.KindProcessCreated && j.parked {
			if _, err := j.client.Start(ctx, j.id, api.Run{}); err != nil {
				return err
			}
		}
		if ev.Run != j.run {
			continue
		}
		switch d := ev.Data.(type) {
		case process.OutputAppended:
			if d.Partial {
				continue
			}
			if _, err := io.WriteString(j.screen.stream(d.Stream), d.Line+"\n"); err != nil {
				return err
			}
		case process.OutputElided:
			j.app.say("some of the output was not kept")
		case process.Finalized:
			return nil
		}
	}
	return nil
}

// end returns the record of the run that was attended to, once it has ended.
func (j *job) end(ctx context.Context) (process.Record, error) {
	rec, err := j.client.Wait(ctx, j.id)
	if err != nil || rec.Run == j.run {
		return rec, err
	}
	run, err := j.client.RunRecord(ctx, j.id, j.run) // someone ran it again
	rec.Run, rec.ExitState, rec.Error, rec.Exit, rec.Outcome = run.Run, run.ExitState, run.Error, run.Exit, run.Outcome
	return rec, err
}

// left explains why the command ends before the job.
func (j *job) left(err error) error {
	var exit exitError
	switch {
	case errors.Is(err, errDetached):
		j.app.say("detached from %s, which goes on: 'reeve attach %s' returns to it", j.id, j.id)
		return nil
	case errors.As(err, &exit):
		j.app.say("left %s: see 'reeve show %s'", j.id, j.id)
		return err
	case errors.Is(err, syscall.EPIPE):
		// A program at the end of its pipe would end by SIGPIPE.
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if _, kill := j.client.Kill(ctx, j.id, api.Kill{}); unlessOver(kill) != nil {
			j.app.say("%s goes on: %s", j.id, kill)
		}
		return err
	case errors.Is(err, process.ErrNotFound):
		return err
	}
	return fmt.Errorf("lost sight of %s, which may still be running: %w. Find out later with 'reeve wait %s'", j.id, err, j.id)
}

// newKey makes a create safe to repeat.
func newKey() string { return "cli-" + rand.Text() }
