//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/internal/testbin"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/settings"
)

// patience is how long anything may take that is waited for.
const patience = 60 * time.Second

// program is the binary under test.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "reevefake")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	program = filepath.Join(dir, "reeve")
	code := 1
	if err := testbin.Build(program, "."); err != nil {
		fmt.Println(err)
	} else {
		code = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// world is a data directory and the programs that use it.
type world struct {
	t    *testing.T
	data settings.DataDir
	env  []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	// Not t.TempDir: its names can be too long for a socket.
	dir, err := os.MkdirTemp("", "rv")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, data: settings.DataDir(filepath.Join(dir, "data"))}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "REEVE_") && !strings.HasPrefix(v, "XDG_") {
			w.env = append(w.env, v)
		}
	}
	w.env = append(w.env, "REEVE_DATA="+string(w.data), "REEVE_CONFIG=none", "REEVE_STOP_JOBS=true")
	t.Cleanup(func() {
		w.endDaemon()
		os.RemoveAll(dir)
	})
	return w
}

// endDaemon ends a daemon that a client started, if there is one.
func (w *world) endDaemon() {
	pid, ok := w.owner()
	if !ok {
		return
	}
	_ = syscall.Kill(pid, syscall.SIGTERM)
	for giveUp := time.Now().Add(patience); alive(pid); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(giveUp) {
			w.t.Errorf("the daemon %d does not end", pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
			return
		}
	}
}

// owner is the process that owns the data directory.
func (w *world) owner() (pid int, ok bool) {
	b, err := os.ReadFile(filepath.Join(string(w.data), "lock"))
	var holder struct{ PID int }
	if err != nil || json.Unmarshal(b, &holder) != nil || holder.PID == 0 {
		return 0, false
	}
	return holder.PID, alive(holder.PID)
}

// alive reports whether a process runs; a zombie does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist) || !isLinux()
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func isLinux() bool { _, err := os.Stat("/proc/self/stat"); return err == nil }

// command is a command line of the program.
func (w *world) command(args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	w.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = w.env
	cmd.WaitDelay = patience
	return cmd
}

// result is how a command line ended.
type result struct {
	code           int
	stdout, stderr string
}

func (w *world) run(args ...string) result {
	w.t.Helper()
	return w.finish(w.command(args...))
}

func (w *world) finish(cmd *exec.Cmd) result {
	w.t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("%v: %v\n%s", cmd.Args, err, errs.String())
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// client speaks to the daemon over its socket.
func (w *world) client() *client.Client {
	w.t.Helper()
	path, err := w.data.FindSocket()
	if err != nil {
		w.t.Fatal(err)
	}
	c, err := client.New(client.Config{Host: "unix://" + path})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(c.Close)
	return c
}

func (w *world) record(id process.ID) process.Record {
	w.t.Helper()
	rec, err := w.client().Process(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return rec
}

// start runs a shell script in the background and returns its process.
func (w *world) start(script string) process.ID {
	w.t.Helper()
	r := w.run("run", "--detach", "--", "sh", "-c", script)
	id, err := strconv.ParseInt(strings.TrimSpace(r.stdout), 10, 64)
	if err != nil {
		w.t.Fatalf("%+v", r)
	}
	return process.ID(id)
}

// post sends a request over the socket.
func (w *world) post(ctx context.Context, path, body string) (int, error) {
	socket, err := w.data.FindSocket()
	if err != nil {
		return 0, err
	}
	tr := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}
	defer tr.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, "POST", "http://localhost"+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := (&http.Client{Transport: tr}).Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return resp.StatusCode, nil
}
