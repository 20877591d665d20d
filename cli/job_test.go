package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
)

// attended makes a job of a fake daemon that does not come back once it is lost.
func attended(t *testing.T, h http.HandlerFunc) (j *job, stderr *bytes.Buffer, signals chan os.Signal) {
	t.Helper()
	s := httptest.NewServer(h)
	c, err := client.New(client.Config{Host: s.URL, Patience: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); s.Close() })
	stderr, signals = new(bytes.Buffer), make(chan os.Signal, 3)
	a := &App{Stdout: io.Discard, Stderr: stderr, Env: func(string) (string, bool) { return "", false },
		Signals: func() (<-chan os.Signal, func()) { return signals, func() {} }}
	return &job{app: a, client: c}, stderr, signals
}

func started(context.Context) (process.Record, error) {
	return process.Record{ID: 7, Run: 1, State: process.Queued}, nil
}

func TestDaemonIsLost(t *testing.T) {
	j, _, _ := attended(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	err := j.attend(t.Context(), started)
	if err == nil || !strings.Contains(err.Error(), "lost sight of 7") || !strings.Contains(err.Error(), "reeve wait 7") {
		t.Error(err)
	}
	if code := j.app.report(nil, err); code != exitFailure {
		t.Error(code)
	}
}

// An interrupt that comes while the daemon is being asked reaches the job.
func TestEarlyInterruptIsNotLost(t *testing.T) {
	var once sync.Once
	passed := make(chan struct{})
	j, _, signals := attended(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/processes/7/signals/int":
			once.Do(func() { close(passed) })
			io.WriteString(w, `{"affected":1,"process":{"lifecycle":"running","createdAt":"2026-01-01T00:00:00Z"}}`)
		case r.Method == http.MethodGet && r.URL.Query().Get("follow") != "":
			select { // the job ends of the interrupt
			case <-passed:
			case <-r.Context().Done():
			}
		default:
			io.WriteString(w, `{"id":7,"run":1,"state":"idle","exitState":"failed","lifecycle":"dead","exit":{"code":130,"reason":"signal: interrupt","signal":"SIGINT"},
				"createdAt":"2026-01-01T00:00:00Z","completedAt":"2026-01-01T00:00:00Z"}`)
		}
	})
	err := j.attend(t.Context(), func(ctx context.Context) (process.Record, error) {
		signals <- os.Interrupt
		for len(signals) > 0 { // until it has been taken
			if ctx.Err() != nil {
				return process.Record{}, ctx.Err()
			}
		}
		return started(ctx)
	})
	if !errors.Is(err, exitError{130}) {
		t.Error(err)
	}
}

// Two interrupts give up on a daemon that does not answer.
func TestInterruptsWhileTheDaemonHangs(t *testing.T) {
	j, stderr, signals := attended(t, nil)
	signals <- os.Interrupt
	signals <- os.Interrupt
	err := j.attend(t.Context(), func(ctx context.Context) (process.Record, error) {
		<-ctx.Done()
		return process.Record{}, ctx.Err()
	})
	if !errors.Is(err, exitError{130}) || !strings.Contains(stderr.String(), "gave up") {
		t.Error(err, stderr)
	}
}

// Three leave a job that does not end.
func TestThirdInterruptLeaves(t *testing.T) {
	j, stderr, signals := attended(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			io.WriteString(w, `{"affected":1,"lifecycle":"running","createdAt":"2026-01-01T00:00:00Z","process":{"lifecycle":"running","createdAt":"2026-01-01T00:00:00Z"}}`)
			return
		}
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	for range 3 {
		signals <- os.Interrupt
	}
	err := j.attend(t.Context(), started)
	if !errors.Is(err, exitError{130}) || !strings.Contains(stderr.String(), "left 7") {
		t.Error(err, stderr)
	}
}
