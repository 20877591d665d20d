package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/reeverun/reeve/env/agent/model"
	"github.com/reeverun/reeve/process"
)

// errTooSlow is why a question is given up that takes longer than it may.
var errTooSlow = errors.New("the model took too long to answer")

// tally counts what a question takes.
type tally struct {
	used     model.Usage // by all attempts
	failures int
	retries  int           // attempts after the first
	waited   time.Duration // between them
	compacts bool          // the conversation may be summarised, once, to fit
}

// ask asks the model until it answers. An answer may come with an error, which
// then is process.ErrBudget: it is the last one. Attempts do not count as steps.
func (r *run) ask(ctx context.Context, t *tally, question func() *model.Request, said func(string) error) (*model.Answer, error) {
	for {
		q := question()
		answer, err := r.attempt(ctx, q, said)
		used := usage(q, answer, err)
		t.used.Add(used)
		if errors.Is(r.host.Spend(ctx, used.Total()), process.ErrBudget) {
			return answer, process.ErrBudget
		}
		if err == nil {
			return answer, nil
		}
		if err := r.after(ctx, t, err); err != nil {
			return nil, err
		}
		if err := r.pass(ctx); err != nil {
			return nil, err
		}
	}
}

// usage is what an attempt took: as the provider says, or about that much.
func usage(q *model.Request, a *model.Answer, err error) model.Usage {
	if err != nil {
		return used(err)
	}
	if a.Usage.Total() == 0 {
		a.Usage.Input = estimate(q.Messages...) + int64(len(q.System))/4
		a.Usage.Output = estimate(process.Message{Text: a.Text, Calls: a.Calls})
	}
	return a.Usage
}

// attempt asks once. It can be broken off by a pause.
func (r *run) attempt(ctx context.Context, q *model.Request, said func(string) error) (*model.Answer, error) {
	call, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	defer r.begin(abort, false)()
	late := time.AfterFunc(r.cfg.CallTimeout, func() { abort(errTooSlow) })
	defer late.Stop()
	speech := speech{say: said}
	answer, err := r.model.Complete(call, q, speech.piece)
	if werr := speech.end(); werr != nil {
		return nil, fmt.Errorf("keep output: %w", werr)
	}
	switch over := context.Cause(call); {
	case err == nil:
		return answer, nil
	case ctx.Err() != nil:
		return nil, &model.Error{Message: errKilled.Error(), Used: used(err), Err: errKilled}
	case over == errInterrupted:
		if speech.last != 0 { // else nobody has seen anything of it
			r.tell("what the model said was cut off by a pause; it is asked again")
		}
		return nil, &model.Error{Message: over.Error(), Used: used(err), Err: over}
	case over == errTooSlow:
		return nil, &model.Error{Message: fmt.Sprintf("the model did not answer within %s", r.cfg.CallTimeout),
			Retry: true, Used: used(err), Err: over}
	}
	return nil, err
}

// used is what a failed attempt is known to have taken.
func used(err error) model.Usage {
	if e := (*model.Error)(nil); errors.As(err, &e) {
		return e.Used
	}
	return model.Usage{}
}

// after decides what follows a failed attempt: nil means that the question is
// asked again.
func (r *run) after(ctx context.Context, t *tally, failed error) error {
	if errors.Is(failed, errKilled) {
		return errKilled
	}
	if errors.Is(failed, errInterrupted) { // by a pause: it does not count
		return nil
	}
	e := (*model.Error)(nil)
	if !errors.As(failed, &e) {
		return failed
	}
	if e.TooLong && t.compacts {
		t.compacts = false
		return r.compact(ctx)
	}
	t.failures++
	limit := r.cfg.Retry
	pause := limit.pause(t.failures, e.After)
	switch {
	case !e.Retry:
		return failed
	case t.failures >= limit.Tries:
		return fmt.Errorf("%w (tried %d times)", failed, t.failures)
	case t.waited+pause > limit.Total:
		return fmt.Errorf("%w (the next try would be in %s, which is too late)", failed, pause.Round(time.Second))
	}
	r.tell("%v; asking again in %s (%d of %d)", failed, pause.Round(100*time.Millisecond), t.failures+1, limit.Tries)
	t.waited += pause
	t.retries++
	return r.rest(ctx, time.Now().Add(pause), pause)
}

// rest waits before the next attempt. Whoever wants to pause or end the run
// meanwhile need not wait, but the server is not asked any sooner for that.
func (r *run) rest(ctx context.Context, until time.Time, pause time.Duration) error {
	for {
		waiting, abort := context.WithCancelCause(ctx)
		unstop := context.AfterFunc(r.soft, func() { abort(errInterrupted) })
		done := r.begin(abort, true)
		err := r.cfg.Sleep(waiting, pause)
		done()
		unstop()
		if err == nil || waiting.Err() == nil {
			abort(nil)
			return err
		}
		if err := r.pass(ctx); err != nil {
			return err
		}
		if pause = time.Until(until); pause <= 0 {
			return nil
		}
	}
}
