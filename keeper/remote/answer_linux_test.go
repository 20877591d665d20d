package remote

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/internal/wire"
)

// The answer to a spawn may be read when its keeper is known to be lost
// already: the job runs, and is held here like all others.
func TestAnswerOfALostKeeper(t *testing.T) {
	if r := keeper.Probe()[0]; !r.Available {
		t.Skip(r.Reason)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	c, err := Connect(ctx, Config{Dir: filepath.Join(t.TempDir(), "keeper"), Tier: keeper.TierCgroup2})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	known, err := c.Spawn(ctx, keeper.Spec{Name: "known", Path: "/bin/sleep", Args: []string{"1000"}})
	if err != nil {
		t.Fatal(err)
	}
	j, l, err := c.expect("late")
	if err != nil {
		t.Fatal(err)
	}
	_ = syscall.Kill(l.peer.PID, syscall.SIGKILL)
	<-l.decided
	info := Info{Name: "late", Trace: known.(*remoteJob).now().Trace} // of the same program
	if _, err := c.begun(j, wire.Frame{Kind: answer, Body: encode(info)}); err != nil {
		t.Fatal(err)
	}
	look, over := context.WithCancel(ctx)
	over()
	if exit, err := j.Wait(look); !errors.Is(err, context.Canceled) {
		t.Errorf("it is said to have ended: %+v, %v", exit, err)
	}
	j.Kill()
	if err := j.WaitEmpty(ctx); err != nil {
		t.Error(err)
	}
	known.Kill()
	if err := known.WaitEmpty(ctx); err != nil {
		t.Error(err)
	}
	j.Release()
	known.Release()
}
