package reeve_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reeverun/reeve"
)

// parked is a function that runs until it is ended, and says when it began.
func parked(begun chan<- struct{}) func(context.Context, *reeve.FuncCall) error {
	return func(ctx context.Context, _ *reeve.FuncCall) error {
		begun <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
}

// Signals of functions as the seed has them: blocked ones are pending and
// coalesce, handlers replace the default, SIGKILL is absolute, errors are typed.
func TestIssue5SignalsOfFunctions(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	rt, err := reeve.Open(ctx, reeve.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	begun := make(chan struct{}, 8)
	p, err := rt.Spawn(ctx, reeve.Func("parked", parked(begun)))
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	wantCode := func(err error, code reeve.SyscallCode) {
		t.Helper()
		var sys *reeve.SyscallError
		if !errors.As(err, &sys) || sys.Code != code {
			t.Errorf("%v, want %v", err, code)
		}
	}
	wantCode(rt.SigBlock(ctx, p.ID(), reeve.SIGKILL), reeve.CodeInvalid)
	wantCode(rt.SigBlock(ctx, 9999, reeve.SIGTERM), reeve.CodeNotFound)
	_, err = rt.Signal(ctx, p.ID(), reeve.Signal(99), reeve.SignalOptions{})
	wantCode(err, reeve.CodeInvalid)
	_, err = rt.Signal(ctx, 9999, reeve.SIGTERM, reeve.SignalOptions{})
	wantCode(err, reeve.CodeNotFound)
	var handled atomic.Int64
	if err := rt.SigHandle(ctx, p.ID(), reeve.SIGINT, func(reeve.Signal) { handled.Add(1) }); err != nil {
		t.Fatal(err)
	}
	if err := rt.SigBlock(ctx, p.ID(), reeve.SIGINT); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := rt.Signal(ctx, p.ID(), reeve.SIGINT, reeve.SignalOptions{}); err != nil {
			t.Error(err)
		}
	}
	if n := handled.Load(); n != 0 {
		t.Errorf("handled %d while blocked", n)
	}
	if err := rt.SigUnblock(ctx, p.ID(), reeve.SIGINT); err != nil {
		t.Error(err)
	}
	for handled.Load() == 0 && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	if _, err := rt.Signal(ctx, p.ID(), reeve.SIGINT, reeve.SignalOptions{}); err != nil {
		t.Error(err)
	}
	for handled.Load() < 2 && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	if n := handled.Load(); n != 2 {
		t.Errorf("handled %d times, want 2: pending ones coalesce", n)
	}
	if err := rt.SigBlock(ctx, p.ID(), reeve.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := rt.Kill(ctx, p.ID(), reeve.KillOptions{Now: true}); err != nil {
		t.Error(err)
	}
	for range 3 {
		if o, err := rt.Wait(ctx, p.ID()); err != nil || o.Kind != "cancelled" {
			t.Errorf("%v %v", o, err)
		}
	}
	_, err = rt.Signal(ctx, p.ID(), reeve.SIGTERM, reeve.SignalOptions{})
	wantCode(err, reeve.CodeNotFound)
	wantCode(rt.SigBlock(ctx, p.ID(), reeve.SIGTERM), reeve.CodeNotFound)
	wantCode(rt.SigUnblock(ctx, p.ID(), reeve.SIGTERM), reeve.CodeNotFound)
}

// A function has a budget as all have, and refuses what cannot be done to it.
func TestIssue5BudgetAndPauseOfFunctions(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	rt, err := reeve.Open(ctx, reeve.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	begun := make(chan struct{}, 8)
	p, err := rt.Spawn(ctx, reeve.Func("parked", parked(begun)).Budget(reeve.Budget{WallMS: 100}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(ctx); err != nil {
		t.Error(err)
	}
	rec, err := rt.Process(ctx, p.ID())
	if err != nil || rec.Exit == nil || rec.Exit.Code != 2 || rec.Exit.Reason != "budget_exceeded" {
		t.Errorf("%+v %v", rec.Exit, err)
	}
	<-begun
	q, err := rt.Spawn(ctx, reeve.Func("parked", parked(begun)))
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	var sys *reeve.SyscallError
	if err := rt.Pause(ctx, q.ID()); !errors.As(err, &sys) || sys.Code != reeve.CodeInvalid {
		t.Errorf("a function cannot be stopped, and says so: %v", err)
	}
	if err = rt.Kill(ctx, q.ID(), reeve.KillOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := q.Wait(ctx); err != nil {
		t.Error(err)
	}
	if rec, err = rt.Process(ctx, q.ID()); err != nil || rec.Exit == nil || rec.Exit.Code != 130 {
		t.Errorf("%+v %v", rec.Exit, err)
	}
}
