package command_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/command"
	"github.com/reeverun/reeve/env/envtest"
	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/process"
)

// late is a spawner that is slow to say that it has started something.
type late struct {
	keeper.Spawner
	job *lateJob
	say chan struct{}
}

func (s *late) Spawn(ctx context.Context, _ keeper.Spec) (keeper.Job, error) {
	select {
	case <-s.say:
		return s.job, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (s *late) Tier() keeper.Tier { return keeper.TierCgroup2 }

// lateJob runs until it is asked to end.
type lateJob struct {
	keeper.Job
	asked chan struct{}
}

func (j *lateJob) PID() int                    { return 7 }
func (j *lateJob) Enforced() keeper.Enforced   { return keeper.Enforced{} }
func (j *lateJob) Usage() keeper.Usage         { return keeper.Usage{} }
func (j *lateJob) Killed() keeper.Limit        { return "" }
func (j *lateJob) Members() []process.Survivor { return nil }
func (j *lateJob) Thaw() error                 { return nil }
func (j *lateJob) Release()                    {}

func (j *lateJob) Signal(process.Signal) (int, error) {
	close(j.asked)
	return 1, nil
}

func (j *lateJob) Wait(ctx context.Context) (keeper.Exit, error) {
	select {
	case <-j.asked:
		return keeper.Exit{Code: 143, Signal: "SIGTERM"}, nil
	case <-ctx.Done():
		return keeper.Exit{}, context.Cause(ctx)
	}
}

func (j *lateJob) WaitEmpty(ctx context.Context) error {
	_, err := j.Wait(ctx)
	return err
}

// A run that is ended while its program is being started has started if the
// program has, and is over when that is. One whose start is not heard of is not
// waited for long.
func TestEndedWhileItStarts(t *testing.T) {
	for name, heard := range map[string]bool{"heard of": true, "not heard of": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &late{job: &lateJob{asked: make(chan struct{})}, say: make(chan struct{})}
				e, h := command.New(s), envtest.NewHost(t)
				ctx, cancel := context.WithCancelCause(t.Context())
				over := make(chan env.Result, 1)
				go func() {
					res, err := e.Execute(ctx, env.Input{EID: 1, Run: 1, Spec: sh("true")}, h)
					if err != nil {
						t.Error(err)
					}
					over <- res
				}()
				synctest.Wait()
				began := time.Now()
				cancel(process.ErrCanceled)
				synctest.Wait()
				if heard {
					close(s.say)
				}
				res := <-over
				select {
				case <-h.Began:
					if !heard || res.Exit == nil || res.Exit.Signal != "SIGTERM" {
						t.Errorf("%+v", res)
					}
				default:
					if heard || res.State != process.ExitCanceled || time.Since(began) > 10*time.Second {
						t.Errorf("after %v it has not started: %+v", time.Since(began), res)
					}
				}
			})
		})
	}
}

// oneJob is a keeper that has a job.
type oneJob struct {
	keeper.Lasting
	job keeper.Job
}

func (k *oneJob) Adopt(string) (keeper.Job, error) { return k.job, nil }
func (k *oneJob) Tier() keeper.Tier                { return keeper.TierCgroup2 }

// pausedJob is frozen as a keeper in another process does it: not for somebody
// who has given up.
type pausedJob struct{ lateJob }

func (j *pausedJob) Freeze(ctx context.Context) error { return context.Cause(ctx) }

// A paused command that is to end before this host has taken it up is ended, not
// forgotten.
func TestPausedCommandIsKilledWhileItIsTakenUp(t *testing.T) {
	job := &pausedJob{lateJob{asked: make(chan struct{})}}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(process.ErrCanceled)
	_, err := command.NewKept(&oneJob{job: job}).Execute(ctx,
		env.Input{EID: 1, Run: 1, Reattach: true, Paused: true, Spec: &process.Spec{Command: &process.Command{Program: "x"}}}, envtest.NewHost(t))
	select {
	case <-job.asked:
	default:
		t.Errorf("its run is over (%v), and nobody has asked it to end", err)
	}
}
