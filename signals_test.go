package reeve_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/process"
)

// hasEnded says, in time, that a function's context is over.
func hasEnded(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// A function decides about its own signals: what it handles does not cancel it,
// what it blocks waits.
func TestFunctionDecidesAboutItsSignals(t *testing.T) {
	rt := open(t, reeve.Config{})
	handled, unblock := make(chan reeve.Signal, 10), make(chan struct{})
	p := spawn(t, rt, reeve.Func("careful", func(ctx context.Context, c *reeve.FuncCall) error {
		if err := c.Handle(reeve.SIGINT, func(s reeve.Signal) { handled <- s }); err != nil {
			return err
		}
		if err := c.Block(reeve.SIGTERM); err != nil {
			return err
		}
		if err := c.Block(reeve.SIGKILL); !errors.Is(err, reeve.ErrInvalid) {
			t.Errorf("block of SIGKILL: %v", err)
		}
		if err := c.Handle(reeve.SIGKILL, func(reeve.Signal) {}); !errors.Is(err, reeve.ErrInvalid) {
			t.Errorf("handler of SIGKILL: %v", err)
		}
		_, _ = io.WriteString(c.Stdout, "ready\n")
		<-unblock
		if hasEnded(ctx) {
			t.Error("a blocked signal has canceled it")
		}
		if err := c.Unblock(reeve.SIGTERM); err != nil {
			return err
		}
		<-ctx.Done()
		return context.Cause(ctx)
	}))
	awaitEvent(t, rt, p.ID(), isLine("ready"))
	for _, s := range []reeve.Signal{reeve.SIGINT, reeve.SIGINT, reeve.SIGTERM} {
		if n, err := rt.Signal(bounded(t), p.ID(), s, reeve.SignalOptions{}); n != 1 || err != nil {
			t.Errorf("%v: %d, %v", s, n, err)
		}
	}
	<-handled
	<-handled
	close(unblock)
	if o := wait(t, p); o.Kind != process.OutcomeCancelled {
		t.Errorf("%+v", o)
	}
	var actions []string
	for _, ev := range events(t, rt, p.ID()) {
		if d, ok := ev.Data.(process.SignalDelivered); ok {
			actions = append(actions, d.Signal+" "+d.Action)
		}
	}
	if want := []string{"SIGINT handler", "SIGINT handler", "SIGTERM pending", "SIGTERM terminate"}; !slices.Equal(actions, want) {
		t.Errorf("%v", actions)
	}
}

// A function that handles SIGTERM has the grace to finish what it is at.
func TestFunctionUsesItsGrace(t *testing.T) {
	rt := open(t, reeve.Config{})
	p := spawn(t, rt, reeve.Func("tidy", func(ctx context.Context, c *reeve.FuncCall) error {
		stop := make(chan struct{})
		if err := c.Handle(reeve.SIGTERM, func(reeve.Signal) { close(stop) }); err != nil {
			return err
		}
		_, _ = io.WriteString(c.Stdout, "ready\n")
		<-stop
		if hasEnded(ctx) {
			t.Error("the context is over though the signal was handled")
		}
		_, _ = io.WriteString(c.Stdout, "tidied\n")
		return nil
	}).Grace(time.Minute))
	awaitEvent(t, rt, p.ID(), isLine("ready"))
	if err := p.Cancel(); err != nil {
		t.Fatal(err)
	}
	if o := wait(t, p); o.Kind != process.OutcomeCancelled {
		t.Errorf("%+v", o)
	}
	if n := len(slices.DeleteFunc(events(t, rt, p.ID()), func(e reeve.Event) bool { return !isLine("tidied")(e) })); n != 1 {
		t.Errorf("it tidied %d times", n)
	}
}
