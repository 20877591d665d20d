package mcp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/tool"
	"github.com/reeverun/reeve/tool/mcp"
)

// everything is the protocol's own example server, from npm.
func everything(t *testing.T) string {
	t.Helper()
	script, err := filepath.Abs("../../e2e/npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	if _, err := os.Stat(script); err != nil {
		t.Skip("the MCP example server is not installed: run npm ci in e2e/npm")
	}
	return script
}

// usesEverything calls what the example server offers.
func usesEverything(t *testing.T, r *tool.Registry) {
	t.Helper()
	info := r.Services()[0]
	if info.State != tool.Ready || info.Tools < 8 {
		t.Fatalf("got %+v (%v)", info, info.Error)
	}
	if got, err := call(t, r, "echo", `{"message":"hello"}`); got != `"Echo: hello"` || err != nil {
		t.Error(got, err)
	}
	if got, err := call(t, r, "get-sum", `{"a":2,"b":40}`); !strings.Contains(got, "42") || err != nil {
		t.Error(got, err)
	}
	_, err := call(t, r, "get-sum", `{"a":"2","b":40}`)
	wantCode(t, err, process.ToolInvalid, "params.a: expected number, got string")
	got, err := call(t, r, "get-structured-content", `{"location":"New York"}`)
	var weather struct {
		Temperature *float64
		Conditions  string
	}
	if err != nil || json.Unmarshal([]byte(got), &weather) != nil || weather.Temperature == nil {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := call(t, r, "get-tiny-image", ""); !strings.HasPrefix(got, `{"content":[`) || !strings.Contains(got, "image/png") || err != nil {
		t.Errorf("%.200s, %v", got, err)
	}
	i, err := r.Tool("m", "get-structured-content")
	if err != nil || !strings.Contains(i.Declaration, `"get-structured-content"(params: {`) || !strings.Contains(i.Declaration, "temperature: number;") {
		t.Errorf("%v\n%s", err, i.Declaration)
	}
}

func TestEverythingOverStdio(t *testing.T) {
	r, _ := open(t, mcp.Config{
		Command: []string{"node", everything(t), "stdio"},
		Env:     map[string]process.Secret{"SOME_TOKEN": secret},
	})
	usesEverything(t, r)
	if got, err := call(t, r, "get-env", ""); err != nil || !strings.Contains(got, `"SOME_TOKEN"`) || strings.Contains(got, secret) {
		t.Errorf("%s, %v", got, err)
	}
}

func TestEverythingOverHTTP(t *testing.T) {
	script := everything(t)
	port := freePort(t)
	cmd := exec.CommandContext(t.Context(), "node", script, "streamableHttp")
	cmd.Env = append(os.Environ(), fmt.Sprintf("PORT=%d", port))
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(stderr); s.Scan(); {
			select {
			case lines <- s.Text():
			default:
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		for range lines { // until its stderr ends
		}
		_ = cmd.Wait()
	})
	for line := range lines {
		if strings.Contains(line, "listening") {
			break
		}
	}
	r, _ := open(t, mcp.Config{URL: fmt.Sprintf("http://127.0.0.1:%d/mcp", port)})
	usesEverything(t, r)
	_ = r.Close()
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
