package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/reeverun/reeve/env/agent/model"
	"github.com/reeverun/reeve/process"
)

// step takes one step, and says what it took.
func (r *run) step(ctx context.Context) error {
	if r.talk.size() >= r.cfg.window(r.name)*fullShare/100 {
		// Where there is nothing to summarise yet, the model has to say that it
		// is too much: the size is a guess.
		if err := r.compact(ctx); err != nil && err != errDoesNotFit {
			return err
		}
	}
	done := process.StepFinished{Step: r.talk.last + 1, Model: r.name}
	began := time.Now()
	r.host.Emit(process.StepStarted{Step: done.Step})
	err := r.take(ctx, &done)
	if err != nil {
		done.Error = err.Error()
	}
	done.DurationMS = time.Since(began).Milliseconds()
	r.host.Emit(done)
	if err == nil {
		r.talk.last = done.Step
	}
	return err
}

// take asks the model and calls what it asks for.
func (r *run) take(ctx context.Context, done *process.StepFinished) error {
	offered := r.offer(ctx)
	tries := tally{compacts: true}
	answer, err := r.ask(ctx, &tries, func() *model.Request {
		return &model.Request{Model: r.name, System: r.talk.system.Text, Messages: r.talk.messages(),
			Tools: offered.list, MaxTokens: r.cfg.MaxTokens}
	}, r.say)
	u := tries.used
	done.InputTokens, done.CachedTokens, done.OutputTokens = u.Input, u.Cached, u.Output
	done.CostUSD, done.Retries = r.cfg.cost(r.name, u), tries.retries
	if answer == nil {
		return err
	}
	done.Model, done.Calls = answer.Model, len(answer.Calls)
	if noted := r.note(ctx, done.Step, answer); noted != nil {
		return noted
	}
	if err != nil { // paid for, and the last the budget allows
		return err
	}
	return r.follow(ctx, done.Step, answer, offered)
}

// note remembers an answer.
func (r *run) note(ctx context.Context, step int, a *model.Answer) error {
	name(step, a.Calls)
	m := process.Message{Step: step, Role: process.RoleAssistant, Text: a.Text, Calls: a.Calls,
		Model: a.Model, Finish: a.Finish, Extra: a.Extra, CostUSD: r.cfg.cost(r.name, a.Usage),
		Tokens: &process.MessageTokens{Input: a.Usage.Input, Cached: a.Usage.Cached, Output: a.Usage.Output}}
	r.talk.add(m)
	return r.remember(ctx, m)
}

// maxWord bounds the id and the name of a call: what no tool is called is kept
// no longer than it takes to say so.
const maxWord = 256

// name gives each call an id of its own: not all servers do.
func name(step int, calls []process.MessageCall) {
	taken := map[string]bool{}
	for i := range calls {
		c := &calls[i]
		if c.ID == "" || len(c.ID) > maxWord || taken[c.ID] {
			c.ID = fmt.Sprintf("call_%d_%d", step, i+1)
		}
		if len(c.Name) > maxWord {
			c.Name = strings.ToValidUTF8(c.Name[:maxWord], "")
		}
		taken[calls[i].ID] = true
	}
}

// follow does what comes of an answer.
func (r *run) follow(ctx context.Context, step int, a *model.Answer, offered *offers) error {
	switch {
	case a.Finish == model.FinishRefused:
		if a.Text == "" {
			return errors.New("the model refuses to answer")
		}
		return fmt.Errorf("the model refuses to answer: %s", cut(a.Text, 1<<10))
	case len(a.Calls) > 0:
		results := r.callAll(ctx, step, a.Calls, offered)
		if ctx.Err() != nil {
			return errKilled
		}
		r.talk.rest = append(r.talk.rest, results...)
		return r.remember(ctx, results...)
	case a.Finish == model.FinishLength:
		r.host.Emit(process.WarningDetected{Code: "agent.answer_cut",
			Message: "the model's answer was cut off at its greatest length; it is asked to go on"})
		on := process.Message{Step: step, Role: process.RoleUser, Text: goOn}
		r.talk.rest = append(r.talk.rest, on)
		return r.remember(ctx, on)
	}
	return nil
}
