//go:build linux

package torture

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// daemon is a data directory and the daemon that serves it now.
type daemon struct {
	t     testing.TB
	dir   string // holds the data directory, its tools and the daemon's log
	flags []string
	http  *http.Client
	log   *os.File
	cmd   *exec.Cmd
	over  chan struct{} // closed when cmd was waited for
}

func newDaemon(t testing.TB, dir string, flags ...string) *daemon {
	t.Helper()
	log, err := os.Create(filepath.Join(dir, "daemon.log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	d := &daemon{t: t, dir: dir, flags: flags, log: log}
	d.http = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(d.data(), "reeve.sock"))
	}}}
	t.Cleanup(d.kill)
	return d
}

func (d *daemon) data() string { return filepath.Join(d.dir, "data") }

// launch starts the process; ready waits until it serves.
func (d *daemon) launch(more ...string) {
	d.t.Helper()
	args := append([]string{"serve", "--data", d.data(), "--listen", "none", "--log-level", "warn"}, d.flags...)
	d.cmd = exec.Command(suite.binary, append(args, more...)...)
	d.cmd.Dir, d.cmd.Stdout, d.cmd.Stderr = d.dir, d.log, d.log
	if err := d.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	over := make(chan struct{})
	d.over = over
	go func(cmd *exec.Cmd) { _ = cmd.Wait(); close(over) }(d.cmd)
}

func (d *daemon) ready() {
	d.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
		status, answer, err := d.do("GET", "/ready", nil, "")
		if err == nil && status == 200 {
			return
		}
		select {
		case <-d.over:
			d.t.Fatalf("the daemon does not start: %v\n%s", d.cmd.ProcessState, d.said())
		default:
		}
		if time.Now().After(end) {
			_ = d.cmd.Process.Signal(syscall.SIGQUIT) // it says where it is
			<-d.over
			d.t.Fatalf("the daemon does not get ready: %d %.300s %v\n%s", status, answer, err, d.stack())
		}
	}
}

// kill ends the daemon as a crash does.
func (d *daemon) kill() {
	if d.cmd == nil {
		return
	}
	_ = d.cmd.Process.Kill()
	<-d.over
	d.http.CloseIdleConnections()
}

// stop ends the daemon as an operator does.
func (d *daemon) stop() {
	d.t.Helper()
	_ = d.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-d.over:
	case <-time.After(patience):
		d.t.Errorf("SIGTERM does not end the daemon:\n%s", d.said())
		d.kill()
	}
	if code := d.cmd.ProcessState.ExitCode(); code != 0 {
		d.t.Errorf("after SIGTERM the daemon exits with %d:\n%s", code, d.said())
	}
}

// replace puts another daemon in the place of this one.
func (d *daemon) replace() {
	d.t.Helper()
	old, over := d.cmd, d.over
	d.launch("--replace")
	select {
	case <-over:
	case <-d.over:
		d.t.Fatalf("the new daemon ends: %v\n%s", d.cmd.ProcessState, d.said())
	case <-time.After(patience):
		d.t.Fatalf("the old daemon does not give its place up:\n%s", d.said())
	}
	if code := old.ProcessState.ExitCode(); code != 0 {
		d.t.Errorf("the daemon that was replaced exits with %d:\n%s", code, d.said())
	}
	d.http.CloseIdleConnections()
}

// stack is where the daemon's first goroutine was when it was asked.
func (d *daemon) stack() string {
	text, _ := os.ReadFile(d.log.Name())
	at := max(0, bytes.LastIndex(text, []byte("\ngoroutine 1 ")))
	return string(text[at:min(len(text), at+8000)])
}

// said is the end of what all daemons of the directory have logged.
func (d *daemon) said() string {
	text, _ := os.ReadFile(d.log.Name())
	return string(text[max(0, len(text)-4000):])
}

// do makes one request and reads its answer. An error means that there was
// none: what was asked for may have happened or not.
func (d *daemon) do(method, path string, body any, key string) (status int, answer []byte, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return d.ask(ctx, method, path, body, key)
}

func (d *daemon) ask(ctx context.Context, method, path string, body any, key string) (status int, answer []byte, err error) {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		content = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://reeve"+path, content)
	if err != nil {
		return 0, nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := d.http.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	answer, err = io.ReadAll(res.Body)
	return res.StatusCode, answer, err
}

// get reads what must be there.
func (d *daemon) get(path string, into any) error {
	status, answer, err := d.do("GET", path, nil, "")
	if err != nil {
		return err
	}
	if status != 200 {
		return fmt.Errorf("GET %s: %d %.300s", path, status, answer)
	}
	if raw, ok := into.(*[]byte); ok {
		*raw = answer
		return nil
	}
	return json.Unmarshal(answer, into)
}
