package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/tool"
	"github.com/reeverun/reeve/tool/mcp"
)

// hostile serves over HTTP what a test has made of a server.
func hostile(t *testing.T, s *sdk.Server) *httptest.Server {
	t.Helper()
	h := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(func() { end(h, s) })
	return h
}

func toolOf(name, description string) *sdk.Tool {
	return &sdk.Tool{Name: name, Description: description, InputSchema: json.RawMessage(`{"type":"object"}`)}
}

// An error's text is cut; what is left of a secret at the cut is one, too. And a
// server may describe itself with what it was given.
func TestHostileServerTellsItsCredentials(t *testing.T) {
	const key = "k3y-that-must-not-be-told-to-anyone"
	s := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, &sdk.ServerOptions{Instructions: "connect with " + key})
	s.AddTool(toolOf("cut", "uses "+key), func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: strings.Repeat("x", 4<<10-20) + key}}}, nil
	})
	r, _ := open(t, mcp.Config{URL: hostile(t, s).URL, Headers: map[string]process.Secret{"X-Api-Key": key}})
	_, err := call(t, r, "cut", "{}")
	wantCode(t, err, process.ToolFailed, "")
	for what, text := range map[string]string{"the error": err.Error(), "services": fmt.Sprintf("%+v", r.Services()),
		"tools": fmt.Sprintf("%s", r.Tools("")), "declarations": r.Declarations(nil)} {
		if strings.Contains(text, "k3y-t") {
			t.Errorf("%s: %s", what, text)
		}
	}
}

// A server has any number of pages for its list.
func TestHostileListing(t *testing.T) {
	s := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, &sdk.ServerOptions{PageSize: 1})
	for i := range 12 {
		s.AddTool(toolOf(fmt.Sprintf("t%d", i), strings.Repeat("d", 6<<20)), nil)
	}
	a := mcp.New(mcp.Config{URL: hostile(t, s).URL})
	defer a.Close()
	if _, err := a.Open(t.Context()); err == nil || !strings.Contains(err.Error(), "to describe") {
		t.Errorf("%v", err)
	}
}

// deaf answers what it must to be ready, and then reads no more.
const deaf = `while read -r line; do
	id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
	case "$line" in
	*'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"deaf","version":"1"}}}';;
	*'"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"deaf","inputSchema":{"type":"object"}}]}}'; exec sleep 1000;;
	*) [ -z "$id" ] || echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"no"}}';;
	esac
done`

// A program that reads nothing any more: what is sent to it waits for ever,
// whatever time its calls have. They must not pile up in the host.
func TestHostileServerStopsReading(t *testing.T) {
	j := &journal{}
	cfg := mcp.Config{Command: []string{"sh", "-c", deaf}, Logger: j.logger()}
	r := tool.New(tool.Config{Logger: j.logger(), Retry: 20 * time.Millisecond, CallTimeout: 10 * time.Millisecond, DrainTimeout: 100 * time.Millisecond})
	if err := r.Add("m", mcp.New(cfg)); err != nil {
		t.Fatal(err)
	}
	r.Start(t.Context())
	defer r.Close()
	if err := r.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	params := json.RawMessage(`{"a":"` + strings.Repeat("x", 128<<10) + `"}`)
	most := 0
	for range 500 {
		_, err := r.Call(t.Context(), process.ToolCall{Service: "m", Tool: "deaf", Params: params})
		if err == nil {
			t.Fatal("a deaf server answered")
		}
		most = max(most, runtime.NumGoroutine())
	}
	// A hundred may be left over, and more for a moment on a busy machine while a
	// connection is closed; without a bound all five hundred would be.
	if most > before+450 {
		t.Errorf("%d goroutines, %d before", most, before)
	}
}
