package client_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/server"
)

// real serves a runtime with real commands and returns a client of it.
func real(t *testing.T) *client.Client {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are a Unix shell's")
	}
	rt, err := reeve.Open(t.Context(), reeve.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{Runtime: rt, Environment: process.EnvCommand})
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(s.Handler(server.TCP))
	c := newClient(t, client.Config{Host: ts.URL, Patience: -1})
	t.Cleanup(func() {
		c.Close()
		s.Stop()
		ts.Close()
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// start creates a shell script's process.
func start(t *testing.T, c *client.Client, script string) process.Record {
	t.Helper()
	rec, err := c.Create(testContext(t), api.Create{Code: &script}, client.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func TestRealLife(t *testing.T) {
	c, ctx := real(t), testContext(t)
	rec := start(t, c, "printf 'out\\n'; printf err >&2; exit 3")
	var out, errs bytes.Buffer
	var both sync.WaitGroup
	for stream, b := range map[process.Stream]*bytes.Buffer{process.Stdout: &out, process.Stderr: &errs} {
		both.Go(func() {
			if _, err := c.FollowOutput(ctx, b, client.Log{Process: rec.ID, Stream: stream}); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if out.String() != "out\n" || errs.String() != "err" {
		t.Errorf("%q, %q", &out, &errs)
	}
	end, err := c.Wait(ctx, rec.ID)
	if err != nil || end.Exit == nil || end.Exit.Code != 3 {
		t.Errorf("%+v, %v", end, err)
	}
	out.Reset()
	if _, err := c.CopyOutput(ctx, &out, client.Log{Process: rec.ID, Run: 1, Stream: process.Stdout, From: 1, To: 3}); err != nil || out.String() != "ut" {
		t.Errorf("%q, %v", &out, err)
	}
	var last process.Event
	n := int64(0)
	for ev, err := range c.Events(ctx, rec.ID, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; ev.Seq != n {
			t.Errorf("event %d has seq %d", n, ev.Seq)
		}
		last = ev
	}
	if last.Kind != process.KindFinalized {
		t.Errorf("the last event is %s", last.Kind)
	}
	page, err := c.EventsPage(ctx, rec.ID, n-1)
	if err != nil || len(page.Events) != 1 || page.Next != n {
		t.Errorf("%+v, %v", page, err)
	}
	if _, err := c.Start(ctx, rec.ID, api.Run{}); !errors.Is(err, process.ErrHasOutputs) {
		t.Error(err)
	}
	if again, err := c.Start(ctx, rec.ID, api.Run{Force: true, Block: true}); err != nil || again.Run != 2 {
		t.Errorf("%+v, %v", again.Run, err)
	}
	if runs, err := c.Runs(ctx, rec.ID); err != nil || len(runs) != 2 {
		t.Errorf("%v, %v", runs, err)
	}
	if code, err := c.Code(ctx, rec.ID); err != nil || !strings.HasSuffix(code, "exit 3") {
		t.Errorf("%q, %v", code, err)
	}
	if _, err := c.Delete(ctx, rec.ID); err != nil {
		t.Error(err)
	}
	if _, err := c.Process(ctx, rec.ID); !errors.Is(err, process.ErrNotFound) {
		t.Error(err)
	}
}

func TestRealControl(t *testing.T) {
	c, ctx := real(t), testContext(t)
	rec := start(t, c, "sleep 1000")
	waited := make(chan process.Record, 1)
	var waiting sync.WaitGroup
	waiting.Go(func() {
		end, err := c.Wait(ctx, rec.ID)
		if err != nil {
			t.Error(err)
		}
		waited <- end
	})
	if killed, err := c.Kill(ctx, rec.ID, api.Kill{Now: true, Block: true}); err != nil || killed.State != process.Idle {
		t.Errorf("%+v, %v", killed, err)
	}
	waiting.Wait()
	if end := <-waited; end.Exit == nil || end.Exit.Code != process.ExitCodeCanceled {
		t.Errorf("%+v", end)
	}
	if _, err := c.Kill(ctx, rec.ID, api.Kill{}); !errors.Is(err, process.ErrAlreadyIdle) {
		t.Error(err)
	}
	tree, err := c.Tree(ctx, rec.ID)
	if err != nil || tree.ID != rec.ID {
		t.Errorf("%+v, %v", tree, err)
	}
	envs, err := c.Environments(ctx)
	if err != nil || len(envs) == 0 {
		t.Errorf("%v, %v", envs, err)
	}
	if docs, err := c.EnvironmentDocs(ctx, process.EnvCommand); err != nil || docs == "" {
		t.Errorf("%q, %v", docs, err)
	}
	if _, err := c.Prune(ctx, api.Prune{Events: api.MS(0), Logs: api.MS(0)}); err != nil {
		t.Error(err)
	}
	if err := c.Health(ctx); err != nil {
		t.Error(err)
	}
}

// Each of many waiters sees the end, whenever it comes.
func TestRealWaitNeverMissesTheEnd(t *testing.T) {
	c, ctx := real(t), testContext(t)
	var all sync.WaitGroup
	for range 20 {
		rec := start(t, c, "exit 4")
		all.Go(func() {
			end, err := c.Wait(ctx, rec.ID)
			if err != nil || end.Exit == nil || end.Exit.Code != 4 {
				t.Errorf("%+v, %v", end.Exit, err)
			}
		})
	}
	all.Wait()
}

func TestRealAllEvents(t *testing.T) {
	c := real(t)
	ctx, cancel := context.WithTimeout(testContext(t), 20*time.Second)
	defer cancel()
	now, err := c.AllEventsPage(ctx, client.EventFilter{}, "")
	if err != nil {
		t.Fatal(err)
	}
	rec := start(t, c, "true")
	for ev, err := range c.AllEvents(ctx, client.EventFilter{Kind: process.KindFinalized}, cmp.Or(now.Next, "0")) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Process == rec.ID {
			return
		}
	}
	t.Error("the stream ended")
}

func TestRealIdempotency(t *testing.T) {
	c, ctx := real(t), testContext(t)
	script := "true"
	one, err := c.Create(ctx, api.Create{Code: &script}, client.CreateOptions{IdempotencyKey: "k"})
	if err != nil {
		t.Fatal(err)
	}
	two, err := c.Create(ctx, api.Create{Code: &script}, client.CreateOptions{IdempotencyKey: "k"})
	if err != nil || one.ID != two.ID {
		t.Errorf("%d, %d, %v", one.ID, two.ID, err)
	}
}
