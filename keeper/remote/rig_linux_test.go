package remote_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/remote"
)

const patience = 20 * time.Second

func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// config is that of a keeper for one test.
func config(t testing.TB) remote.Config {
	return remote.Config{Dir: filepath.Join(t.TempDir(), "keeper"), Build: "test", Idle: time.Minute}
}

// connect connects to the keeper of a test, which is shut down at the end.
func connect(t testing.TB, c remote.Config) *remote.Client {
	t.Helper()
	cl, err := remote.Connect(soon(t), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shutdown(t, c, cl) })
	return cl
}

// shutdown ends whatever keeper is there at the end of a test.
func shutdown(t testing.TB, c remote.Config, old *remote.Client) {
	t.Helper()
	if err := old.Close(); err != nil {
		t.Error(err)
	}
	if pidOf(c.Dir) == 0 {
		return
	}
	cl, err := remote.Connect(soon(t), c)
	if err != nil {
		t.Error(err)
		return
	}
	if err := cl.Shutdown(soon(t)); err != nil {
		t.Error(err)
	}
	if err := cl.Close(); err != nil {
		t.Error(err)
	}
	eventually(t, "the keeper is gone", func() bool { return pidOf(c.Dir) == 0 })
}

// pidOf finds the keeper of a directory in the machine's process list; 0 is
// none.
func pidOf(dir string) int {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		b, _ := os.ReadFile(f)
		if string(b) == "reeve\x00keeper\x00"+dir+"\x00" {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
			return pid
		}
	}
	return 0
}

// signalKeeper signals a keeper that must be there.
func signalKeeper(t testing.TB, pid int, s syscall.Signal) {
	t.Helper()
	if pid <= 0 {
		t.Fatal("there is no keeper") // 0 would be this very process and its group
	}
	if err := syscall.Kill(pid, s); err != nil {
		t.Fatal(err)
	}
	if s == syscall.SIGSTOP {
		eventually(t, "each of its threads has stopped", func() bool { return stopped(pid) })
	}
}

func stopped(pid int) bool {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, f := range files {
		if stat, _ := os.ReadFile(f); !strings.Contains(string(stat), ") T ") {
			return false
		}
	}
	return true
}

// script is a Spec for the shell; out is where its output goes.
func script(name, body string, out *os.File) keeper.Spec {
	return keeper.Spec{Name: name, Path: "/bin/sh", Args: []string{"-c", body},
		Env: []string{"PATH=" + os.Getenv("PATH")}, Stdout: out, Stderr: out}
}

func start(t testing.TB, s keeper.Spawner, spec keeper.Spec) keeper.Job {
	t.Helper()
	j, err := s.Spawn(soon(t), spec)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func exits(t testing.TB, j keeper.Job, want keeper.Exit) {
	t.Helper()
	got, err := j.Wait(soon(t))
	if err != nil || got != want {
		t.Errorf("exit %+v, %v instead of %+v", got, err, want)
	}
	if err := j.WaitEmpty(soon(t)); err != nil {
		t.Errorf("wait for the tree: %v", err)
	}
}

func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it did not come to pass: %s", what)
		}
	}
}

// alive lists the processes whose command line holds a mark.
func alive(mark string) (all []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		b, _ := os.ReadFile(f)
		if strings.Contains(string(b), mark) {
			all = append(all, strings.ReplaceAll(string(b), "\x00", " "))
		}
	}
	return all
}

var marks int

// mark is an argument of sleep that no other process has.
func mark() string {
	marks++
	return fmt.Sprintf("603.%d%03d", os.Getpid(), marks)
}

func logFile(t testing.TB) *os.File {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(t.TempDir(), "out"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func content(t testing.TB, f *os.File) string {
	t.Helper()
	b, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
