package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/process"
)

// A program pays nothing for what the host computes for it: a query of a million
// words, held against every tool, would keep the host busy for seconds, and a
// program can ask so 256 times at once.
func TestHostileLongQuery(t *testing.T) {
	r := New(Config{})
	t.Cleanup(func() { _ = r.Close() })
	params, _ := json.Marshal(map[string]string{"query": strings.Repeat("a ", 1<<20)})
	_, err := r.Check(t.Context(), process.ToolCall{Service: "reeve", Tool: "search", Params: params})
	if te := (*process.ToolError)(nil); !errors.As(err, &te) || te.Code != process.ToolInvalid {
		t.Errorf("a query of 2 MiB: %v", err)
	}
	all := []*listed{{Tool: Tool{Name: "b"}, service: "s", search: words{name: "b", service: "s", description: "b"}}}
	if got := search(all, strings.Repeat("zz ", 100_000)+"b"); len(got) > 0 {
		t.Errorf("word 100 001 of a query was looked for")
	}
}

// Reading parameters takes many times their bytes. A program has up to 256 calls
// carried out at once: were all of them read at a time, the host would be out of
// memory.
func TestHostileLargeParametersAreReadFewAtATime(t *testing.T) {
	r := started(t, Config{}, &scripted{})
	params := json.RawMessage(`{"a":[` + strings.Repeat("0,", 1<<17) + `0]}`)
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var most atomic.Uint64
	watched, stop := context.WithCancel(t.Context())
	var watcher, calls sync.WaitGroup
	watcher.Go(func() {
		for watched.Err() == nil {
			runtime.ReadMemStats(&now)
			most.Store(max(most.Load(), now.HeapAlloc-min(now.HeapAlloc, before.HeapAlloc)))
			time.Sleep(5 * time.Millisecond)
		}
	})
	for range 16 {
		calls.Go(func() {
			if _, err := r.Check(t.Context(), process.ToolCall{Service: "s", Tool: "echo", Params: params}); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	stop()
	watcher.Wait()
	if got := most.Load() >> 20; got > 64 {
		t.Errorf("16 calls with %d KiB of parameters took %d MiB at once", len(params)>>10, got)
	}
}

// A service that says at every listing that its list has changed (there are
// such) must not be asked without rest.
func TestHostileListThatAlwaysChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{}
		a.open = func(n int) (Service, error) {
			if n < 10_000 {
				a.changed(nil)
			}
			return offering("echo", fmt.Sprintf("n%d", n)), nil
		}
		r := New(Config{Retry: 500 * time.Millisecond})
		if err := r.Add("s", a); err != nil {
			t.Fatal(err)
		}
		r.Start(t.Context())
		time.Sleep(5 * time.Second)
		if n, _ := a.counts(); n > 20 || n < 5 {
			t.Errorf("listed %d times within 5 s", n)
		}
		_ = r.Close()
	})
}

// One that does not end when it is asked to must not keep the daemon from
// ending.
func TestHostileOpenThatIgnoresItsContext(t *testing.T) {
	release := make(chan struct{})
	a := &scripted{open: func(int) (Service, error) { <-release; return Service{}, errors.New("no") }}
	r := New(Config{DrainTimeout: 50 * time.Millisecond})
	if err := r.Add("s", a); err != nil {
		t.Fatal(err)
	}
	r.Start(t.Context())
	for n := 0; n == 0; runtime.Gosched() {
		n, _ = a.counts()
	}
	closed := make(chan struct{})
	go func() { defer close(closed); _ = r.Close() }()
	select {
	case <-closed:
	case <-time.After(20 * time.Second):
		t.Error("the registry waits for a service that does not answer")
	}
	close(release)
	<-closed
	r.wg.Wait()
}

// Calls that nobody waits for any more and that do not end hold what they were
// given. Programs can leave any number of them behind.
func TestHostileCallsThatNeverEnd(t *testing.T) {
	release := make(chan struct{})
	var inside atomic.Int64
	a := &scripted{call: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		inside.Add(1)
		<-release
		return nil, nil
	}}
	r := started(t, Config{CallTimeout: 5 * time.Second}, a)
	defer close(release)
	for range 1000 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		_, _ = r.Call(ctx, process.ToolCall{Service: "s", Tool: "echo"})
		cancel()
	}
	if n := inside.Load(); n > 300 {
		t.Errorf("%d calls hang in a tool, and nobody waits for them", n)
	}
	_, err := r.Call(t.Context(), process.ToolCall{Service: "s", Tool: "echo"})
	if te := (*process.ToolError)(nil); !errors.As(err, &te) || te.Code != process.ToolUnavailable {
		t.Errorf("%v", err)
	}
}

// JSON has many ways to write a text: Python writes ü as \u00fc, and who wants
// to can write every letter so.
func TestHostileSecretInEscapes(t *testing.T) {
	s := NewSecrets("pässwort-1", "hunter2hunter2")
	for _, in := range []string{
		`{"token":"p\u00e4sswort-1"}`, `{"p\u00E4sswort-1":1}`, `["\u0068unter2hunter\u0032"]`, `"a hunter2\u0068unter2"`,
	} {
		out := s.RedactJSON(json.RawMessage(in))
		if !json.Valid(out) || !strings.Contains(string(out), process.Redacted) {
			t.Errorf("%s became %s", in, out)
		}
	}
	for _, in := range []string{`{"b":1.0,"a":12345678901234567890123,"c":"\u00fc"}`, `"\u2028"`} {
		if out := s.RedactJSON(json.RawMessage(in)); string(out) != in {
			t.Errorf("%s became %s", in, out)
		}
	}
}

// A key of several lines is printed and logged line by line.
func TestHostileSecretOfSeveralLines(t *testing.T) {
	s := NewSecrets("-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\r\n9w0BAQEFAASCBKcwggSj\n-----END KEY-----\n")
	for _, line := range []string{"MIIEvQIBADANBgkqhkiG", "the key is 9w0BAQEFAASCBKcwggSj"} {
		if got := s.Redact(line); !strings.Contains(got, process.Redacted) {
			t.Errorf("%q is told", got)
		}
	}
	if got := NewSecrets("tokentoken\n").Redact("I got tokentoken"); !strings.Contains(got, process.Redacted) {
		t.Errorf("%q is told", got)
	}
}
