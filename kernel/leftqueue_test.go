package kernel

import (
	"context"
	"testing"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// lateTeller is an environment whose program runs before that is told.
type lateTeller struct{ asked, tell, end chan struct{} }

func (*lateTeller) Setup(context.Context) error    { return nil }
func (*lateTeller) Docs() string                   { return "" }
func (*lateTeller) Teardown(context.Context) error { return nil }
func (*lateTeller) Kill(process.ID)                {}
func (s *lateTeller) Execute(ctx context.Context, _ env.Input, h env.Host) (env.Result, error) {
	<-ctx.Done()
	close(s.asked)
	<-s.tell
	h.Started(0, process.Enforced{})
	<-s.end
	return env.Result{State: process.ExitCanceled}, nil
}

// Who has killed a process is never shown a queued one, be it in the middle of
// its start.
func TestKilledIsNotQueued(t *testing.T) {
	s := &lateTeller{make(chan struct{}), make(chan struct{}), make(chan struct{})}
	r := newRig(t, 0, func(c *Config) { c.Environments["s"] = Environment{Environment: s} })
	id, err := r.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "s", Code: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-s.asked
		close(s.tell)
	}()
	if err := r.Kill(t.Context(), id, KillOptions{}); err != nil {
		t.Fatal(err)
	}
	if rec, err := r.Process(t.Context(), id); err != nil || rec.State != process.Terminating {
		t.Errorf("%s, %v", rec.State, err)
	}
	close(s.end)
	if rec, err := r.Wait(t.Context(), id); err != nil || rec.ExitState != process.ExitCanceled {
		t.Errorf("%s, %v", rec.ExitState, err)
	}
}
