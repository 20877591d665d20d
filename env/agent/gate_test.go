package agent_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/agent"
	"github.com/reeverun/reeve/env/agent/model"
	"github.com/reeverun/reeve/env/envtest"
	"github.com/reeverun/reeve/process"
)

// twoSteps is a model that calls a tool, and then answers.
type twoSteps struct{ asked int }

func (m *twoSteps) Complete(context.Context, *model.Request, func(string)) (*model.Answer, error) {
	if m.asked++; m.asked > 1 {
		return &model.Answer{Text: "done", Finish: model.FinishStop}, nil
	}
	return &model.Answer{Calls: []process.MessageCall{{ID: "a", Name: "svc__slow", Arguments: json.RawMessage("{}")}}}, nil
}

func (*twoSteps) Close() {}

// A pause is answered at once; the step goes on to its end, its calls included,
// and the run holds before the next. Calls are not repeated.
func TestPauseHoldsBeforeTheNextStep(t *testing.T) {
	for name, now := range map[string]bool{"by itself": false, "now": true} {
		t.Run(name, func(t *testing.T) {
			h := envtest.NewHost(t)
			synctest.Test(t, func(t *testing.T) { pauseAmidACall(t, h, now) })
		})
	}
}

func pauseAmidACall(t *testing.T, h *envtest.Host, now bool) {
	h.Began = make(chan struct{}) // of this bubble
	answer := make(chan struct{})
	h.OnCall = func(ctx context.Context, _, _ string, _ json.RawMessage) (json.RawMessage, error) {
		<-answer
		return json.RawMessage(`"ok"`), ctx.Err()
	}
	m := &twoSteps{}
	c := agent.Config{Models: map[string]model.Model{agent.OpenAI: m}, Model: "m"}
	withTools("slow")(&c)
	e := agent.New(c)
	if err := e.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	done := make(chan ending, 1)
	go func() {
		res, err := e.Execute(t.Context(), env.Input{EID: 1, Run: 1, Spec: spec("x")}, h)
		done <- ending{res, err}
	}()
	synctest.Wait()
	if err := e.Pause(t.Context(), 1, now); err != nil {
		t.Fatal(err)
	}
	close(answer)
	synctest.Wait()
	if said, _ := h.Transcript(t.Context()); m.asked != 1 || len(said) != 4 || len(h.Calls()) != 1 {
		t.Errorf("%d questions, %d calls, transcript %v", m.asked, len(h.Calls()), roles(said))
	}
	if err := e.Resume(1); err != nil {
		t.Fatal(err)
	}
	if end := <-done; end.err != nil || end.res.State != process.ExitSuccess || m.asked != 2 || len(h.Calls()) != 1 {
		t.Errorf("got %+v after %d questions and %d calls", end, m.asked, len(h.Calls()))
	}
}
