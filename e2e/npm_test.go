//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var npmReady = sync.OnceValue(func() error {
	if installed() {
		return nil
	}
	cmd := exec.Command("npm", "ci", "--no-audit", "--no-fund")
	cmd.Dir = "npm"
	if out, err := cmd.CombinedOutput(); err != nil {
		return &toolError{err, out}
	}
	return nil
})

// installed reports whether npm has put every module here that is asked for.
func installed() bool {
	var wanted struct{ DevDependencies map[string]string }
	var lock struct{ Packages map[string]any }
	for file, into := range map[string]any{"npm/package.json": &wanted, "npm/node_modules/.package-lock.json": &lock} {
		if content, err := os.ReadFile(file); err != nil || json.Unmarshal(content, into) != nil {
			return false
		}
	}
	for module := range wanted.DevDependencies {
		if lock.Packages["node_modules/"+module] == nil {
			return false
		}
	}
	return len(wanted.DevDependencies) > 0
}

type toolError struct {
	err error
	out []byte
}

func (e *toolError) Error() string { return e.err.Error() + "\n" + string(e.out) }

// needTool skips a test whose outside tool is absent, but never in CI.
func needTool(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is not installed, and CI needs it", name)
			}
			t.Skipf("%s is not installed", name)
		}
	}
}

func needNPM(t *testing.T) {
	t.Helper()
	needTool(t, "node", "npm")
	if err := npmReady(); err != nil {
		t.Fatalf("npm ci: %v", err)
	}
}

// The description has no error under an independent linter.
func TestOpenAPILint(t *testing.T) {
	t.Parallel()
	needNPM(t)
	file := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(file, shared(t).get(t, "/openapi.json").want(t, 200).body, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "node_modules/@redocly/cli/bin/cli.js", "lint", "--extends=recommended", "--format=json", file)
	cmd.Dir = "npm"
	cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	out, _ := cmd.Output() // its exit code follows its totals
	var report struct {
		Totals   struct{ Errors, Warnings int }
		Problems []struct {
			RuleID, Severity, Message string
			Location                  []struct{ Pointer string }
		}
	}
	if at := strings.Index(string(out), "{"); at < 0 || json.Unmarshal(out[at:], &report) != nil {
		t.Fatalf("the linter said:\n%s", out)
	}
	for _, p := range report.Problems {
		where := ""
		if len(p.Location) > 0 {
			where = p.Location[0].Pointer
		}
		if p.Severity == "error" {
			t.Errorf("%s: %s at %s", p.RuleID, p.Message, where)
		} else {
			t.Logf("%s: %s at %s", p.RuleID, p.Message, where)
		}
	}
	t.Logf("%d errors, %d warnings", report.Totals.Errors, report.Totals.Warnings)
}

// A real EventSource reads a process to its end, also over a lost connection.
func TestEventSource(t *testing.T) {
	t.Parallel()
	needNPM(t)
	d := shared(t)
	id := d.sh(t, "for i in $(seq 1 30); do echo line $i; sleep 0.01; done", m{"interpreter": "none"}).id()
	for _, addr := range []string{d.addr, cutOnce(t, d.addr, 900)} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, "node", "events.mjs", "http://"+addr+path(id, "/events"))
		cmd.Dir = "npm"
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s%s", err, tail(string(out), 2000), said.String())
		}
		if addr != d.addr && said.Len() == 0 {
			t.Error("the connection was not lost")
		}
		var events []m
		for line := range strings.Lines(string(out)) {
			var got struct {
				ID   string
				Data m
			}
			if err := json.Unmarshal([]byte(line), &got); err != nil {
				t.Fatal(err)
			}
			if got.Data["partial"] != true && got.ID != itoa(got.Data.num("seq")) {
				t.Errorf("the event id is %q of %v", got.ID, got.Data)
			}
			events = append(events, got.Data)
		}
		wantSeqs(t, events, 1)
		wantJSON(t, stripped(stored(events)), mustJSON(t, stripped(d.events(t, id))))
	}
}

// cutOnce forwards to an address and loses its first connection after so many
// bytes of the answer.
func cutOnce(t *testing.T, to string, after int64) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	t.Cleanup(func() { l.Close(); wg.Wait() })
	wg.Go(func() {
		for limit := after; ; limit = 1 << 40 {
			client, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { forward(client, to, limit) })
		}
	})
	return l.Addr().String()
}

func forward(client net.Conn, to string, limit int64) {
	defer client.Close()
	server, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer server.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(server, client)
		server.Close() // the client is gone
	}()
	_, _ = io.CopyN(client, server, limit)
	client.Close()
	<-done
}

// curl reads the same, and sees events as they come.
func TestCurl(t *testing.T) {
	t.Parallel()
	needTool(t, "curl")
	d := shared(t)
	id := d.sh(t, "echo one; sleep 0.1; echo two", m{"interpreter": "none"}).id()
	for _, args := range [][]string{
		{"http://" + d.addr + path(id, "/events")},
		{"--unix-socket", filepath.Join(d.data, "reeve.sock"), "http://localhost" + path(id, "/events")},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		out, err := exec.CommandContext(ctx, "curl", append([]string{"-sSfN", "-H", "Accept: text/event-stream"}, args...)...).Output()
		if err != nil {
			t.Fatalf("curl %v: %v", args, err)
		}
		for _, want := range []string{`"line":"one"`, `"line":"two"`, `"kind":"finalized"`, "\nid: 1\n", "data: {"} {
			if !strings.Contains("\n"+string(out), want) {
				t.Errorf("curl %v lacks %q:\n%s", args, want, out)
			}
		}
	}
}
