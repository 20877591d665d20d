//go:build unix

package reeve_test

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/process"
)

// Dispositions set from outside hold for the real environments: a command does
// not see what is blocked, and dies when the grace is over.
func TestDispositionsOfACommand(t *testing.T) {
	rt := open(t, reeve.Config{})
	p := spawn(t, rt, reeve.Command("sleep", "1000").Grace(50*time.Millisecond))
	awaitEvent(t, rt, p.ID(), isKind(process.KindProcessStarted))
	if err := rt.SigBlock(bounded(t), p.ID(), reeve.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := rt.SigHandle(bounded(t), p.ID(), reeve.SIGINT, func(reeve.Signal) {}); err != nil {
		t.Fatal(err)
	}
	for _, s := range []reeve.Signal{reeve.SIGTERM, reeve.SIGINT} {
		if n, err := rt.Signal(bounded(t), p.ID(), s, reeve.SignalOptions{}); n != 1 || err != nil {
			t.Errorf("%v: %d, %v", s, n, err)
		}
	}
	if rec := record(t, rt, p.ID()); rec.State != process.Running {
		t.Fatalf("state %s", rec.State)
	}
	if err := p.Cancel(); err != nil {
		t.Fatal(err)
	}
	wait(t, p)
	if rec := record(t, rt, p.ID()); rec.ExitState != process.ExitCanceled || rec.Exit.Signal != "SIGKILL" {
		t.Errorf("%s, %+v", rec.ExitState, rec.Exit)
	}
	next := spawn(t, rt, reeve.Command("sleep", "1000"))
	awaitEvent(t, rt, next.ID(), isKind(process.KindProcessStarted))
	if err := rt.SigBlock(bounded(t), next.ID(), reeve.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, err := rt.Signal(bounded(t), next.ID(), reeve.SIGTERM, reeve.SignalOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := rt.SigUnblock(bounded(t), next.ID(), reeve.SIGTERM); err != nil {
		t.Fatal(err)
	}
	wait(t, next)
	if rec := record(t, rt, next.ID()); rec.Exit.Signal != "SIGTERM" || rec.ExitState != process.ExitFailed {
		t.Errorf("%s, %+v", rec.ExitState, rec.Exit)
	}
}

func TestTraceOfACommand(t *testing.T) {
	rt := open(t, reeve.Config{})
	p := spawn(t, rt, reeve.Sh("echo x; cat").Stdin([]byte("y")))
	q := spawn(t, rt, reeve.Command("sleep", "1000"))
	trace, err := rt.Trace(bounded(t), q.ID())
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	awaitEvent(t, rt, q.ID(), isKind(process.KindProcessStarted))
	if err := rt.Kill(bounded(t), q.ID(), reeve.KillOptions{}); err != nil {
		t.Fatal(err)
	}
	var last reeve.Syscall
	seen := map[string]bool{}
	for {
		c, err := trace.Next(bounded(t))
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		last, seen[c.Call] = c, true
	}
	if last.Call != process.CallReap || !seen["Kill"] || !seen["Exited"] {
		t.Errorf("%v, the last was %+v", seen, last)
	}
	wait(t, p)
	_, err = rt.Trace(bounded(t), p.ID())
	if se := (*reeve.SyscallError)(nil); !errors.Is(err, reeve.ErrNotRunning) || !errors.As(err, &se) || se.Code != reeve.CodeNotFound {
		t.Errorf("trace of the finished: %v", err)
	}
}
