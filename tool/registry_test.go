package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/process"
)

// scripted is an adapter whose parts a test sets.
type scripted struct {
	mu      sync.Mutex
	changed func(error)
	open    func(n int) (Service, error) // n counts from 1
	call    func(ctx context.Context, tool string, params json.RawMessage) (json.RawMessage, error)
	opens   int
	closes  int
}

func (a *scripted) Open(context.Context) (Service, error) {
	a.mu.Lock()
	a.opens++
	n, open := a.opens, a.open
	a.mu.Unlock()
	if open == nil {
		return offering("echo"), nil
	}
	return open(n)
}

func (a *scripted) Call(ctx context.Context, tool string, params json.RawMessage) (json.RawMessage, error) {
	if a.call == nil {
		return params, nil
	}
	return a.call(ctx, tool, params)
}

func (a *scripted) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closes++
	return nil
}

func (a *scripted) Watch(changed func(error)) { a.changed = changed }

func (a *scripted) counts() (opens, closes int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.opens, a.closes
}

func offering(names ...string) Service {
	s := Service{Description: "a test"}
	for _, n := range names {
		s.Tools = append(s.Tools, Tool{Name: n, Description: "does " + n})
	}
	return s
}

// started runs a registry with one service "s" until the test ends.
func started(t *testing.T, cfg Config, a Adapter, options ...Option) *Registry {
	t.Helper()
	r := New(cfg)
	if err := r.Add("s", a, options...); err != nil {
		t.Fatal(err)
	}
	r.Start(t.Context())
	t.Cleanup(func() { _ = r.Close() })
	if err := r.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

func call(r *Registry, ctx context.Context, service, tool, params string) (string, error) {
	c := process.ToolCall{Service: service, Tool: tool, Params: json.RawMessage(params)}
	if _, err := r.Check(ctx, c); err != nil {
		return "", err
	}
	result, err := r.Call(ctx, c)
	return string(result), err
}

func wantCode(t *testing.T, err error, code, part string) {
	t.Helper()
	var said *process.ToolError
	if !errors.As(err, &said) || said.Code != code || !strings.Contains(said.Message, part) {
		t.Errorf("got %v (%T), want %s with %q", err, err, code, part)
	}
}

func TestCheckAndCall(t *testing.T) {
	a := &scripted{open: func(int) (Service, error) {
		s := offering("echo", "secret")
		s.Tools[0].Params = json.RawMessage(`{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}`)
		return s, nil
	}}
	r := started(t, Config{Policy: policy(t, "ask s/e*", "deny s/secret")}, a)
	ctx := t.Context()

	p, err := r.Check(ctx, process.ToolCall{Service: "s", Tool: "echo", Params: json.RawMessage(`{"n":1}`)})
	if p != process.Ask || err != nil {
		t.Errorf("got %s, %v", p, err)
	}
	p, err = r.Check(ctx, process.ToolCall{Service: "s", Tool: "secret"})
	if p != process.Deny {
		t.Errorf("got %s", p)
	}
	wantCode(t, err, process.ToolDenied, "the policy does not allow s/secret (rule 2: deny s/secret)")

	got, err := call(r, ctx, "s", "echo", `{"n":1}`)
	if got != `{"n":1}` || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	_, err = call(r, ctx, "s", "echo", "")
	wantCode(t, err, process.ToolInvalid, `invalid parameters for s/echo: params: lacks "n"`)
	_, err = call(r, ctx, "x", "echo", "")
	wantCode(t, err, process.ToolNotFound, "there is no service x: known are reeve, s")
	_, err = call(r, ctx, "s", "ecko", "")
	wantCode(t, err, process.ToolNotFound, "the service s has no tool ecko: it has echo, secret")
	_, err = r.Check(ctx, process.ToolCall{Service: "s", Tool: "echo", Params: json.RawMessage(`{"n":1}`), Allowed: []string{"t/*"}})
	wantCode(t, err, process.ToolDenied, "not among the tools")
}

func TestResultsAreChecked(t *testing.T) {
	var result json.RawMessage
	var failure error
	a := &scripted{call: func(context.Context, string, json.RawMessage) (json.RawMessage, error) { return result, failure }}
	r := started(t, Config{MaxResult: 100, MaxParams: 100}, a)
	for _, c := range []struct {
		result, want string
		err          error
		code, said   string
	}{
		{result: "", want: "null"},
		{result: `{"a":1}`, want: `{"a":1}`},
		{result: "\"a\xffb\"", want: "\"a\uFFFDb\""},
		{result: `{"a"`, code: process.ToolFailed, said: "is not JSON"},
		{result: `"` + strings.Repeat("x", 100) + `"`, code: process.ToolFailed, said: "102 bytes"},
		{err: errors.New("boom"), code: process.ToolFailed, said: "s/echo: boom"},
		{err: &process.ToolError{Code: "http_404", Message: "gone"}, code: "http_404", said: "gone"},
		{err: fmt.Errorf("wrapped: %w", &process.ToolError{Code: "own", Message: strings.Repeat("x", 9999)}), code: "own", said: "xxx…"},
	} {
		result, failure = json.RawMessage(c.result), c.err
		got, err := call(r, t.Context(), "s", "echo", "")
		if c.code != "" {
			wantCode(t, err, c.code, c.said)
		} else if got != c.want || err != nil {
			t.Errorf("%s became %s, %v", c.result, got, err)
		}
	}
	_, err := call(r, t.Context(), "s", "echo", `{"a":"`+strings.Repeat("x", 100)+`"}`)
	wantCode(t, err, process.ToolInvalid, "100 are allowed")
	a.call = func(context.Context, string, json.RawMessage) (json.RawMessage, error) { panic("oh no") }
	_, err = call(r, t.Context(), "s", "echo", "")
	wantCode(t, err, process.ToolFailed, "panicked")
}

func TestTimeoutAndCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		a := &scripted{call: func(ctx context.Context, tool string, _ json.RawMessage) (json.RawMessage, error) {
			if tool == "polite" {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			<-release // and ignores its context
			return nil, nil
		}, open: func(int) (Service, error) { return offering("polite", "rude"), nil }}
		r := New(Config{})
		if err := r.Add("s", a, Timeout(3*time.Second)); err != nil {
			t.Fatal(err)
		}
		r.Start(t.Context())
		for _, tool := range []string{"polite", "rude"} {
			begun := time.Now()
			_, err := call(r, t.Context(), "s", tool, "")
			wantCode(t, err, process.ToolTimeout, "s/"+tool+" did not answer within 3s")
			if d := time.Since(begun); d != 3*time.Second {
				t.Errorf("%s took %s", tool, d)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(process.ErrCanceled) })
			if _, err := call(r, ctx, "s", tool, ""); !errors.Is(err, process.ErrCanceled) {
				t.Errorf("%s: %v", tool, err)
			}
		}
		close(release)
		_ = r.Close()
	})
}

func TestManyCallsSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{call: func(_ context.Context, _ string, p json.RawMessage) (json.RawMessage, error) {
			time.Sleep(100 * time.Millisecond)
			return p, nil
		}}
		r := New(Config{})
		_ = r.Add("s", a)
		r.Start(t.Context())
		begun := time.Now()
		var wg sync.WaitGroup
		for i := range 200 {
			wg.Go(func() {
				if got, err := call(r, t.Context(), "s", "echo", fmt.Sprintf(`{"i":%d}`, i)); got != fmt.Sprintf(`{"i":%d}`, i) {
					t.Error(got, err)
				}
			})
		}
		wg.Wait()
		if d := time.Since(begun); d != 100*time.Millisecond {
			t.Errorf("200 calls of 100 ms took %s", d)
		}
		_ = r.Close()
	})
}

// A service that is down does not stop others, says why, is retried with growing
// pauses, and comes back.
func TestUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tries []time.Duration
		begun := time.Now()
		up := false
		a := &scripted{}
		a.open = func(int) (Service, error) {
			a.mu.Lock()
			defer a.mu.Unlock()
			tries = append(tries, time.Since(begun))
			if !up {
				return Service{}, errors.New("connection refused")
			}
			return offering("echo"), nil
		}
		r := New(Config{Retry: time.Second})
		_ = r.Add("s", a)
		_ = r.Add("well", &scripted{})
		_, err := call(r, t.Context(), "s", "echo", "")
		wantCode(t, err, process.ToolUnavailable, "it has not been started")
		r.Start(t.Context())
		if err := r.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := call(r, t.Context(), "well", "echo", ""); err != nil {
			t.Error(err)
		}
		info := r.Services()
		if len(info) != 3 || info[1].State != Unavailable || info[1].Error == nil || *info[1].Error != "connection refused" || info[2].State != Ready {
			t.Errorf("got %+v", info)
		}
		if _, err := r.Tool("s", "echo"); err == nil {
			t.Error("a tool of a service that was never reached")
		}
		time.Sleep(20 * time.Second)
		a.mu.Lock()
		if n := len(tries); n < 4 || n > 6 { // at about 0, 1, 3, 7, 15
			t.Errorf("tried at %v", tries)
		}
		n := len(tries)
		a.mu.Unlock()
		_, err = call(r, t.Context(), "s", "echo", "") // on demand
		wantCode(t, err, process.ToolUnavailable, "the service s is unavailable: connection refused")
		a.mu.Lock()
		if len(tries) != n+1 {
			t.Errorf("a call did not make it try: %v", tries)
		}
		up = true
		a.mu.Unlock()
		if _, err := call(r, t.Context(), "s", "echo", ""); err != nil {
			t.Error(err)
		}
		if i := r.Services()[1]; i.State != Ready || i.Error != nil || i.Tools != 1 || i.Description != "a test" {
			t.Errorf("got %+v", i)
		}
		_ = r.Close()
	})
}

func TestLostAndChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{open: func(n int) (Service, error) {
			if n == 3 {
				return Service{}, errors.New("not yet")
			}
			return offering("echo", fmt.Sprintf("tool%d", n)), nil
		}}
		r := New(Config{})
		_ = r.Add("s", a)
		r.Start(t.Context())
		_ = r.Ready(t.Context())
		a.changed(nil)
		synctest.Wait()
		if _, err := r.Tool("s", "tool2"); err != nil {
			t.Error(err)
		}
		if _, closes := a.counts(); closes != 0 {
			t.Error("a change of tools closed the connection")
		}
		time.Sleep(time.Minute)
		a.changed(errors.New("the server died"))
		synctest.Wait()
		if i := r.Services()[1]; i.State != Unavailable || *i.Error != "the server died" || i.Tools != 2 {
			t.Errorf("got %+v", i)
		}
		// What it offers is still known, and the call waits for the next
		// attempts: the first fails, so does the call.
		_, err := call(r, t.Context(), "s", "echo", "")
		wantCode(t, err, process.ToolUnavailable, "not yet")
		if _, err := call(r, t.Context(), "s", "echo", ""); err != nil {
			t.Error(err)
		}
		_ = r.Close()
	})
}

// A call that was not sent is repeated once, on a new connection.
func TestNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{}
		calls := 0
		a.call = func(_ context.Context, _ string, p json.RawMessage) (json.RawMessage, error) {
			calls++
			if opens, _ := a.counts(); opens == 1 {
				return nil, fmt.Errorf("%w: session expired", ErrNotSent)
			}
			return p, nil
		}
		r := New(Config{})
		_ = r.Add("s", a)
		r.Start(t.Context())
		if got, err := call(r, t.Context(), "s", "echo", `{"a":1}`); got != `{"a":1}` || err != nil {
			t.Error(got, err)
		}
		if opens, closes := a.counts(); calls != 2 || opens != 2 || closes != 1 {
			t.Errorf("%d calls, %d opens, %d closes", calls, opens, closes)
		}
		a.call = func(context.Context, string, json.RawMessage) (json.RawMessage, error) { return nil, ErrNotSent }
		_, err := call(r, t.Context(), "s", "echo", "")
		wantCode(t, err, process.ToolUnavailable, "was not sent")
		_ = r.Close()
	})
}

func TestCloseDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		entered := make(chan struct{}, 3)
		a := &scripted{open: func(int) (Service, error) { return offering("quick", "slow", "deaf"), nil }}
		deaf := make(chan struct{})
		a.call = func(ctx context.Context, tool string, _ json.RawMessage) (json.RawMessage, error) {
			entered <- struct{}{}
			switch tool {
			case "quick":
				time.Sleep(time.Second)
				if _, closes := a.counts(); closes > 0 {
					t.Error("closed under a call")
				}
				return json.RawMessage(`"done"`), nil
			case "slow":
				<-ctx.Done()
				return nil, ctx.Err()
			}
			<-deaf
			return nil, nil
		}
		r := New(Config{DrainTimeout: 5 * time.Second})
		_ = r.Add("s", a)
		r.Start(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if got, err := call(r, t.Context(), "s", "quick", ""); got != `"done"` || err != nil {
				t.Error(got, err)
			}
		})
		for _, tool := range []string{"slow", "deaf"} {
			wg.Go(func() {
				_, err := call(r, t.Context(), "s", tool, "")
				wantCode(t, err, process.ToolUnavailable, "shutting down")
			})
		}
		for range 3 {
			<-entered
		}
		begun := time.Now()
		wg.Go(func() { _ = r.Close() }) // twice at once
		_ = r.Close()
		if d := time.Since(begun); d != 6*time.Second {
			t.Errorf("Close took %s", d)
		}
		wg.Wait()
		_, err := r.Call(t.Context(), process.ToolCall{Service: "s", Tool: "quick"})
		wantCode(t, err, process.ToolUnavailable, "shutting down")
		if _, closes := a.counts(); closes != 1 {
			t.Errorf("closed %d times", closes)
		}
		close(deaf)
	})
}

func TestAdd(t *testing.T) {
	r := New(Config{})
	if err := errors.Join(r.Add("a.b-c_1", &scripted{})); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "a b", "a/b", "reeve", "a.b-c_1", strings.Repeat("x", 65)} {
		if r.Add(name, &scripted{}) == nil {
			t.Errorf("added %q", name)
		}
	}
	r.Start(t.Context())
	r.Start(t.Context())
	if err := r.Add("late", &scripted{}, Description("better words")); err != nil {
		t.Fatal(err)
	}
	if err := r.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := r.Services(); s[1].Name != "late" || s[1].State != Ready || s[1].Description != "better words" || s[1].Adapter != "custom" {
		t.Errorf("got %+v", s)
	}
	_ = r.Close()
	if r.Add("too-late", &scripted{}) == nil {
		t.Error("added to a closed registry")
	}
	_ = New(Config{}).Close() // without Start
}

func TestListingLeavesOutWhatCannotBeCalled(t *testing.T) {
	var log bytes.Buffer
	a := &scripted{open: func(int) (Service, error) {
		s := offering("ok", "ok", "not ok", "broken")
		s.Tools[3].Params = json.RawMessage(`{"type":"file"}`)
		return s, nil
	}}
	r := started(t, Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}, a)
	if n := r.Services()[1].Tools; n != 2 {
		t.Errorf("%d tools", n)
	}
	if _, err := call(r, t.Context(), "s", "broken", `{"any":1}`); err != nil {
		t.Error(err)
	}
	_ = r.Close()
	if !strings.Contains(log.String(), "are not checked") || !strings.Contains(log.String(), "left out") {
		t.Errorf("logged %s", log.String())
	}
}

