package function

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

type racingCtx struct {
	context.Context
	hit func()
}

func (c racingCtx) Err() error { err := c.Context.Err(); c.hit(); return err }

type nullHost struct{ env.Host }

func (nullHost) Started(int, process.Enforced)         {}
func (nullHost) Exited(process.Exit)                   {}
func (nullHost) File(process.Stream) (*os.File, error) { return nil, nil }
func (nullHost) Write(process.Stream, []byte) error    { return nil }
func (nullHost) Output(map[string]any)                 {}
func (nullHost) Timing() env.Timing                    { return env.Timing{} }

// The kill comes between Execute's look at ctx and its entry: it is lost.
func TestKillBeforeEnter(t *testing.T) {
	e := New(nil)
	ctx, cancel := context.WithCancelCause(context.Background())
	var once sync.Once
	rc := racingCtx{ctx, func() { once.Do(func() { cancel(process.ErrCanceled); e.Kill(7) }) }}
	release := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = e.Execute(rc, env.Input{EID: 7, Run: 1, Spec: &process.Spec{Code: "f"},
			Payload: Func(func(context.Context, *Call) error { <-release; return nil })}, nullHost{})
	}()
	select {
	case <-ended:
	case <-time.After(time.Second):
		t.Error("the kill was lost: Execute waits for the function")
	}
	close(release)
	<-ended
}
