package peer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/internal/peers"
)

// sandboxAgent is a server that is spoken to over HTTP. It keeps the last 10 MB
// of what a command prints, in memory.
type sandboxAgent struct {
	server *peers.Server
	base   string
	client http.Client
	last   string   // command that was run
	ids    []string // of what was started
}

func openSandboxAgent(s *Set, ctx context.Context, dir string) (manager, error) {
	root, err := s.npm(ctx, "sandbox-agent")
	if err != nil {
		return nil, err
	}
	address, err := freePort()
	if err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(address)
	path := filepath.Join(root, "node_modules/@sandbox-agent/cli-linux-x64/bin/sandbox-agent")
	if err := os.Chmod(path, 0o755); err != nil { // its script of installation may be off
		return nil, err
	}
	a := &sandboxAgent{base: "http://" + address + "/v1"}
	h := peers.Home{Dir: dir, Env: []string{"HOME=" + dir, "XDG_DATA_HOME=" + dir, "XDG_CONFIG_HOME=" + dir}}
	if a.server, err = h.Serve(path, "server", "--no-telemetry", "--no-token", "--port", port); err != nil {
		return nil, err
	}
	err = peers.Soon(func() error { return a.do(ctx, "GET", "/health", nil, nil) })
	if err == nil {
		err = a.do(ctx, "POST", "/processes/config", map[string]any{"maxConcurrentProcesses": 10_000, "defaultRunTimeoutMs": 600_000,
			"maxRunTimeoutMs": 600_000, "maxOutputBytes": 1 << 20, "maxLogBytesPerProcess": 10 << 20, "maxInputBytesPerRequest": 1 << 16}, nil)
	}
	if err != nil {
		_ = a.close()
		return nil, err
	}
	return a, nil
}

// freePort is an address of the loopback that nobody listens on, a moment ago.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// sandboxed is a process as sandbox-agent shows it.
type sandboxed struct {
	ID, Status string
	ExitCode   *int
}

// run is one request for a command that prints little. For more there is a
// process that is asked after: the request would return a part of the output.
func (a *sandboxAgent) run(ctx context.Context, argv ...string) error {
	if len(argv) == 1 {
		var end struct{ ExitCode *int }
		err := a.do(ctx, "POST", "/processes/run", command(argv), &end)
		if err == nil && (end.ExitCode == nil || *end.ExitCode != 0) {
			err = fmt.Errorf("%q did not end well", argv)
		}
		return err
	}
	var p sandboxed
	if err := a.do(ctx, "POST", "/processes", command(argv), &p); err != nil {
		return err
	}
	a.last = p.ID
	return lab.Until(ctx, 10*peers.Patience, func() bool {
		return a.do(ctx, "GET", "/processes/"+p.ID, nil, &p) == nil && p.Status == "exited"
	})
}

func command(argv []string) any { return map[string]any{"command": argv[0], "args": argv[1:]} }

func (a *sandboxAgent) start(ctx context.Context, n int, argv ...string) error {
	for range n {
		var p sandboxed
		if err := a.do(ctx, "POST", "/processes", command(argv), &p); err != nil {
			return err
		}
		a.ids = append(a.ids, p.ID)
	}
	return nil
}

func (a *sandboxAgent) kill(ctx context.Context) error {
	for _, id := range a.ids {
		if err := a.do(ctx, "POST", "/processes/"+id+"/kill?waitMs=60000", nil, nil); err != nil {
			return err
		}
	}
	a.ids = nil
	return nil
}

func (a *sandboxAgent) kept(ctx context.Context) (n int64, err error) {
	var logs struct {
		Entries []struct{ Data []byte } // base64
	}
	err = a.do(ctx, "GET", "/processes/"+a.last+"/logs", nil, &logs)
	for _, e := range logs.Entries {
		n += int64(len(e.Data))
	}
	return n, err
}

func (a *sandboxAgent) forget() error {
	return a.do(context.Background(), "DELETE", "/processes/"+a.last, nil, nil)
}

func (a *sandboxAgent) pids() []int { return []int{a.server.PID()} }

func (a *sandboxAgent) close() error {
	a.client.CloseIdleConnections()
	a.server.End()
	return nil
}

func (a *sandboxAgent) do(ctx context.Context, method, path string, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	var sent io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, a.base+path, sent)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := a.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %d %.200s", method, path, res.StatusCode, raw)
	}
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(raw, into)
}
