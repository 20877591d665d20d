//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// command runs the command line against a daemon's data directory.
func (d *daemon) command(t testing.TB, args ...string) string {
	t.Helper()
	cmd := exec.Command(d.binary, append(args, "--data", d.data)...)
	cmd.Env, cmd.Dir = d.cmd.Env, d.base
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("reeve %v: %v\n%s%s", args, err, out, said.String())
	}
	return string(out)
}

// secretOf finds the secret in what token create printed: its longest word.
func secretOf(t testing.TB, out string) (secret string) {
	t.Helper()
	for _, word := range regexp.MustCompile(`[A-Za-z0-9_.\-]{20,}`).FindAllString(out, -1) {
		if len(word) > len(secret) {
			secret = word
		}
	}
	if secret == "" {
		t.Fatalf("no secret in %q", out)
	}
	return secret
}

// Until a token exists loopback needs none; from then on TCP does, the socket
// does not, and each scope allows what it says.
func TestTokens(t *testing.T) {
	t.Parallel()
	d := start(t)
	id := d.fake(t, "", block).id()
	read := secretOf(t, d.command(t, "token", "create", "--scope", "read"))
	run := secretOf(t, d.command(t, "token", "create", "--scope", "run"))
	admin := secretOf(t, d.command(t, "token", "create", "--scope", "admin"))
	both := secretOf(t, d.command(t, "token", "create", "--scope", "read", "--scope", "run"))
	as := func(token, method, path string, body any) answer {
		header := m{}
		if token != "" {
			header["Authorization"] = "Bearer " + token
		}
		return d.do(t, request{method: method, path: path, body: body, header: header})
	}
	for _, path := range []string{"/processes", path(id, ""), "/events", "/metrics", "/environments", "/mci/processes", path(id, "/stdout"), "/openapi.json"} {
		a := as("", "GET", path, nil).want(t, 401, "unauthorized")
		if a.header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: no WWW-Authenticate", path)
		}
		as("wrong"+read[5:], "GET", path, nil).want(t, 401, "unauthorized")
		as(read[:len(read)-1], "GET", path, nil).want(t, 401, "unauthorized")
	}
	as("", "POST", "/processes", m{"code": ""}).want(t, 401, "unauthorized")
	as("", "GET", "/processes/abc", nil).want(t, 401, "unauthorized") // says nothing to strangers
	as("", "GET", "/health", nil).want(t, 200)
	for _, token := range []string{read, both, admin} {
		as(token, "GET", path(id, ""), nil).want(t, 200)
		as(token, "GET", "/processes", nil).want(t, 200)
		as(token, "GET", "/overview", nil).want(t, 200)
	}
	as(read, "POST", "/processes", m{"code": ""}).want(t, 403, "forbidden")
	as(read, "POST", path(id, "/signals/run"), m{"force": true}).want(t, 403, "forbidden")
	as(read, "POST", path(id, "/signals/kill"), nil).want(t, 403, "forbidden")
	as(read, "POST", "/mci/processes", m{"code": ""}).want(t, 403, "forbidden")
	as(read, "DELETE", path(id, ""), nil).want(t, 403, "forbidden")
	for _, token := range []string{run, both, admin} {
		as(token, "POST", "/processes", m{"code": "", "block": true}).want(t, 201)
		as(token, "POST", path(id, "/signals/run"), m{"force": true, "block": true}).want(t, 200)
	}
	d.do(t, request{method: "GET", path: "/processes", socket: true}).want(t, 200)
	d.do(t, request{method: "POST", path: "/processes", body: m{"code": ""}, socket: true}).want(t, 201)
	d.do(t, request{method: "GET", path: "/processes?token=" + read}).want(t, 401, "unauthorized")
	d.do(t, request{method: "GET", path: "/processes", header: m{"Authorization": "Basic " + read}}).want(t, 401, "unauthorized")
	for _, file := range filesIn(d.data) {
		content, _ := os.ReadFile(file)
		for _, secret := range []string{read, run, admin, both} {
			if strings.Contains(string(content), secret) {
				t.Errorf("a token's secret is in %s", file)
			}
		}
	}
	for _, secret := range []string{read, run, admin, both} {
		if strings.Contains(d.log.String(), secret) {
			t.Error("a token's secret is in the daemon's log")
		}
	}
}

// A daemon does not show itself to others without a token.
func TestRefusesToBindElsewhere(t *testing.T) {
	t.Parallel()
	base := newBase(t)
	cmd := exec.Command(suite.binary, "serve", "--listen", "0.0.0.0:0", "--data", base+"/data")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + base}
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "token") {
		t.Errorf("it answered %v:\n%s", err, out)
	}
}
