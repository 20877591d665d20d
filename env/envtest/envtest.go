// Package envtest is the conformance suite of the environment contract: every
// environment runs it, the fake included.
package envtest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// Specs are programs for the environment under test.
type Specs struct {
	Hello     *process.Spec // writes "hello\n" to stdout, "oops\n" to stderr, succeeds
	Fail      *process.Spec // fails with an error
	Hang      *process.Spec // runs until asked to stop
	Stubborn  *process.Spec // runs until killed
	Unstarted *process.Spec // cannot be started; nil: there is no such thing

	Host   func(*testing.T) *Host // for environments that need one that answers; nil: NewHost
	Silent bool                   // the environment writes no output of its own
	Quiet  bool                   // it writes nothing to stderr
}

// Run checks an environment. open returns a fresh one, not set up.
func Run(t *testing.T, open func(t *testing.T) env.Environment, s Specs) {
	s.check(t)
	setup := func(t *testing.T) env.Environment {
		e := open(t)
		if err := e.Setup(t.Context()); err != nil {
			t.Fatal("setup:", err)
		}
		t.Cleanup(func() { _ = e.Teardown(context.Background()) })
		return e
	}
	t.Run("success and output", func(t *testing.T) {
		h := s.host(t)
		res, err := setup(t).Execute(t.Context(), input(1, s.Hello), h)
		if err != nil || res.State != process.ExitSuccess {
			t.Fatalf("got %+v, %v, want success", res, err)
		}
		if !h.WasStarted() {
			t.Error("Started was not called")
		}
		complaint := "oops\n"
		if s.Quiet {
			complaint = ""
		}
		if out, errs := h.Text(process.Stdout), h.Text(process.Stderr); !s.Silent && (out != "hello\n" || errs != complaint) {
			t.Errorf("stdout %q, stderr %q", out, errs)
		}
	})
	t.Run("failure has a text", func(t *testing.T) {
		res, err := setup(t).Execute(t.Context(), input(1, s.Fail), s.host(t))
		if res.State == process.ExitSuccess {
			t.Fatal("it succeeded")
		}
		if err == nil && (res.Exit == nil || res.Exit.Reason == "") {
			t.Errorf("no error and no exit: %+v", res)
		}
	})
	if s.Unstarted != nil {
		t.Run("cannot be started", func(t *testing.T) {
			h := s.host(t)
			_, err := setup(t).Execute(t.Context(), input(1, s.Unstarted), h)
			if _, ok := err.(*env.SpawnError); !ok {
				t.Fatalf("got %T %v, want *env.SpawnError", err, err)
			}
			if h.WasStarted() {
				t.Error("Started was called")
			}
		})
	}
	t.Run("context ends it", func(t *testing.T) {
		for _, cause := range []error{process.ErrCanceled, process.ErrTimeout} {
			ctx, cancel := context.WithCancelCause(t.Context())
			h := s.host(t)
			done := execute(ctx, setup(t), input(1, s.Hang), h)
			<-h.Began
			cancel(cause)
			await(t, done)
		}
	})
	t.Run("kill ends it", func(t *testing.T) {
		e, h := setup(t), s.host(t)
		done := execute(t.Context(), e, input(7, s.Stubborn), h)
		<-h.Began
		e.Kill(7)
		e.Kill(7)
		await(t, done)
		e.Kill(7)
	})
	t.Run("kill of the unknown is ignored", func(t *testing.T) {
		setup(t).Kill(99)
	})
	t.Run("kill reaches its own run only", func(t *testing.T) {
		e, h1, h2 := setup(t), s.host(t), s.host(t)
		one := execute(t.Context(), e, input(1, s.Stubborn), h1)
		two := execute(t.Context(), e, input(2, s.Stubborn), h2)
		<-h1.Began
		<-h2.Began
		e.Kill(1)
		await(t, one)
		select {
		case <-two:
			t.Error("the other run ended too")
		default:
		}
		e.Kill(2)
		await(t, two)
	})
	t.Run("the same id twice is refused", func(t *testing.T) {
		e, h := setup(t), s.host(t)
		done := execute(t.Context(), e, input(1, s.Stubborn), h)
		<-h.Began
		_, err := e.Execute(t.Context(), input(1, s.Hello), s.host(t))
		if err == nil || !strings.Contains(err.Error(), "already running") {
			t.Errorf("got %v, want already running", err)
		}
		e.Kill(1)
		await(t, done)
	})
	t.Run("teardown ends what runs", func(t *testing.T) {
		e, h := setup(t), s.host(t)
		done := execute(t.Context(), e, input(1, s.Stubborn), h)
		<-h.Began
		if err := e.Teardown(t.Context()); err != nil {
			t.Error(err)
		}
		await(t, done)
	})
	t.Run("canceled before it starts", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(process.ErrCanceled)
		h := s.host(t)
		res, err := setup(t).Execute(ctx, input(1, s.Hello), h)
		if err != nil || res.State != process.ExitCanceled || h.WasStarted() {
			t.Errorf("got %+v, %v, started %v; want canceled without a start", res, err, h.WasStarted())
		}
	})
	if _, ok := open(t).(env.Signaler); ok {
		runSignals(t, setup, s)
	}
	if _, ok := open(t).(env.Pauser); ok {
		runPauses(t, setup, s)
	}
	if _, ok := open(t).(env.Resumable); ok {
		runResumes(t, setup, s)
	}
	t.Run("docs", func(t *testing.T) {
		if open(t).Docs() == "" {
			t.Error("empty")
		}
	})
}

func (s Specs) check(t *testing.T) {
	for _, spec := range []*process.Spec{s.Hello, s.Fail, s.Hang, s.Stubborn} {
		if spec == nil {
			t.Fatal("a spec is missing")
		}
	}
}

func (s Specs) host(t *testing.T) *Host {
	if s.Host == nil {
		return NewHost(t)
	}
	return s.Host(t)
}

func input(id process.ID, s *process.Spec) env.Input { return env.Input{EID: id, Run: 1, Spec: s} }

func execute(ctx context.Context, e env.Environment, in env.Input, h env.Host) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := e.Execute(ctx, in, h)
		done <- err
	}()
	return done
}

// await fails the test rather than hang it.
func await(t *testing.T, done <-chan error) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("Execute did not resolve")
	}
}
