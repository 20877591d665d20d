//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestDetach(t *testing.T) {
	w := newWorld(t)
	r := w.run("serve", "--detach", "--listen", "127.0.0.1:0")
	pid, ok := w.owner()
	addr, err := os.ReadFile(w.data.AddressFile())
	if err != nil || !ok {
		t.Fatalf("%+v, %v", r, err)
	}
	address := strings.TrimSpace(string(addr))
	if r.code != 0 || r.stdout != "" || !strings.Contains(r.stderr, address) || !strings.Contains(r.stderr, fmt.Sprintf("pid %d", pid)) {
		t.Errorf("%+v", r)
	}
	resp, err := http.Get("http://" + address + "/health")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", resp, err)
	}
	resp.Body.Close()
	if info, err := os.Stat(w.data.Log()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("log: %v, %v", info, err)
	}

	r = w.run("serve", "--detach", "--listen", "none")
	if r.code != 1 || !strings.Contains(r.stderr, "is in use by") {
		t.Errorf("a second one: %+v", r)
	}
	if r = w.run("serve", "--detach", "--listen", "0.0.0.0:0", "--data", t.TempDir()); r.code != 1 || !strings.Contains(r.stderr, "reeve token create") {
		t.Errorf("without a token: %+v", r)
	}
	if r = w.run("serve", "--detach", "--grace", "soon"); r.code != 2 || !strings.Contains(r.stderr, "--grace") {
		t.Errorf("a bad setting: %+v", r)
	}
}

// Paths of a daemon in the background mean what they meant where it was started.
func TestDetachKeepsRelativePaths(t *testing.T) {
	w := newWorld(t)
	dir := filepath.Dir(string(w.data))
	if err := os.WriteFile(filepath.Join(dir, "reeve.yaml"), []byte("log-dir: output\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := w.command("serve", "--detach", "--listen=none", "--data=data", "--config=reeve.yaml", "--json")
	cmd.Dir = dir
	r := w.finish(cmd)
	var told struct {
		PID     int
		Address string
	}
	if err := json.Unmarshal([]byte(r.stdout), &told); err != nil || told.Address != "unix://"+w.data.Socket() {
		t.Fatalf("%+v, %v", r, err)
	}
	if r := w.run("run", "--", "echo", "hi"); r.stdout != "hi\n" {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(filepath.Join(dir, "output", "1")); err != nil {
		t.Error(err)
	}
}

// A service manager hears when it serves and when it stops.
func TestServiceManagerIsTold(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(filepath.Dir(string(w.data)), "notify")
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	heard := func() string {
		b := make([]byte, 100)
		_ = manager.SetReadDeadline(time.Now().Add(patience))
		n, err := manager.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(b[:n])
	}
	w.env = append(w.env, "NOTIFY_SOCKET="+path)
	s := w.serve()
	if got := heard(); got != "READY=1" {
		t.Errorf("at the start: %q", got)
	}
	s.signal(syscall.SIGTERM)
	if got := heard(); got != "STOPPING=1" {
		t.Errorf("at the end: %q", got)
	}
}
