package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/env/agent"
	"github.com/reeverun/reeve/env/agent/agenttest"
	"github.com/reeverun/reeve/process"
)

// A signal lets the step finish, and ends the run before the next.
func TestSignalEndsAfterTheStep(t *testing.T) {
	for s, want := range map[process.Signal]process.Exit{
		process.SIGTERM: {Code: 143, Reason: "signal: terminated", Signal: "SIGTERM"},
		process.SIGINT:  {Code: 130, Reason: "signal: interrupt", Signal: "SIGINT"},
	} {
		t.Run(s.String(), func(t *testing.T) {
			eachProvider(t, func(t *testing.T, w *world) {
				calling, answer := make(chan struct{}), make(chan struct{})
				w.host.OnCall = func(context.Context, string, string, json.RawMessage) (json.RawMessage, error) {
					close(calling)
					<-answer
					return json.RawMessage(`"ok"`), nil
				}
				w.server.Script(agenttest.Ask(agenttest.Call{Name: "svc__slow", Args: "{}"}))
				done := w.start(t.Context(), spec("x"))
				<-calling
				if err := w.env.Signal(1, s); err != nil {
					t.Fatal(err)
				}
				close(answer)
				e := w.await(done)
				if e.err != nil || e.res.State != process.ExitFailed || e.res.Exit == nil || *e.res.Exit != want {
					t.Errorf("got %+v %+v, %v", e.res, e.res.Exit, e.err)
				}
				if all := w.transcript(); len(all) != 4 || all[3].Text != "ok" {
					t.Errorf("the step was not finished: %v", roles(all))
				}
				if n := len(w.server.Requests()); n != 1 {
					t.Errorf("%d questions, want 1", n)
				}
			}, withTools("slow"))
		})
	}
}

// A last word that comes within the grace is the result all the same.
func TestSignalDoesNotUndoTheResult(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		answer := make(chan struct{})
		turn := agenttest.Say("done")
		turn.Wait = answer
		w.server.Script(turn)
		done := w.start(t.Context(), spec("x"))
		w.server.Await(1)
		_ = w.env.Signal(1, process.SIGTERM)
		close(answer)
		if e := w.await(done); e.err != nil || e.res.State != process.ExitSuccess {
			t.Errorf("got %+v, %v", e.res, e.err)
		}
	})
}

// The context's end is a wish, too; the host kills after the grace.
func TestCancelEndsAfterTheStepAndKillAtOnce(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.server.Script(agenttest.Hang())
		ctx, cancel := context.WithCancelCause(t.Context())
		done := w.start(ctx, spec("x"))
		w.server.Await(1)
		cancel(process.ErrCanceled)
		select {
		case e := <-done:
			t.Fatalf("it did not finish its step: %+v", e)
		case <-time.After(20 * time.Millisecond): // nothing shall happen: there is no event to wait for
		}
		w.env.Kill(1)
		if e := w.await(done); e.err != nil || e.res.State != process.ExitCanceled {
			t.Errorf("got %+v, %v", e.res, e.err)
		}
	})
}

func TestKillEndsToolCalls(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		calling := make(chan struct{})
		w.host.OnCall = func(ctx context.Context, _, _ string, _ json.RawMessage) (json.RawMessage, error) {
			close(calling)
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		w.server.Script(agenttest.Ask(agenttest.Call{Name: "svc__slow", Args: "{}"}))
		done := w.start(t.Context(), spec("x"))
		<-calling
		w.env.Kill(1)
		if e := w.await(done); e.err != nil || e.res.State != process.ExitCanceled {
			t.Errorf("got %+v, %v", e.res, e.err)
		}
		if all := w.transcript(); len(all) != 3 {
			t.Errorf("an unfinished step has results: %v", roles(all))
		}
	}, withTools("slow"))
}

// Nobody waits for a server that wants to be left alone.
func TestSignalAndCancelDoNotWaitForTheNextTry(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		resting := make(chan struct{}, 1)
		w.env = reopen(w, func(c *agent.Config) {
			c.Sleep = func(ctx context.Context, _ time.Duration) error {
				resting <- struct{}{}
				<-ctx.Done()
				return ctx.Err()
			}
		})
		w.server.Script(agenttest.Fault(500))
		done := w.start(t.Context(), spec("x"))
		<-resting
		_ = w.env.Signal(1, process.SIGTERM)
		if e := w.await(done); e.res.Exit == nil || e.res.Exit.Code != 143 {
			t.Errorf("signal: %+v, %v", e.res, e.err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done = w.start(ctx, spec("x"))
		<-resting
		cancel()
		if e := w.await(done); e.err != nil || e.res.State != process.ExitCanceled {
			t.Errorf("cancel: %+v, %v", e.res, e.err)
		}
	})
}

// A signal during a question that then fails ends the run as well: there is no
// next try.
func TestSignalBeforeTheNextTry(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.env = reopen(w, func(c *agent.Config) {
			c.Sleep = func(ctx context.Context, _ time.Duration) error {
				<-ctx.Done()
				return ctx.Err()
			}
		})
		fail := make(chan struct{})
		turn := agenttest.Fault(500)
		turn.Wait = fail
		w.server.Script(turn)
		done := w.start(t.Context(), spec("x"))
		w.server.Await(1)
		_ = w.env.Signal(1, process.SIGINT)
		close(fail)
		if e := w.await(done); e.res.Exit == nil || e.res.Exit.Code != 130 {
			t.Errorf("got %+v, %v", e.res, e.err)
		}
	})
}

