package server_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/server"
	"github.com/reeverun/reeve/token"
)

// The dashboard is served to whoever may speak to the server at all: it asks
// for a token by itself.
func TestDashboard(t *testing.T) {
	tokens := token.Open(filepath.Join(t.TempDir(), "tokens"))
	if _, _, err := tokens.Create("ada", []token.Scope{token.ScopeRun}, 0); err != nil {
		t.Fatal(err)
	}
	ts := serve(t, reeve.Config{}, server.Config{Tokens: tokens})
	if r := do(t, ts, "GET", "/processes", ""); r.status != 401 {
		t.Fatalf("without a token: %d", r.status)
	}
	page := do(t, ts, "GET", "/", "")
	if page.status != 200 || !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") || !strings.Contains(page.header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("/: %d %v", page.status, page.header)
	}
	files := regexp.MustCompile(`/assets/[\w.-]+`).FindAllString(page.body, -1)
	if len(files) < 3 {
		t.Errorf("/ names %q", files)
	}
	for _, file := range files {
		if r := do(t, ts, "GET", file, ""); r.status != 200 || r.body == "" || r.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", file, r.status, r.header)
		}
		if r := do(t, ts, "HEAD", file, ""); r.status != 200 || r.body != "" {
			t.Errorf("HEAD %s: %d, %d bytes", file, r.status, len(r.body))
		}
	}
	for _, path := range []string{"/", files[0]} {
		if r := do(t, ts, "GET", path, "", "Host", "evil.example"); r.status != 403 {
			t.Errorf("%s by a foreign name: %d", path, r.status)
		}
		if r := do(t, ts, "GET", path, "", "Origin", "http://evil.example"); r.status != 403 {
			t.Errorf("%s from a foreign page: %d", path, r.status)
		}
		if r := do(t, ts, "POST", path, "{}"); r.status != 405 {
			t.Errorf("POST %s: %d", path, r.status)
		}
	}
	if r := do(t, ts, "GET", "/assets/none.js", ""); r.status != 404 || r.json(t)["code"] != "not_found" {
		t.Errorf("a file that is not there: %d %s", r.status, r.body)
	}
}

func TestDashboardIsDescribed(t *testing.T) {
	ts := serve(t, reeve.Config{}, server.Config{})
	paths, _ := do(t, ts, "GET", "/openapi.json", "").json(t)["paths"].(map[string]any)
	for _, path := range []string{"/", "/assets/{file}"} {
		if paths[path] == nil {
			t.Errorf("%s is not in the description", path)
		}
	}
}
