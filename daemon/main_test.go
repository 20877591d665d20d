package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/settings"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long anything may take that is waited for.
const patience = 20 * time.Second

// fixture is a daemon in this process.
type fixture struct {
	t       *testing.T
	s       settings.Settings
	w       Wiring
	l       limits
	signals chan os.Signal
	log     *lines

	addr  string
	ended chan error
}

// lines is a log that tests can read.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// prepare makes a daemon that is not started yet. Flags are "name=value".
func prepare(t *testing.T, flags ...string) *fixture {
	t.Helper()
	given := map[string][]string{"data": {t.TempDir()}, "listen": {"127.0.0.1:0"}, "config": {"none"}}
	for _, f := range flags {
		name, value, _ := strings.Cut(f, "=")
		given[name] = []string{value}
	}
	s, err := settings.Load(settings.Sources{Flags: given})
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, s: s, l: defaultLimits(), signals: make(chan os.Signal, 3), log: &lines{}, ended: make(chan error, 1)}
	f.w = Wiring{Log: f.log, Version: api.Version{Version: "test"},
		Signals: func() (<-chan os.Signal, func()) { return f.signals, func() {} },
		Environments: func(Parts) (map[string]env.Environment, error) {
			return map[string]env.Environment{"fake": &envfake.Env{}}, nil
		}}
	return f
}

// start runs it and waits until it serves.
func (f *fixture) start() *fixture {
	f.t.Helper()
	ready := make(chan string, 1)
	go func() { f.ended <- run(context.Background(), f.s, f.w, f.l, func(addr string) { ready <- addr }) }()
	select {
	case f.addr = <-ready:
	case err := <-f.ended:
		f.t.Fatalf("it did not start: %v\n%s", err, f.log)
	case <-time.After(patience):
		f.t.Fatalf("it does not start:\n%s", f.log)
	}
	f.t.Cleanup(func() {
		select {
		case f.signals <- os.Interrupt:
		default:
		}
		select {
		case err := <-f.ended:
			f.ended <- err
		case <-time.After(patience):
			f.t.Errorf("it does not stop:\n%s", f.log)
		}
	})
	return f
}

// stop interrupts it and waits for its end.
func (f *fixture) stop() {
	f.t.Helper()
	f.signals <- os.Interrupt
	f.await()
}

func (f *fixture) await() {
	f.t.Helper()
	select {
	case err := <-f.ended:
		f.ended <- err
		if err != nil {
			f.t.Errorf("it ended with %v\n%s", err, f.log)
		}
	case <-time.After(patience):
		f.t.Fatalf("it does not stop:\n%s", f.log)
	}
}

// fails runs it and returns why it does not start.
func (f *fixture) fails() error {
	f.t.Helper()
	err := run(context.Background(), f.s, f.w, f.l, func(string) { f.t.Error("it serves") })
	if err == nil {
		f.t.Fatal("it did not fail")
	}
	return err
}

// overSocket is a client of the unix socket.
func (f *fixture) overSocket() *http.Client {
	path, err := settings.DataDir(f.s.Data).FindSocket()
	if err != nil {
		f.t.Fatal(err)
	}
	tr := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}
	f.t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: patience}
}

func (f *fixture) overTCP() *http.Client {
	tr := &http.Transport{}
	f.t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: patience}
}

// call sends a request over the socket and returns status and body.
func (f *fixture) call(method, path, body string) (int, []byte) {
	f.t.Helper()
	status, b, err := f.try(f.overSocket(), "http://localhost", method, path, body)
	if err != nil {
		f.t.Fatalf("%s %s: %v", method, path, err)
	}
	return status, b
}

func (f *fixture) try(c *http.Client, base, method, path, body string) (int, []byte, error) {
	req, err := http.NewRequest(method, base+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, b, err
}

// create makes a process and returns its record.
func (f *fixture) create(body string) process.Record {
	f.t.Helper()
	status, b := f.call("POST", "/processes", body)
	var rec process.Record
	if err := json.Unmarshal(b, &rec); status != http.StatusCreated || err != nil {
		f.t.Fatalf("create: %d %s %v", status, b, err)
	}
	return rec
}

func (f *fixture) record(id process.ID) process.Record {
	f.t.Helper()
	status, b := f.call("GET", fmt.Sprintf("/processes/%d", id), "")
	var rec process.Record
	if err := json.Unmarshal(b, &rec); status != http.StatusOK || err != nil {
		f.t.Fatalf("get: %d %s %v", status, b, err)
	}
	return rec
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for giveUp := time.Now().Add(patience); !cond(); {
		if time.Now().After(giveUp) {
			t.Fatalf("it never came to pass that %s", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}
