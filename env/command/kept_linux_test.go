package command_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/reeverun/reeve/env/command"
	"github.com/reeverun/reeve/keeper/remote"
)

// A keeper makes a job's file, starts the job, and writes into the file. Of one
// that was killed in between nobody knows whether it had started the job: the run
// is held, as one that has begun and is over, so that it is not begun again.
func TestStartThatWasUnderWayIsHeld(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "jobs"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "jobs", "7-1"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	keeper, err := remote.Connect(ctx, remote.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer keeper.Close()
	defer func() {
		if err := keeper.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	}()
	e := command.NewKept(keeper)
	if h, ok := e.Held(7, 1); !ok || h.Started.IsZero() || h.Ended.IsZero() {
		t.Errorf("held %v: %+v; want it held, begun and over", ok, h)
	}
	if h, ok := e.Held(8, 1); ok {
		t.Errorf("held: %+v, but there is no such run", h)
	}
}
