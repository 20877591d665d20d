//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/reeverun/reeve/settings"
)

// Clients that find no daemon start one, whatever their number.
func TestManyClientsStartOneDaemon(t *testing.T) {
	w := newWorld(t)
	const clients = 20
	results := make([]result, clients)
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() { results[i] = w.run("run", "--", "echo", strconv.Itoa(i)) })
	}
	all.Wait()
	started := 0
	for i, r := range results {
		if r.code != 0 || r.stdout != strconv.Itoa(i)+"\n" {
			t.Errorf("client %d: %+v", i, r)
		}
		started += strings.Count(r.stderr, "started a daemon in the background")
	}
	log, err := os.ReadFile(w.data.Log())
	if err != nil {
		t.Fatal(err)
	}
	if serving := bytes.Count(log, []byte("msg=serving")); started != 1 || serving != 1 {
		t.Errorf("%d clients say they started a daemon, %d have served:\n%s", started, serving, log)
	}
}

// The daemon that a client starts is nobody's child: it has no terminal, no
// directory, no descriptor and no secret of the client.
func TestStartedDaemonKeepsNothingOfItsClient(t *testing.T) {
	w := newWorld(t)
	lock, err := os.Create(filepath.Join(t.TempDir(), "lock"))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	cmd := w.command("run", "--", "true")
	cmd.ExtraFiles = []*os.File{lock} // as of a script that runs under flock
	cmd.Env = append(cmd.Env, "REEVE_TOKEN=hunter2")
	cmd.Dir = t.TempDir()
	if r := w.finish(cmd); r.code != 0 { // which also waits for its pipes to close
		t.Fatalf("%+v", r)
	}
	lock.Close()
	again, err := os.Open(lock.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := syscall.Flock(int(again.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Errorf("the daemon holds a lock of its client's parent: %v", err)
	}
	pid, ok := w.owner()
	if !ok {
		t.Fatal("there is no daemon")
	}
	if sid, err := getsid(pid); sid != pid || err != nil {
		t.Errorf("session %d, %v", sid, err)
	}
	if !isLinux() {
		return
	}
	if cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid)); cwd != "/" {
		t.Errorf("directory %s, %v", cwd, err)
	}
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil || bytes.Contains(environ, []byte("hunter2")) {
		t.Errorf("the daemon has its client's token (%v)", err)
	}
	// Jobs inherit the daemon's environment: the marker must be gone.
	if r := w.run("run", "--", "env"); strings.Contains(r.stdout, "REEVE_READY_FD") {
		t.Error("jobs see how the daemon reported")
	}
}

func TestClientsThatOnlyLookStartNothing(t *testing.T) {
	w := newWorld(t)
	if r := w.run("ps"); r.code != 1 || !strings.Contains(r.stderr, "reeve serve") {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(string(w.data)); err == nil {
		t.Error("the data directory was made")
	}
}

func TestClientsFindASocketElsewhere(t *testing.T) {
	w := newWorld(t)
	short := filepath.Join(filepath.Dir(string(w.data)), "run")
	if err := os.Mkdir(short, 0o700); err != nil {
		t.Fatal(err)
	}
	w.data = settings.DataDir(filepath.Join(string(w.data), strings.Repeat("deep/", 30)))
	w.env = append(w.env, "REEVE_DATA="+string(w.data), "XDG_RUNTIME_DIR="+short)
	if r := w.run("run", "--", "echo", "found"); r.stdout != "found\n" {
		t.Errorf("%+v", r)
	}
	if r := w.run("ps", "-a", "--json"); r.code != 0 || !strings.Contains(r.stdout, `"id":1`) {
		t.Errorf("%+v", r)
	}
}

// A client waits for a daemon that is about to end, and starts its successor.
func TestClientOutwaitsAStoppingDaemon(t *testing.T) {
	w := newWorld(t)
	s := w.serve("--listen=none")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if err := w.client().Health(ctx); err != nil {
		t.Fatal(err)
	}
	// The socket is gone, as at the very end, but the directory is not free.
	if err := os.Remove(w.data.Socket()); err != nil {
		t.Fatal(err)
	}
	waiting := w.command("run", "--", "echo", "after")
	done := make(chan result, 1)
	go func() { done <- w.finish(waiting) }()
	s.eventually("the client has been refused the directory", func() bool {
		log, _ := os.ReadFile(w.data.Log())
		return bytes.Contains(log, []byte("is in use by"))
	})
	s.signal(syscall.SIGTERM)
	s.wait()
	if r := <-done; r.stdout != "after\n" || r.code != 0 {
		t.Errorf("%+v", r)
	}
}

func getsid(pid int) (int, error) {
	sid, _, errno := syscall.Syscall(syscall.SYS_GETSID, uintptr(pid), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(sid), nil
}
