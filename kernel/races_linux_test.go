package kernel

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
)

// Output that cannot be read must not keep the run from ending.
func TestUnreadableOutputEnds(t *testing.T) {
	dir := t.TempDir()
	w := &writerEnv{run: func(ctx context.Context, h env.Host) {
		_ = h.Write(process.Stdout, []byte("one\n"))
		time.Sleep(50 * time.Millisecond)
		path := filepath.Join(dir, "1", "1.stdout")
		blind, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			panic(err)
		}
		defer blind.Close()
		fds, _ := os.ReadDir("/proc/self/fd")
		for _, e := range fds { // every descriptor of the log: reads fail from now on
			n, _ := strconv.Atoi(e.Name())
			if to, _ := os.Readlink("/proc/self/fd/" + e.Name()); to == path && n != int(blind.Fd()) {
				_ = syscall.Dup3(int(blind.Fd()), n, syscall.O_CLOEXEC)
			}
		}
		_ = h.Write(process.Stdout, []byte("two\n"))
		time.Sleep(100 * time.Millisecond)
	}}
	logs, err := rawlog.New(rawlog.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, 0, func(c *Config) {
		c.Environments["w"] = Environment{Environment: w}
		c.Logs, c.RawOutput = logs, process.Persist
	})
	id, err := r.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "w", Code: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if _, err := r.Wait(ctx, id); err != nil {
		t.Errorf("the run never ends, its pump spins: %v", err)
	}
}

// slowKill is an environment whose Kill was preempted.
type slowKill struct {
	end1, asked, goOn, killed chan struct{}
}

func (*slowKill) Setup(context.Context) error    { return nil }
func (*slowKill) Docs() string                   { return "" }
func (*slowKill) Teardown(context.Context) error { return nil }
func (s *slowKill) Kill(process.ID)              { close(s.asked); <-s.goOn; close(s.killed) }
func (s *slowKill) Execute(ctx context.Context, in env.Input, h env.Host) (env.Result, error) {
	h.Started(0, process.Enforced{})
	if in.Run == 1 {
		<-s.end1 // it obeys SIGTERM just before the kill arrives
		return env.Result{State: process.ExitCanceled}, nil
	}
	select {
	case <-s.killed:
		return env.Result{Exit: &process.Exit{Code: 137, Reason: "signal: killed", Signal: "SIGKILL"}}, nil
	case <-time.After(300 * time.Millisecond):
		return env.Result{State: process.ExitSuccess}, nil
	}
}

// The kill of one run must not reach the next one.
func TestLateKillHitsNextRun(t *testing.T) {
	s := &slowKill{make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})}
	r := newRig(t, 0, func(c *Config) { c.Environments["s"] = Environment{Environment: s} })
	id, err := r.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "s", Code: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	r.await(t, id, "running", isRunning)
	if err := r.Kill(t.Context(), id, KillOptions{Now: true}); err != nil {
		t.Fatal(err)
	}
	<-s.asked
	close(s.end1)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := r.Wait(ctx, id); err != nil {
		close(s.goOn) // the run waits for its kill: well
		return
	}
	if err := r.Run(t.Context(), id, RunOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
	r.await(t, id, "running", isRunning)
	close(s.goOn)
	if rec, err := r.Wait(t.Context(), id); err != nil || rec.ExitState != process.ExitSuccess {
		t.Errorf("run 2, which nobody killed, is %s (%v)", rec.ExitState, rec.Exit)
	}
}
