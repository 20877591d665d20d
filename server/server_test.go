package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/server"
)

// serve starts a server over a runtime in memory, or in a directory.
func serve(t testing.TB, cfg reeve.Config, sc server.Config) *httptest.Server {
	t.Helper()
	if cfg.Environments == nil {
		cfg.Environments = map[string]reeve.Environment{"typescript": new(envfake.Env)}
	}
	rt, err := reeve.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rt.Close() })
	sc.Runtime = rt
	s, err := server.New(sc)
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(s.Handler(server.TCP))
	t.Cleanup(func() { s.Stop(); ts.Close() })
	return ts
}

type reply struct {
	status int
	header http.Header
	body   string
}

func (r reply) json(t testing.TB) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(r.body), &m); err != nil {
		t.Fatalf("%d %q: %v", r.status, r.body, err)
	}
	return m
}

func do(t testing.TB, ts *httptest.Server, method, path, body string, headers ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, ts.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	res, err := ts.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, string(b)}
}

func TestCreateAndRead(t *testing.T) {
	ts := serve(t, reeve.Config{Dir: t.TempDir()}, server.Config{})
	r := do(t, ts, "POST", "/processes", `{"environment":"command","code":"echo hi; echo oops >&2; exit 3","block":true}`)
	m := r.json(t)
	if r.status != 201 || r.header.Get("Location") != "/processes/1" || m["stdout"] != "hi\n" || m["stderr"] != "oops\n" || m["exitState"] != "failed" {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if r := do(t, ts, "GET", "/processes/1/stdout", ""); r.status != 200 || r.body != "hi\n" {
		t.Errorf("%d %q", r.status, r.body)
	}
	if r := do(t, ts, "GET", "/processes/1/stdout?follow=1", ""); r.status != 200 || r.body != "hi\n" {
		t.Errorf("%d %q", r.status, r.body)
	}
	r = do(t, ts, "GET", "/processes/1/events", "", "Accept", "text/event-stream")
	if r.status != 200 || !strings.Contains(r.body, `"kind":"finalized"`) {
		t.Errorf("%d %q", r.status, r.body)
	}
	if r := do(t, ts, "GET", "/processes", ""); r.status != 200 {
		t.Errorf("%d %q", r.status, r.body)
	}
}
