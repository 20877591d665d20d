package kernel

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store/memory"
)

// speaker is an environment whose program is a Go function.
type speaker struct {
	lateTeller
	speak func(context.Context, env.Host) error
}

func (s *speaker) Execute(ctx context.Context, _ env.Input, h env.Host) (env.Result, error) {
	h.Started(0, process.Enforced{})
	err := s.speak(ctx, h)
	return env.Result{State: process.ExitSuccess}, err
}

func (s *speaker) run(t *testing.T, f *fixture) process.ID {
	t.Helper()
	id, err := f.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "speaker"}})
	if err != nil {
		t.Fatal(err)
	}
	if rec := f.wait(t, id); rec.ExitState != process.ExitSuccess {
		t.Fatalf("%s: %s", rec.ExitState, rec.Error)
	}
	return id
}

func newSpeaker(t *testing.T, speak func(context.Context, env.Host) error) (*speaker, *fixture) {
	s := &speaker{speak: speak}
	f := newFixtureWith(t, 0, func(c *Config) { c.Environments["speaker"] = Environment{Environment: s} })
	t.Cleanup(func() { f.shut(t) })
	return s, f
}

// Messages are numbered by the host, from 1 and without a gap, whoever adds
// them, and across runs; they are stored when Remember returns.
func TestRememberNumbers(t *testing.T) {
	s, f := newSpeaker(t, nil)
	s.speak = func(ctx context.Context, h env.Host) error {
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				m := process.Message{Number: 99, Run: 99, Role: process.RoleUser, Text: fmt.Sprint(i)}
				if err := h.Remember(ctx, m, m); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		got, err := h.Transcript(ctx)
		if err == nil && len(got)%40 != 0 {
			err = fmt.Errorf("%d messages are stored", len(got))
		}
		return errors.Join(err, h.Remember(ctx))
	}
	id := s.run(t, f)
	if err := f.Run(t.Context(), id, RunOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
	f.wait(t, id)
	all, err := f.Transcript(t.Context(), id, 0, 1000)
	if err != nil || len(all) != 80 {
		t.Fatalf("%d messages, %v", len(all), err)
	}
	for i, m := range all {
		if m.Number != int64(i+1) || m.Run != 1+i/40 || m.At.IsZero() {
			t.Errorf("message %d: %+v", i+1, m)
		}
	}
	if page, err := f.Transcript(t.Context(), id, 38, 3); err != nil || len(page) != 3 || page[0].Number != 39 {
		t.Errorf("a page: %+v, %v", page, err)
	}
	if _, err := f.Transcript(t.Context(), 99, 0, 1); !errors.Is(err, process.ErrNotFound) {
		t.Errorf("of nobody: %v", err)
	}
}

// A long transcript is read page by page.
func TestTranscriptIsWhole(t *testing.T) {
	const n = 2*transcriptPage + 1
	s, f := newSpeaker(t, func(ctx context.Context, h env.Host) error {
		if err := h.Remember(ctx, make([]process.Message, n)...); err != nil {
			return err
		}
		all, err := h.Transcript(ctx)
		if len(all) != n || all[n-1].Number != n {
			return fmt.Errorf("%d messages, %v", len(all), err)
		}
		return err
	})
	s.run(t, f)
}

// What a model or a tool says is stored whatever bytes it is of, except what
// claims to be JSON and is not.
func TestRememberTidies(t *testing.T) {
	s, f := newSpeaker(t, func(ctx context.Context, h env.Host) error {
		calls := []process.MessageCall{{ID: "a\xff", Arguments: []byte("{ \"x\": \"\xff\" }")}}
		if err := h.Remember(ctx, process.Message{Text: "bad \xff", Calls: calls, Extra: []byte(" [1, 2] ")}); err != nil {
			return err
		}
		if string(calls[0].Arguments) != "{ \"x\": \"\xff\" }" {
			t.Error("the caller's own was changed")
		}
		if h.Remember(ctx, process.Message{Extra: []byte("{")}) == nil ||
			h.Remember(ctx, process.Message{Calls: []process.MessageCall{{Arguments: []byte("nope")}}}) == nil {
			t.Error("what is no JSON was taken")
		}
		return nil
	})
	all, err := f.Transcript(t.Context(), s.run(t, f), 0, 10)
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	if m := all[0]; m.Text != "bad \uFFFD" || string(m.Extra) != "[1,2]" || m.Calls[0].ID != "a\uFFFD" ||
		string(m.Calls[0].Arguments) != `{"x":"`+"\uFFFD"+`"}` {
		t.Errorf("%+v", m)
	}
}

// A run that has ended adds nothing.
func TestRememberIsOfTheRun(t *testing.T) {
	var late env.Host
	s, f := newSpeaker(t, func(_ context.Context, h env.Host) error { late = h; return nil })
	id := s.run(t, f)
	if err := late.Remember(t.Context(), process.Message{}); !errors.Is(err, process.ErrNotRunning) {
		t.Errorf("got %v", err)
	}
	if all, err := f.Transcript(t.Context(), id, 0, 10); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

// A run that is resumed goes on from the transcript, also if it has to wait for
// the next host to begin.
func TestResumedRunGoesOn(t *testing.T) {
	st := memory.New()
	a := newHeir(t, st, func(c *Config) {
		e := c.Environments["agent"]
		e.Slots = 1
		c.Environments["agent"] = e
	})
	id := a.spawnAgent(t, "out one\nremember user a\nfail broken\nout never", process.Options{})
	a.wait(t, id)
	again := a.spawnAgent(t, "remember user a\nhang", process.Options{}) // has the slot
	awaitMessages(t, a, again, 1)
	if err := a.Run(t.Context(), id, RunOptions{}); !errors.Is(err, process.ErrHasOutputs) {
		t.Errorf("without force: %v", err)
	}
	if err := a.Run(t.Context(), id, RunOptions{Resume: true}); err != nil {
		t.Fatal(err)
	}
	if rec := a.record(t, id); rec.State != process.Queued {
		t.Errorf("it is %s", rec.State)
	}
	a.shut(t)
	b := newHeir(t, st)
	defer b.shut(t)
	rec := b.wait(t, id)
	if rec.Number != 2 || !rec.Resumed || rec.StdoutBytes != 0 || rec.Error != "broken" {
		t.Errorf("it began anew: %+v", rec)
	}
	runs, err := b.Runs(t.Context(), id)
	if err != nil || len(runs) != 2 || runs[1].StdoutBytes != 4 || runs[1].Resumed {
		t.Errorf("runs %+v, %v", runs, err)
	}
	plain := b.spawn(t, "out x")
	b.wait(t, plain)
	if err := b.Run(t.Context(), plain, RunOptions{Resume: true}); !errors.Is(err, process.ErrInvalid) {
		t.Errorf("of one that cannot: %v", err)
	}
}
