//go:build linux

package e2e

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A second signal ends the daemon at once, and nothing outlives it.
func TestSecondSignalIsAtOnce(t *testing.T) {
	t.Parallel()
	d := start(t)
	sleep := endless()
	id := d.sh(t, "trap '' TERM; "+sleep+" & echo ready; while :; do wait; done", m{"options": m{"grace": 600000}}).id()
	wantLine(t, d.tap(t, path(id, "/stdout?follow=1")), "ready\n")
	term := func() {
		if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	term()
	waitFor(t, "the daemon to stop accepting", func() bool {
		a, err := d.try(request{method: "POST", path: "/processes", body: m{"code": "", "autorun": false}})
		return err != nil || a.status == 503
	})
	if d.over() {
		t.Error("it ended before the grace of its job was over")
		return
	}
	term()
	select {
	case <-d.exited:
	case <-time.After(patience):
		t.Fatal("two signals did not end the daemon")
	}
	wantGone(t, argument(sleep))
}

// --listen none leaves the socket.
func TestListenNone(t *testing.T) {
	t.Parallel()
	base := newBase(t)
	cmd := exec.Command(suite.binary, "serve", "--listen", "none", "--data", filepath.Join(base, "data"))
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + base, "TMPDIR=" + base, mark(base)}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(base, "data", "reeve.sock"))
	}}}
	waitFor(t, "an answer on the socket", func() bool {
		resp, err := client.Get("http://localhost/health")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == 200
	})
	if ports, err := listening(cmd.Process.Pid); err != nil || len(ports) > 0 {
		t.Errorf("it listens on %v (%v)", ports, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if left := marked(mark(base)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// An address in use is said, with the address.
func TestAddressInUse(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	base := newBase(t)
	cmd := exec.Command(suite.binary, "serve", "--listen", l.Addr().String(), "--data", filepath.Join(base, "data"))
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + base}
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), l.Addr().String()) {
		t.Errorf("it said %v:\n%s", err, out)
	}
}