func TestSafeName(t *testing.T) {
	taken := map[string]bool{}
	for in, want := range map[string]string{"plain": "plain", "with space": "with_space", "ä": "__", "": "_"} {
		if got := SafeName(in, nil); got != want {
			t.Errorf("%q became %q", in, got)
		}
	}
	for range 3 {
		name := SafeName(strings.Repeat("long/", 30), func(s string) bool { return taken[s] })
		if !ValidName(name) || taken[name] {
			t.Errorf("%q", name)
		}
		taken[name] = true
	}
}

func TestSearch(t *testing.T) {
	a := &scripted{open: func(int) (Service, error) {
		return Service{Tools: []Tool{
			{Name: "createIssue", Description: "Opens a ticket in a repository."},
			{Name: "list_issues", Description: "Lists tickets."},
			{Name: "delete_repo", Description: "Removes a repository with every issue."},
			{Name: "weather", Description: "Says whether it rains."},
		}}, nil
	}}
	r := started(t, Config{Policy: policy(t, "deny s/delete_*", "ask s/create*")}, a)
	names := func(query string) (all []string) {
		for _, i := range r.Tools(query) {
			all = append(all, i.Name)
		}
		return all
	}
	for query, want := range map[string]string{
		"":          "search createIssue delete_repo list_issues weather",
		"ISSUE":     "createIssue list_issues delete_repo",
		"issue s":   "createIssue list_issues delete_repo",
		"s/weather": "weather",
		"zebra":     "",
		"search":    "search",
	} {
		got := strings.Join(names(query), " ")
		if got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
	if got := names("please create some issue"); len(got) == 0 || got[0] != "createIssue" {
		t.Errorf("no tool has all of these words, but the best is not the first of %v", got)
	}
	result, err := r.Call(t.Context(), process.ToolCall{Service: "reeve", Tool: "search", Params: json.RawMessage(`{"query":"issue","limit":1}`), Allowed: []string{"s/*"}})
	if err != nil {
		t.Fatal(err)
	}
	var out struct {
		Tools []struct{ Service, Name, Permission, Declaration string }
		More  int
	}
	if err := json.Unmarshal(result, &out); err != nil {
		t.Fatal(err)
	}
	if len(out.Tools) != 1 || out.Tools[0].Name != "createIssue" || out.Tools[0].Permission != "ask" || out.More != 1 || !strings.Contains(out.Tools[0].Declaration, "createIssue(") {
		t.Errorf("got %s", result)
	}
	_, err = call(r, t.Context(), "reeve", "search", `{"limit":0}`)
	wantCode(t, err, process.ToolInvalid, "params.limit")
	if got, err := call(r, t.Context(), "reeve", "search", `null`); err != nil || !strings.Contains(got, "weather") || strings.Contains(got, `"delete_repo"`) {
		t.Error(got, err)
	}
	_, err = call(r, t.Context(), "reeve", "nothing", "")
	wantCode(t, err, process.ToolNotFound, "the only one there is search")
	if p, err := r.Check(t.Context(), process.ToolCall{Service: "reeve", Tool: "spawn.typescript"}); p != process.Allow || err != nil {
		t.Error(p, err)
	}
	if got, err := call(r, t.Context(), "reeve", "spawn.typescript", `{"code":"1"}`); got != `{"code":"1"}` || err != nil {
		t.Error("permission to spawn:", got, err)
	}
	_, err = call(r, t.Context(), "reeve", "spawn.command", "")
	wantCode(t, err, process.ToolDenied, "reeve/spawn.command")
}

// What the kernel needs of a registry.
var _ interface {
	Check(context.Context, process.ToolCall) (process.Permission, error)
	Call(context.Context, process.ToolCall) (json.RawMessage, error)
} = (*Registry)(nil)
