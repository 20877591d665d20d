package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/tool"
	"github.com/reeverun/reeve/tool/mcp"
	"go.uber.org/goleak"
)

// asServer makes the test binary a server over its stdin and stdout.
const asServer = "REEVE_TEST_MCP_SERVER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(asServer); mode != "" {
		serveStdio(mode)
		return
	}
	goleak.VerifyTestMain(m)
}

func serveStdio(mode string) {
	switch mode {
	case "dies":
		fmt.Fprintln(os.Stderr, "cannot start: the token is", os.Getenv("TOKEN"))
		os.Exit(3)
	case "silent":
		select {}
	case "floods":
		chunk := bytes.Repeat([]byte("x"), 1<<20)
		for {
			if _, err := os.Stdout.Write(chunk); err != nil {
				return
			}
		}
	}
	fmt.Fprintln(os.Stderr, "ready, and the token is", os.Getenv("TOKEN"))
	_ = newServer().Run(context.Background(), &sdk.StdioTransport{})
}

type sum struct {
	A int `json:"a"`
	B int `json:"b"`
}

// newServer is a server with a tool for each thing that servers do.
func newServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Title: "A test server", Version: "1"}, &sdk.ServerOptions{PageSize: 3})
	sdk.AddTool(s, &sdk.Tool{Name: "add", Description: "Adds."}, func(_ context.Context, _ *sdk.CallToolRequest, in sum) (*sdk.CallToolResult, struct {
		Sum int `json:"sum"`
	}, error) {
		return nil, struct {
			Sum int `json:"sum"`
		}{in.A + in.B}, nil
	})
	for name, do := range map[string]func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error){
		"text":   texts("plain text"),
		"texts":  texts("one", "two"),
		"json":   texts(` {"a":[1]} `),
		"number": texts("42"),
		"none":   texts(),
		"mixed": func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "see"}, &sdk.ImageContent{Data: []byte("png"), MIMEType: "image/png"}}}, nil
		},
		"fails": func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "the token is " + os.Getenv("TOKEN")}}}, nil
		},
		"env": func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return texts(strings.Join(os.Environ(), "\n"))(nil, nil)
		},
		"with/slash": texts("slashed"),
		"die":        func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { os.Exit(4); return nil, nil },
		"pid": func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return texts(fmt.Sprint(os.Getpid()))(nil, nil)
		},
		"wait": func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			fmt.Fprintln(os.Stderr, "wait began")
			<-ctx.Done()
			fmt.Fprintln(os.Stderr, "wait was cancelled")
			return nil, ctx.Err()
		},
		"grow": func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			s.AddTool(&sdk.Tool{Name: "grown", InputSchema: map[string]any{"type": "object"}}, texts("new"))
			return texts("ok")(nil, nil)
		},
	} {
		s.AddTool(&sdk.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, do)
	}
	return s
}

func texts(all ...string) func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		res := &sdk.CallToolResult{Content: []sdk.Content{}}
		for _, text := range all {
			res.Content = append(res.Content, &sdk.TextContent{Text: text})
		}
		return res, nil
	}
}

// journal gathers a log for a test.
type journal struct {
	mu sync.Mutex
	b  strings.Builder
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.String()
}