// reopen makes another environment for the same world.
func reopen(w *world, change ...func(*agent.Config)) *agent.Env {
	provider := agent.OpenAI
	if strings.HasSuffix(w.t.Name(), agent.Anthropic) {
		provider = agent.Anthropic
	}
	e := open(w.t, w.server, provider, 0, change...)
	if err := e.Setup(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = e.Teardown(context.Background()) })
	return e
}

// Now cancels the question and asks it again on resume; it is no retry and no
// step.
func TestPauseNowRepeatsTheQuestion(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		amid := agenttest.Say("half of it")
		amid.Piece, amid.Silent = 2, 4
		w.server.Script(amid, agenttest.Say("all of it"))
		s := spec("x")
		s.Options.MaxSteps = 1
		done := w.start(t.Context(), s)
		w.server.Await(1)
		if err := w.env.Pause(t.Context(), 1, true); err != nil {
			t.Fatal(err)
		}
		if n := len(w.server.Requests()); n != 1 {
			t.Errorf("%d questions while paused", n)
		}
		_ = w.env.Resume(1)
		if e := w.await(done); e.res.State != process.ExitSuccess || w.host.Data()["result"] != "all of it" {
			t.Errorf("got %+v, %v, %v", e.res, e.err, w.host.Data())
		}
		one, two := w.server.Requests()[0], w.server.Requests()[1]
		if string(one.Body) != string(two.Body) {
			t.Errorf("the question changed:\n%s\n%s", one.Body, two.Body)
		}
		if st := w.steps(); len(st) != 1 || st[0].Retries != 0 || len(w.rests.list()) != 0 {
			t.Errorf("steps %+v, pauses %v", st, w.rests.list())
		}
	})
}

// A pause amid the last step does not keep its answer from being the result.
func TestPauseAmidTheLastStep(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		answer := make(chan struct{})
		turn := agenttest.Say("done")
		turn.Wait = answer
		w.server.Script(turn)
		done := w.start(t.Context(), spec("x"))
		w.server.Await(1)
		if err := w.env.Pause(t.Context(), 1, false); err != nil {
			t.Fatal(err)
		}
		close(answer)
		if e := w.await(done); e.res.State != process.ExitSuccess {
			t.Errorf("got %+v, %v", e.res, e.err)
		}
		if err := w.env.Pause(t.Context(), 1, false); !errors.Is(err, process.ErrNotRunning) {
			t.Errorf("a pause of what has ended: %v", err)
		}
	})
}

// A signaled run whose step does not end within the grace is given up.
func TestSignaledWithinTheGrace(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.server.Script(agenttest.Hang())
		done := w.start(t.Context(), spec("x"))
		w.server.Await(1)
		if err := w.env.Signal(1, process.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if e := w.await(done); e.err != nil || e.res.Exit == nil || e.res.Exit.Code != 143 {
			t.Errorf("got %+v, %v", e.res, e.err)
		}
	})
}

// A signal to a paused run waits for its resume.
func TestSignalWaitsForResume(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.server.Script(agenttest.Hang())
		done := w.start(t.Context(), spec("x"))
		w.server.Await(1)
		if err := w.env.Pause(t.Context(), 1, true); err != nil {
			t.Fatal(err)
		}
		_ = w.env.Signal(1, process.SIGTERM)
		select {
		case e := <-done:
			t.Fatalf("it ended while paused: %+v", e)
		case <-time.After(20 * time.Millisecond):
		}
		_ = w.env.Resume(1)
		if e := w.await(done); e.res.Exit == nil || e.res.Exit.Code != 143 {
			t.Errorf("got %+v, %v", e.res, e.err)
		}
	})
}

// A pause during the wait between two tries is at once, and the wait goes on
// after it.
func TestPauseBetweenTries(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		resting := make(chan time.Duration, 4)
		w.env = reopen(w, func(c *agent.Config) {
			first := true
			c.Sleep = func(ctx context.Context, d time.Duration) error {
				resting <- d
				if first {
					first = false
					<-ctx.Done()
				}
				return ctx.Err()
			}
		})
		w.server.Script(agenttest.Fault(429).With("Retry-After", "60"), agenttest.Say("ok"))
		done := w.start(t.Context(), spec("x"))
		<-resting
		if err := w.env.Pause(t.Context(), 1, false); err != nil {
			t.Fatal(err)
		}
		_ = w.env.Resume(1)
		if left := <-resting; left < 50*time.Second {
			t.Errorf("only %v were left", left)
		}
		if e := w.await(done); e.res.State != process.ExitSuccess {
			t.Errorf("got %+v, %v", e.res, e.err)
		}
	})
}

// What a question took that was given up counts, where it is known.
func TestInterruptedQuestionsCount(t *testing.T) {
	w := newWorld(t, agent.Anthropic)
	amid := agenttest.Say("half of it")
	amid.Piece, amid.Silent, amid.Usage = 2, 6, agenttest.Usage{Input: 100, Output: 9}
	w.server.Script(amid, agenttest.Say("all of it"))
	done := w.start(t.Context(), spec("x"))
	for !strings.HasPrefix(w.host.Text(process.Stdout), "half") {
		time.Sleep(time.Millisecond)
	}
	if err := w.env.Pause(t.Context(), 1, true); err != nil {
		t.Fatal(err)
	}
	_ = w.env.Resume(1)
	w.await(done)
	if got := w.host.Spent(); got != 101+15 {
		t.Errorf("spent %d, want 116", got)
	}
}
