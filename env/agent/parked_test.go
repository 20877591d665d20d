package agent_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/agent"
	"github.com/reeverun/reeve/env/agent/model"
	"github.com/reeverun/reeve/process"
)

// quiet is a host that keeps nothing. What it has no method for is not called.
type quiet struct {
	env.Host
	began chan struct{}
}

func (h quiet) Started(int, process.Enforced)                       { h.began <- struct{}{} }
func (quiet) Write(process.Stream, []byte) error                    { return nil }
func (quiet) Emit(process.Payload)                                  {}
func (quiet) Spend(context.Context, int64) error                    { return nil }
func (quiet) Remember(context.Context, ...process.Message) error    { return nil }
func (quiet) Output(map[string]any)                                 {}
func (quiet) Timing() env.Timing                                    { return env.Timing{} }
func (quiet) Transcript(context.Context) ([]process.Message, error) { return nil, nil }

// slow is a model that calls a tool and then thinks for ever.
type slow struct{}

func (slow) Complete(ctx context.Context, q *model.Request, _ func(string)) (*model.Answer, error) {
	if len(q.Messages) > 1 {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	return &model.Answer{Calls: []process.MessageCall{{ID: "a", Name: "reeve_output", Arguments: []byte("{}")}}}, ctx.Err()
}
func (slow) Close() {}

// park starts agents, and pauses each amid its second step.
func park(tb testing.TB, n int) (e *agent.Env, ended <-chan struct{}) {
	e = agent.New(agent.Config{Models: map[string]model.Model{agent.OpenAI: slow{}}, Model: "m"})
	if err := e.Setup(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	s := spec("wait")
	s.Options.MaxSteps = 1_000_000
	h := quiet{began: make(chan struct{})}
	done := make(chan struct{}, n)
	for i := range n {
		go func() {
			_, _ = e.Execute(context.Background(), env.Input{EID: process.ID(i + 1), Run: 1, Spec: s}, h)
			done <- struct{}{}
		}()
		<-h.began
		if err := e.Pause(tb.Context(), process.ID(i+1), true); err != nil {
			tb.Fatal(err)
		}
	}
	return e, done
}

// A parked agent is one goroutine, Execute's own.
func TestParkedAgentsHaveNoGoroutine(t *testing.T) {
	const n = 500
	before := runtime.NumGoroutine()
	e, ended := park(t, n)
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before+n; { // those of finished calls are on their way out
		if time.Now().After(end) {
			t.Fatalf("%d goroutines for %d agents", runtime.NumGoroutine()-before, n)
		}
		runtime.Gosched()
	}
	if err := e.Teardown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range n {
		<-ended
	}
}
