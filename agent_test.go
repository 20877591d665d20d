package reeve_test

import (
	"errors"
	"testing"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/process"
)

func TestAgentTask(t *testing.T) {
	s := reeve.Agent("do it").Model("m").Provider("openai").MaxSteps(3).System("be kind").Tools("a/*").Spec()
	if o := s.Options; s.Environment != "agent" || s.Code != "do it" || o.Model != "m" || o.Provider != "openai" || o.MaxSteps != 3 || o.System != "be kind" || o.Tools[0] != "a/*" {
		t.Errorf("%+v", s)
	}
	rt, err := reeve.Open(t.Context(), reeve.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	if _, err := rt.Spawn(t.Context(), reeve.Agent("x")); !errors.Is(err, reeve.ErrNoEnvironment) {
		t.Errorf("not registered: %v", err)
	}
}

// A paused agent outlives its runtime; one that was interrupted goes on when it
// is asked to.
func TestAgentAcrossRuntimes(t *testing.T) {
	dir := t.TempDir()
	open := func() *reeve.Runtime {
		rt, err := reeve.Open(t.Context(), reeve.Config{Dir: dir, Environments: map[string]reeve.Environment{"agent": new(envfake.Agent)}})
		if err != nil {
			t.Fatal(err)
		}
		return rt
	}
	rt := open()
	p, err := rt.Spawn(t.Context(), reeve.Agent("out one\nremember user a\noutput {\"x\": 1}\nhang"))
	if err != nil {
		t.Fatal(err)
	}
	for ev := range p.Events(t.Context()) {
		if ev.Kind == process.KindOutputMerged {
			break
		}
	}
	if err := rt.Pause(t.Context(), p.ID()); err != nil {
		t.Fatal(err)
	}
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}

	rt = open()
	rec, err := rt.Process(t.Context(), p.ID())
	if err != nil || rec.State != process.Running || !rec.Paused {
		t.Fatalf("%+v, %v", rec, err)
	}
	if err := rt.Resume(t.Context(), p.ID()); err != nil {
		t.Fatal(err)
	}
	if err := rt.Close(); err != nil { // canceled: it was working
		t.Fatal(err)
	}

	rt = open()
	defer rt.Close()
	again, err := rt.Run(t.Context(), p.ID(), reeve.RunOptions{Resume: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Cancel(); err != nil {
		t.Fatal(err)
	}
	if _, err := again.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	runs, err := rt.Runs(t.Context(), p.ID())
	if err != nil || len(runs) != 2 || runs[1].ExitState != process.ExitCanceled || runs[1].StdoutBytes != 4 || runs[0].StdoutBytes != 0 {
		t.Errorf("%+v, %v", runs, err)
	}
	if all, err := rt.Transcript(t.Context(), p.ID(), 0, 10); err != nil || len(all) != 1 || all[0].Text != "a" {
		t.Errorf("%+v, %v", all, err)
	}
}
