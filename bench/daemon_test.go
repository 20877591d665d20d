package bench

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
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reeverun/reeve/internal/testbin"
)

// binary is the built program, scratch the folder of all data; TestMain makes
// both and removes them last: a file system that has just freed many inodes
// takes long to make new ones.
var binary, scratch string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "reeve-bench-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		scratch = dir
		binary = filepath.Join(dir, "reeve")
		if err := testbin.Make(binary); err != nil {
			fmt.Println(err)
			return 1
		}
		return m.Run()
	}())
}

// daemon is a running one, spoken to over its socket.
type daemon struct {
	pid  int
	http *http.Client
}

func start(b testing.TB, dir string, args ...string) *daemon {
	b.Helper()
	cmd := exec.Command(binary, append([]string{"serve", "--data", dir, "--listen", "none", "--log-level", "warn", "--stop-jobs"}, args...)...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			b.Errorf("daemon: %v", err)
		}
	})
	socket := filepath.Join(dir, "reeve.sock")
	d := &daemon{pid: cmd.Process.Pid, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}}}}
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		res, err := d.http.Get("http://reeve/ready")
		if err == nil {
			res.Body.Close()
			return d
		}
		if time.Now().After(end) {
			b.Fatalf("the daemon does not answer: %v", err)
		}
	}
}

// run creates a process, waits for its end and returns its id.
func (d *daemon) run(body string) (int64, error) {
	res, err := d.http.Post("http://reeve/processes", "application/json", strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err
	}
	var rec struct {
		ID        int64  `json:"id"`
		ExitState string `json:"exitState"`
	}
	if err := json.Unmarshal(raw, &rec); err != nil || res.StatusCode != 201 || rec.ExitState != "success" {
		return 0, fmt.Errorf("%d %s: %v", res.StatusCode, raw, err)
	}
	return rec.ID, nil
}

// memory is the daemon's resident memory in bytes.
func (d *daemon) memory(b testing.TB) int64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.pid))
	if err != nil {
		b.Skip("no /proc to read memory from: ", err)
	}
	_, rest, _ := bytes.Cut(status, []byte("VmRSS:"))
	var kb int64
	fmt.Sscan(string(rest), &kb)
	return kb << 10
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func shortDir(b testing.TB) string {
	b.Helper()
	dir, err := os.MkdirTemp(scratch, "")
	if err != nil {
		b.Fatal(err)
	}
	return dir
}