func (j *journal) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(j, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

const secret = "s3cret-token-value"

// self is the test binary as a server.
func self(mode string) mcp.Config {
	return mcp.Config{Command: []string{os.Args[0]}, Env: map[string]process.Secret{asServer: process.Secret(mode), "TOKEN": secret}}
}

// open makes a registry with one service "m".
func open(t *testing.T, cfg mcp.Config) (*tool.Registry, *journal) {
	t.Helper()
	j := &journal{}
	cfg.Logger = j.logger()
	r := tool.New(tool.Config{Logger: j.logger(), Retry: 20 * time.Millisecond, OpenTimeout: 20 * time.Second})
	if err := r.Add("m", mcp.New(cfg)); err != nil {
		t.Fatal(err)
	}
	r.Start(t.Context())
	t.Cleanup(func() {
		_ = r.Close()
		if strings.Contains(j.String(), secret) {
			t.Errorf("the log holds the secret:\n%s", j)
		}
	})
	if err := r.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r, j
}

func call(t *testing.T, r *tool.Registry, name, params string) (string, error) {
	t.Helper()
	c := process.ToolCall{Service: "m", Tool: name, Params: json.RawMessage(params)}
	if _, err := r.Check(t.Context(), c); err != nil {
		return "", err
	}
	out, err := r.Call(t.Context(), c)
	return string(out), err
}

func wantCode(t *testing.T, err error, code, part string) {
	t.Helper()
	var said *process.ToolError
	if !errors.As(err, &said) || said.Code != code || !strings.Contains(said.Message, part) {
		t.Errorf("got %v (%T), want %s with %q", err, err, code, part)
	}
}

// eventually waits for a condition, with a deadline.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// behaves holds a connected server to what every one of them does.
func behaves(t *testing.T, r *tool.Registry) {
	t.Helper()
	if s := r.Services()[0]; s.State != tool.Ready || s.Adapter != "mcp" || s.Tools != 14 || s.Description != "A test server" {
		t.Fatalf("got %+v (%v)", s, s.Error)
	}
	for _, c := range []struct{ tool, params, want, code, said string }{
		{tool: "add", params: `{"a":1,"b":2}`, want: `{"sum":3}`},
		{tool: "add", params: `{"a":"1","b":2}`, code: process.ToolInvalid, said: "params.a: expected integer, got string"},
		{tool: "add", params: `{"a":1}`, code: process.ToolInvalid, said: `lacks "b"`},
		{tool: "text", want: `"plain text"`},
		{tool: "texts", want: `"one\ntwo"`},
		{tool: "json", want: `{"a":[1]}`},
		{tool: "number", want: `"42"`},
		{tool: "none", want: `null`},
		{tool: "with_slash", want: `"slashed"`},
		{tool: "mixed", want: `{"content":[{"type":"text","text":"see"},{"type":"image","mimeType":"image/png","data":"cG5n"}]}`},
		{tool: "fails", code: process.ToolFailed, said: "the token is "},
		{tool: "absent", code: process.ToolNotFound, said: "has no tool absent"},
	} {
		got, err := call(t, r, c.tool, c.params)
		if c.code != "" {
			wantCode(t, err, c.code, c.said)
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%v holds the secret", err)
			}
		} else if got != c.want || err != nil {
			t.Errorf("%s(%s): %s, %v, want %s", c.tool, c.params, got, err, c.want)
		}
	}
	info, err := r.Tool("m", "add")
	if err != nil || !strings.Contains(info.Declaration, "a: number;") || !strings.Contains(info.Declaration, "sum: number;") {
		t.Errorf("%v\n%s", err, info.Declaration)
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if got, err := call(t, r, "add", fmt.Sprintf(`{"a":%d,"b":1}`, i)); got != fmt.Sprintf(`{"sum":%d}`, i+1) {
				t.Error(got, err)
			}
		})
	}
	wg.Wait()
	if _, err := call(t, r, "grow", ""); err != nil {
		t.Error(err)
	}
	eventually(t, "the new tool is listed", func() bool {
		_, err := r.Tool("m", "grown")
		return err == nil
	})
	if got, err := call(t, r, "grown", ""); got != `"new"` || err != nil {
		t.Error(got, err)
	}
}

func TestStdio(t *testing.T) {
	t.Setenv("REEVE_TEST_OTHER", "the host's own secret")
	r, j := open(t, self("ok"))
	behaves(t, r)
	env, err := call(t, r, "env", "")
	if err != nil || !strings.Contains(env, "PATH=") || strings.Contains(env, "host's own") || strings.Contains(env, secret) || !strings.Contains(env, "TOKEN="+process.Redacted) {
		t.Errorf("%v: the server's environment is %s", err, env)
	}
	eventually(t, "stderr is logged", func() bool { return strings.Contains(j.String(), "ready, and the token is") })
}

func TestCancel(t *testing.T) {
	r, j := open(t, self("ok"))
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan error)
	go func() {
		_, err := r.Call(ctx, process.ToolCall{Service: "m", Tool: "wait"})
		done <- err
	}()
	eventually(t, "the call has arrived", func() bool { return strings.Contains(j.String(), "wait began") })
	cancel(process.ErrCanceled)
	if err := <-done; !errors.Is(err, process.ErrCanceled) {
		t.Error(err)
	}
	if got, err := call(t, r, "text", ""); got != `"plain text"` { // the session lives
		t.Error(got, err)
	}
	eventually(t, "the server has heard of it", func() bool { return strings.Contains(j.String(), "wait was cancelled") })
}

