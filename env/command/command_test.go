package command_test

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/command"
	"github.com/reeverun/reeve/env/envtest"
	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/process"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T) env.Environment {
	s, err := keeper.NewInProcess(keeper.Options{Name: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return command.New(s)
}

func sh(script string) *process.Spec {
	return &process.Spec{Environment: process.EnvCommand, Command: command.Shell(script)}
}

func TestConformance(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are for sh")
	}
	envtest.Run(t, open, envtest.Specs{
		Hello: sh("echo hello; echo oops >&2"), Fail: sh("exit 3"), Hang: sh("exec sleep 1000"),
		Stubborn: sh("trap '' TERM; while :; do sleep 0.1; done"), Unstarted: &process.Spec{Command: &process.Command{Program: "/nowhere"}},
	})
}

// A host without files gets the output through pipes.
type pipeHost struct{ *envtest.Host }

func (pipeHost) File(process.Stream) (*os.File, error) { return nil, nil }

func TestOutputThroughPipes(t *testing.T) {
	h := pipeHost{envtest.NewHost(t)}
	res, err := open(t).Execute(t.Context(), env.Input{EID: 1, Run: 1,
		Spec: sh("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; echo last >&2; sleep 60 &")}, h)
	if err != nil || res.State != process.ExitSuccess {
		t.Fatalf("%+v, %v", res, err)
	}
	if out := h.Text(process.Stdout); strings.Count(out, "\n") != 20000 || !strings.HasSuffix(out, "line 19999\n") {
		t.Errorf("%d bytes of stdout", len(out))
	}
	if errs := h.Text(process.Stderr); errs != "last\n" {
		t.Errorf("stderr %q", errs)
	}
}

// eager is a host that signals the program as soon as it hears of it.
type eager struct {
	*envtest.Host
	signal func() error
}

func (h *eager) Started(pid int, e process.Enforced) {
	if err := h.signal(); err != nil {
		panic(err)
	}
	h.Host.Started(pid, e)
}

func TestSignalReachesWhatHasJustStarted(t *testing.T) {
	e := open(t)
	signal := func() error { return e.(env.Signaler).Signal(1, process.SIGTERM) }
	res, err := e.Execute(t.Context(), env.Input{EID: 1, Run: 1, Spec: sh("exec sleep 1000")}, &eager{envtest.NewHost(t), signal})
	if err != nil || res.Exit == nil || res.Exit.Signal != "SIGTERM" {
		t.Errorf("%+v, %v", res, err)
	}
	pause := func() error { return e.(env.Pauser).Pause(t.Context(), 1, false) }
	h := &eager{envtest.NewHost(t), pause}
	done := make(chan error, 1)
	go func() {
		_, err := e.Execute(t.Context(), env.Input{EID: 1, Run: 1, Spec: sh("exec sleep 1000")}, h)
		done <- err
	}()
	<-h.Began
	e.Kill(1)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestCancelWhileSpawningIsNoSpawnError(t *testing.T) {
	e := open(t)
	for i := range 50 {
		ctx, cancel := context.WithCancelCause(t.Context())
		timer := time.AfterFunc(time.Duration(i*20)*time.Microsecond, func() { cancel(process.ErrCanceled) })
		res, err := e.Execute(ctx, env.Input{EID: process.ID(i + 1), Run: 1, Spec: sh("exec sleep 1000")}, envtest.NewHost(t))
		timer.Stop()
		if err != nil {
			t.Fatalf("%+v, %v", res, err)
		}
	}
}

func TestCPUSoFar(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are for sh")
	}
	e, h := open(t).(*command.Env), envtest.NewHost(t)
	if got := e.CPU(1); got != 0 {
		t.Errorf("of nobody: %v", got)
	}
	over := make(chan env.Result, 1)
	go func() {
		res, err := e.Execute(context.Background(), env.Input{EID: 1, Run: 1, Spec: sh("(while :; do :; done) & while :; do :; done")}, h)
		if err != nil {
			t.Error(err)
		}
		over <- res
	}()
	<-h.Began
	var seen time.Duration
	for from := time.Now(); seen < 50*time.Millisecond && time.Since(from) < 20*time.Second; seen = e.CPU(1) {
		time.Sleep(5 * time.Millisecond)
	}
	e.Kill(1)
	res := <-over
	if ms := seen.Milliseconds(); ms < 50 || res.Usage.CPUMS+20 < ms {
		t.Errorf("%d ms while it ran, %d ms at its end", ms, res.Usage.CPUMS)
	}
	if got := e.CPU(1); got != 0 {
		t.Errorf("after its end: %v", got)
	}
}
