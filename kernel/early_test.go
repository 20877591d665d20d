package kernel

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/process"
)

// enclosedEnv is the fake as an env.Enclosed.
type enclosedEnv struct{ *envfake.Env }

func (enclosedEnv) Enclosed() {}

// heldCreate is a rig whose first commit waits for release. All fail with the
// error that it is sent, until another one is.
func heldCreate(t *testing.T) (r *rig, release func(error)) {
	first := make(chan struct{})
	var fails atomic.Pointer[error]
	release = func(err error) {
		if old := fails.Swap(&err); old == nil {
			close(first)
		}
	}
	r = newRig(t, 0, func(c *Config) {
		e := c.Environments["fake"]
		e.Environment = enclosedEnv{e.Environment.(*envfake.Env)}
		c.Environments["fake"] = e
	})
	r.st.apply = func(next func() error) error {
		<-first
		if err := *fails.Load(); err != nil {
			return err
		}
		return next()
	}
	return r, release
}

// A run of an enclosed environment begins while its creation is being stored.
// Nothing of it is to be seen before.
func TestEarlyStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, release := heldCreate(t)
		spawned := make(chan process.ID, 1)
		go func() { spawned <- r.start(t, 0, "out first\noutput {\"a\":1}\nout second") }()
		synctest.Wait()
		if n := len(r.fake.Executed()); n != 1 {
			t.Fatalf("%d runs have begun", n)
		}
		if p := r.table.get(1); p.log != nil || p.view.Load().State == process.Running {
			t.Errorf("it left a trace: %+v", p.view.Load())
		}
		release(nil)
		id := <-spawned
		rec, err := r.Wait(t.Context(), id)
		if err != nil || !rec.Outcome.Succeeded() || rec.StdoutBytes != int64(len("first\nsecond\n")) || rec.Output["a"] != 1.0 {
			t.Errorf("%+v, %v", rec, err)
		}
	})
}

// A creation that cannot be stored ends the run that began meanwhile, which has
// done nothing.
func TestEarlyStartThatFails(t *testing.T) {
	for _, script := range []string{"out never", "call s t", "spawn {}", "output {\"a\":1}", "hang", "deaf"} {
		t.Run(script, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, release := heldCreate(t)
				failed := make(chan error, 1)
				go func() {
					_, err := r.Spawn(context.Background(), Request{Spec: process.Spec{Environment: "fake", Code: script}})
					failed <- err
				}()
				synctest.Wait()
				disk := errors.New("disk full")
				release(disk)
				if err := <-failed; !errors.Is(err, disk) {
					t.Errorf("spawn: %v", err)
				}
				r.fake.Release()
				r.runs.Wait()
				if n := r.table.len(); n != 0 {
					t.Errorf("%d in the table", n)
				}
				if _, err := r.Process(t.Context(), 1); !errors.Is(err, process.ErrNotFound) {
					t.Errorf("it exists: %v", err)
				}
				if n := r.active.Load(); n != 0 {
					t.Errorf("%d are active", n)
				}
				if _, cursor := r.events.last(); cursor != 0 {
					t.Errorf("events were told, up to %d", cursor)
				}
				release(nil)
				// The next one is not hindered.
				id := r.start(t, 0, "out fine")
				if rec, err := r.Wait(t.Context(), id); err != nil || !rec.Outcome.Succeeded() {
					t.Errorf("%+v, %v", rec, err)
				}
			})
		})
	}
}
