package agent_test

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/agent"
	"github.com/reeverun/reeve/env/agent/agenttest"
	"github.com/reeverun/reeve/env/agent/model"
	"github.com/reeverun/reeve/env/agent/model/anthropic"
	"github.com/reeverun/reeve/env/agent/model/openai"
	"github.com/reeverun/reeve/env/envtest"
	"github.com/reeverun/reeve/process"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// key is the credential of every test: TestSecrets looks for it everywhere.
const key = "sk-test-5ecre7-0123456789"

// world is an agent environment that asks a scripted model, and a host.
type world struct {
	t      *testing.T
	server *agenttest.Server
	env    *agent.Env
	host   *envtest.Host
	rests  *rests
}

// rests are the pauses between attempts, which take no time in tests.
type rests struct {
	mu  sync.Mutex
	all []time.Duration
}

func (r *rests) sleep(ctx context.Context, d time.Duration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, d)
	return ctx.Err()
}

func (r *rests) list() []time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.all)
}

// eachProvider runs a test through both SDKs.
func eachProvider(t *testing.T, test func(t *testing.T, w *world), change ...func(*agent.Config)) {
	for _, provider := range []string{agent.OpenAI, agent.Anthropic} {
		t.Run(provider, func(t *testing.T) { test(t, newWorld(t, provider, change...)) })
	}
}

func newWorld(t *testing.T, provider string, change ...func(*agent.Config)) *world {
	w := &world{t: t, server: agenttest.New(t), host: envtest.NewHost(t), rests: &rests{}}
	w.env = open(t, w.server, provider, 0, append([]func(*agent.Config){func(c *agent.Config) { c.Sleep = w.rests.sleep }}, change...)...)
	if err := w.env.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.env.Teardown(context.Background()) })
	return w
}

// open makes an environment with one provider.
func open(t *testing.T, s *agenttest.Server, provider string, idle time.Duration, change ...func(*agent.Config)) *agent.Env {
	client := model.Client(idle)
	t.Cleanup(client.CloseIdleConnections)
	models := map[string]model.Model{
		agent.OpenAI:    openai.New(openai.Config{BaseURL: s.OpenAI(), Key: key, Client: client}),
		agent.Anthropic: anthropic.New(anthropic.Config{BaseURL: s.Anthropic(), Key: key, Client: client}),
	}
	c := agent.Config{Models: map[string]model.Model{provider: models[provider]}, Model: "scripted"}
	for _, f := range change {
		f(&c)
	}
	return agent.New(c)
}

func spec(intent string) *process.Spec {
	return &process.Spec{Environment: process.EnvAgent, Code: intent}
}

// run executes an agent to its end.
func (w *world) run(s *process.Spec) (env.Result, error) {
	w.t.Helper()
	return w.env.Execute(w.t.Context(), env.Input{EID: 1, Run: 1, Spec: s}, w.host)
}

// ending is how an Execute ended.
type ending struct {
	res env.Result
	err error
}

// start executes an agent in the background.
func (w *world) start(ctx context.Context, s *process.Spec) <-chan ending {
	done := make(chan ending, 1)
	go func() {
		res, err := w.env.Execute(ctx, env.Input{EID: 1, Run: 1, Spec: s}, w.host)
		done <- ending{res, err}
	}()
	return done
}

// await fails the test rather than hang it.
func (w *world) await(done <-chan ending) ending {
	w.t.Helper()
	select {
	case e := <-done:
		return e
	case <-time.After(20 * time.Second):
		w.t.Fatal("Execute did not resolve")
		return ending{}
	}
}

// succeed runs an agent that shall, and returns its result.
func (w *world) succeed(s *process.Spec) string {
	w.t.Helper()
	res, err := w.run(s)
	if err != nil || res.State != process.ExitSuccess {
		w.t.Fatalf("got %+v, %v; want success", res, err)
	}
	if res.Exit == nil || *res.Exit != (process.Exit{Reason: process.ReasonCompleted}) {
		w.t.Errorf("exit %+v, want 0 completed", res.Exit)
	}
	text, _ := w.host.Data()["result"].(string)
	return text
}

// steps are the step events.
func (w *world) steps() (all []process.StepFinished) {
	for _, p := range w.host.Emitted() {
		if f, ok := p.(process.StepFinished); ok {
			all = append(all, f)
		}
	}
	return all
}

// transcript is what was remembered.
func (w *world) transcript() []process.Message {
	all, err := w.host.Transcript(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

func roles(all []process.Message) (names []process.Role) {
	for _, m := range all {
		names = append(names, m.Role)
	}
	return names
}

// echo is a service whose one tool answers with its parameters.
func withTools(names ...string) func(*agent.Config) {
	return func(c *agent.Config) {
		c.Tools = func(context.Context, []string) (all []agent.Tool) {
			for _, n := range names {
				all = append(all, agent.Tool{Service: "svc", Name: n, Description: "does " + n})
			}
			return all
		}
	}
}

func echo(_ context.Context, _, _ string, params json.RawMessage) (json.RawMessage, error) {
	return params, nil
}
