package kernel

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/process"
)

// The exit reasons and codes of the process model, to the letter.
func TestExitReasons(t *testing.T) {
	for _, c := range []struct {
		script string
		do     func(*testing.T, *fixture, process.ID)
		exit   process.Exit
		state  process.ExitState
		err    string
	}{
		{script: "out hi", exit: process.Exit{Code: 0, Reason: "completed"}, state: process.ExitSuccess},
		{script: "goexit", exit: process.Exit{Code: 1, Reason: "unexpected exit"}, state: process.ExitFailed, err: "unexpected exit"},
		{script: "end 1 max steps exceeded", exit: process.Exit{Code: 1, Reason: "max steps exceeded"}, state: process.ExitFailed, err: "max steps exceeded"},
		{script: "spend 1200\nhang", exit: process.Exit{Code: 2, Reason: "budget_exceeded"}, state: process.ExitFailed,
			err: "budget_exceeded: process 1 used 1200 of 1000 tokens"},
		{script: "hang", do: killWhilePaused, exit: process.Exit{Code: 1, Reason: "context cancelled while paused"}, state: process.ExitCanceled},
		{script: "fail the model did not answer", exit: process.Exit{Code: 1, Reason: "the model did not answer"}, state: process.ExitFailed,
			err: "the model did not answer"},
		{script: "panic oops", exit: process.Exit{Code: 1, Reason: "panic: oops"}, state: process.ExitFailed, err: "panic: oops"},
		{script: "spawnfail no such model", exit: process.Exit{Code: 1, Reason: "no such model"}, state: process.ExitFailed, err: "no such model"},
	} {
		t.Run(c.exit.Reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, 0)
				defer f.shut(t)
				id := f.bounded(t, 0, process.Budget{Tokens: 1000}, c.script)
				if c.do != nil {
					c.do(t, f, id)
				}
				rec := f.wait(t, id)
				if *rec.Exit != c.exit || rec.ExitState != c.state || rec.Error != c.err {
					t.Errorf("%+v, %s, %q", *rec.Exit, rec.ExitState, rec.Error)
				}
			})
		})
	}
}

func killWhilePaused(t *testing.T, f *fixture, id process.ID) {
	time.Sleep(time.Second)
	f.pause(t, id)
	if err := f.Kill(context.Background(), id, KillOptions{}); err != nil {
		t.Fatal(err)
	}
}