// A server that dies is started again, and the call during which it died says so.
func TestRestart(t *testing.T) {
	r, _ := open(t, self("ok"))
	before, err := call(t, r, "pid", "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = call(t, r, "die", "")
	wantCode(t, err, process.ToolUnavailable, "")
	var after string
	eventually(t, "it answers again", func() bool {
		after, err = call(t, r, "pid", "")
		return err == nil
	})
	if after == before {
		t.Errorf("the same process %s", after)
	}
}

func TestBadServers(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  mcp.Config
		said string
	}{
		"nothing":   {mcp.Config{}, "neither a command nor a url"},
		"both":      {mcp.Config{Command: []string{"x"}, URL: "http://x"}, "a command and a url"},
		"absent":    {mcp.Config{Command: []string{"/nonexistent/server"}}, "start the server"},
		"dies":      {self("dies"), "its last words: cannot start: the token is " + process.Redacted},
		"floods":    {self("floods"), ""},
		"no url":    {mcp.Config{URL: "ftp://x"}, "its url is not valid"},
		"no server": {mcp.Config{URL: "http://me:" + secret + "@127.0.0.1:1/mcp?api_key=" + secret}, "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := mcp.New(c.cfg)
			if text := fmt.Sprintf("%v %+v %#v %v %#v", c.cfg, c.cfg, c.cfg, a, a); strings.Contains(text, secret) {
				t.Error(text)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			if _, err := a.Open(ctx); err == nil || !strings.Contains(err.Error(), c.said) || strings.Contains(err.Error(), secret) {
				t.Errorf("got %v, want %s", err, c.said)
			}
			if _, err := a.Call(ctx, "x", nil); !errors.Is(err, tool.ErrNotSent) {
				t.Error(err)
			}
			if err := errors.Join(a.Close(), a.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A server that never answers is given up with the context, and is gone then.
func TestSilentServer(t *testing.T) {
	a := mcp.New(self("silent"))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	if _, err := a.Open(ctx); err == nil {
		t.Error("opened")
	}
	_ = a.Close()
}

// serveHTTP serves the test server on loopback. It wants the token.
func serveHTTP(t *testing.T, stateless bool) *httptest.Server {
	t.Helper()
	server := newServer()
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{Stateless: stateless})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+secret {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, "wrong credentials: %v", r.Header)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { end(s, server) })
	return s
}

// end ends servers with the sessions they hold.
func end(s *httptest.Server, servers ...*sdk.Server) {
	for _, server := range servers {
		for session := range server.Sessions() {
			_ = session.Close()
		}
	}
	s.CloseClientConnections()
	s.Close()
}

func TestHTTP(t *testing.T) {
	for _, stateless := range []bool{false, true} {
		t.Run(fmt.Sprintf("stateless %v", stateless), func(t *testing.T) {
			s := serveHTTP(t, stateless)
			r, _ := open(t, mcp.Config{URL: s.URL + "/mcp", Headers: map[string]process.Secret{"Authorization": "Bearer " + secret}})
			behaves(t, r)
		})
	}
}

func TestHTTPWithoutCredentials(t *testing.T) {
	s := serveHTTP(t, false)
	r, _ := open(t, mcp.Config{URL: s.URL + "/mcp", Headers: map[string]process.Secret{"Authorization": "Basic " + secret}})
	if i := r.Services()[0]; i.State != tool.Unavailable || !strings.Contains(*i.Error, "Unauthorized") || strings.Contains(*i.Error, secret) {
		t.Errorf("got %+v %v", i, i.Error)
	}
}

// A server that was restarted has forgotten its sessions: calls go on.
func TestHTTPServerRestarts(t *testing.T) {
	var mu sync.Mutex
	var servers []*sdk.Server
	fresh := func() http.Handler {
		server := newServer()
		servers = append(servers, server)
		return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	}
	handler := fresh()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h := handler
		mu.Unlock()
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { end(s, servers...) })
	r, _ := open(t, mcp.Config{URL: s.URL})
	if _, err := call(t, r, "text", ""); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	handler = fresh()
	mu.Unlock()
	s.CloseClientConnections()
	eventually(t, "calls go on", func() bool {
		got, err := call(t, r, "text", "")
		return err == nil && got == `"plain text"`
	})
}

// Headers are for one origin.
func TestHTTPRedirect(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("redirected with %v", r.Header) }))
	defer elsewhere.Close()
	s := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer s.Close()
	a := mcp.New(mcp.Config{URL: s.URL, Headers: map[string]process.Secret{"Authorization": secret}})
	if _, err := a.Open(t.Context()); err == nil {
		t.Error("opened")
	}
	_ = a.Close()
}
