//go:build linux

package e2e

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is no route, and what a route does not take, is said in the same shape.
func TestNoRoute(t *testing.T) {
	t.Parallel()
	d := shared(t)
	for _, path := range []string{"/nothing", "/processes/1/nothing", "/process", "/processes/1/signals", "/processes/1/signals/stop", "/processes/1/runs/1/nothing", "/mci", "/mci/nothing", "/v1/processes", "/Processes"} {
		d.get(t, path).want(t, 404, "not_found")
		d.post(t, path, m{}).want(t, 404, "not_found")
	}
	for route, allow := range map[string]string{
		"PUT /processes": "GET POST", "DELETE /processes": "GET POST", "PATCH /processes/1": "GET DELETE", "POST /processes/1": "GET DELETE", "POST /processes/1/code": "GET",
		"GET /processes/1/signals/run": "POST", "GET /processes/1/signals/kill": "POST", "DELETE /events": "GET", "POST /health": "GET", "PUT /openapi.json": "GET",
		"DELETE /processes/1/stdout": "GET", "POST /environments": "GET", "PUT /mci/processes": "GET POST",
	} {
		method, path, _ := strings.Cut(route, " ")
		a := d.do(t, request{method: method, path: path}).want(t, 405, "method_not_allowed")
		for want := range strings.FieldsSeq(allow) {
			if !strings.Contains(a.header.Get("Allow"), want) {
				t.Errorf("%s: Allow %q, want %s", route, a.header.Get("Allow"), allow)
			}
		}
		if strings.Contains(a.header.Get("Allow"), method) {
			t.Errorf("%s: Allow %q has it", route, a.header.Get("Allow"))
		}
	}
}

// HEAD follows GET; OPTIONS grants no browser anything.
func TestHeadAndOptions(t *testing.T) {
	t.Parallel()
	d := shared(t)
	id := d.ended(t, "success")
	for _, path := range []string{path(id, ""), path(id, "/code"), path(id, "/stdout"), path(id, "/output"), "/processes", "/health", "/openapi.json", path(id, "/events")} {
		if a := d.do(t, request{method: "HEAD", path: path}).want(t, 200); len(a.body) != 0 {
			t.Errorf("HEAD %s has a body", path)
		}
	}
	d.do(t, request{method: "HEAD", path: "/processes/987654321"}).want(t, 404)
	for _, path := range []string{"/processes", path(id, ""), "/events"} {
		a := d.do(t, request{method: "OPTIONS", path: path, header: m{"Access-Control-Request-Method": "POST"}})
		if a.status >= 500 {
			t.Errorf("%v", a)
		}
		wantNoCORS(t, a)
	}
}

func wantNoCORS(t testing.TB, a answer) {
	t.Helper()
	for name := range a.header {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("%s %s: %s: %s", a.method, a.path, name, a.header.Get(name))
		}
	}
}

// A name that is not this machine's is refused, and so is a foreign page.
func TestHostAndOrigin(t *testing.T) {
	t.Parallel()
	d := start(t, "--allow-host", "reeve.example.org")
	_, port, err := net.SplitHostPort(d.addr)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"localhost", "127.0.0.1", "[::1]", "localhost:" + port, "127.0.0.1:" + port, "[::1]:" + port, "LOCALHOST:" + port, "reeve.example.org", "reeve.example.org:" + port} {
		d.do(t, request{method: "GET", path: "/processes", host: host}).want(t, 200)
	}
	for _, host := range []string{"evil.example", "evil.example:" + port, "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", "reeve.example.org.evil.example", "evil.reeve.example.org"} {
		for _, path := range []string{"/processes", "/openapi.json", "/events", "/mci/processes"} {
			d.do(t, request{method: "GET", path: path, host: host}).want(t, 403, "forbidden")
		}
	}
	for _, origin := range []string{"http://evil.example", "https://evil.example:" + port, "null", "http://localhost.evil.example", "http://127.0.0.1.nip.io"} {
		wantNoCORS(t, d.do(t, request{method: "POST", path: "/processes", body: m{"code": ""}, header: m{"Origin": origin}}).want(t, 403, "forbidden"))
		wantNoCORS(t, d.do(t, request{method: "GET", path: "/processes", header: m{"Origin": origin}}).want(t, 403, "forbidden"))
	}
	for _, origin := range []string{"http://" + d.addr, "http://localhost:" + port, "http://reeve.example.org:" + port} {
		a := d.do(t, request{method: "GET", path: "/processes", header: m{"Origin": origin}, host: strings.TrimPrefix(origin, "http://")}).want(t, 200)
		wantNoCORS(t, a)
	}
	if got := d.ids(t, ""); len(got) != 0 {
		t.Errorf("refused pages made processes: %v", got)
	}
}

// The small routes.
func TestSmallRoutes(t *testing.T) {
	t.Parallel()
	d := shared(t)
	wantJSON(t, d.get(t, "/health").want(t, 200).typed(t, "application/json").json(t), `{"status":"ok"}`)
	d.get(t, "/ready").want(t, 200)
	names := map[string]m{}
	for _, env := range d.get(t, "/environments").want(t, 200).json(t).list("environments") {
		names[env.str("name")] = env
	}
	for _, name := range []string{"command", "fake", "typescript"} {
		if names[name] == nil {
			t.Errorf("no environment %q in %v", name, names)
		}
		if docs := d.get(t, "/environments/"+name+"/docs").want(t, 200).typed(t, "text/markdown").body; len(docs) < 10 {
			t.Errorf("docs of %s: %q", name, docs)
		}
	}
	d.get(t, "/environments/nothing/docs").want(t, 404, "not_found")
	d.fake(t, "", block)
	metrics := string(d.get(t, "/metrics").want(t, 200).typed(t, "text/plain").body)
	if !strings.Contains(metrics, "# TYPE ") || !strings.Contains(metrics, "\nreeve_") {
		t.Errorf("metrics:\n%.500s", metrics)
	}
	for line := range strings.Lines(metrics) {
		if fields := strings.Fields(line); !strings.HasPrefix(line, "#") && len(fields) < 2 {
			t.Errorf("no metric: %q", line)
		}
	}
	if strings.Contains(metrics, `process="`) || strings.Contains(metrics, `id="`) {
		t.Error("metrics have a label per process")
	}
}

// The socket serves the same, to its owner only.
func TestSocket(t *testing.T) {
	t.Parallel()
	d := shared(t)
	info, err := os.Stat(filepath.Join(d.data, "reeve.sock"))
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode(); mode.Perm() != 0o600 || mode&os.ModeSocket == 0 {
		t.Errorf("the socket's mode is %v", mode)
	}
	a := d.do(t, request{method: "POST", path: "/processes", body: m{"code": "out x", "block": true}, socket: true}).want(t, 201)
	if got := d.record(t, a.json(t).id()).str("stdout"); got != "x\n" {
		t.Errorf("stdout %q", got)
	}
	for _, file := range filesIn(d.data) {
		if info, err := os.Stat(file); err == nil && info.Mode().Perm()&0o077 != 0 && !strings.Contains(file, "/logs/") {
			t.Errorf("%s has mode %v: others may read it", file, info.Mode())
		}
	}
	if info, err := os.Stat(d.data); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the data directory's mode is %v", info.Mode())
	}
}
