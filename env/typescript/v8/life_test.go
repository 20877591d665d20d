//go:build cgo && linux && (amd64 || arm64)

package v8

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/env/typescript/engine"
)

// alive says whether a process exists and is no zombie.
func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

func ownCgroups(t *testing.T) []string {
	t.Helper()
	places, err := cgroupPlaces()
	if err != nil {
		t.Skip("no cgroups here: ", err)
	}
	var found []string
	for _, place := range places {
		dirs, _ := filepath.Glob(filepath.Join(place, fmt.Sprintf("%s%d-*", cgroupPrefix, os.Getpid())))
		found = append(found, dirs...)
	}
	return found
}

func TestCloseLeavesNothing(t *testing.T) {
	e := startEngine(t, Config{})
	var pids []int
	for range 5 {
		c := takeChild(t, e, engine.Options{})
		give(t, c, program(`print("started"); for (;;) {}`))
		if _, _, err := engine.NewReader(c).Next(); err != nil {
			t.Fatal(err)
		}
		pids = append(pids, c.PID())
	}
	stopped := suspend(t, takeChild(t, e, engine.Options{}))
	if err := stopped.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	jitless := takeChild(t, e, engine.Options{NoJIT: true})
	pids = append(pids, stopped.PID(), jitless.PID())
	for _, n := range []*nursery{e.jit, e.jitless} {
		n.mu.Lock()
		pids = append(pids, n.current.process.Pid)
		for _, c := range n.ready {
			pids = append(pids, c.PID())
		}
		n.mu.Unlock()
	}
	for _, pid := range pids {
		if !alive(pid) {
			t.Errorf("%d is not alive before Close", pid)
		}
	}
	for range 2 {
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, pid := range pids {
		if alive(pid) {
			t.Errorf("%d is alive after Close", pid)
		}
	}
	if dirs := ownCgroups(t); len(dirs) > 0 {
		t.Errorf("cgroups are left: %v", dirs)
	}
	for _, c := range []*child{stopped, jitless} {
		if exit, err := c.Wait(t.Context()); err != nil || exit.Signal != "SIGKILL" {
			t.Errorf("got %+v, %v", exit, err)
		}
		c.Close()
	}
	if _, err := e.Child(t.Context(), engine.Options{}); !errors.Is(err, errClosed) {
		t.Errorf("a child after Close: %v", err)
	}
}

func TestOrderOfCalls(t *testing.T) {
	e := New(Config{Prelude: testPrelude})
	if _, err := e.Child(t.Context(), engine.Options{}); !errors.Is(err, errNotStarted) {
		t.Errorf("a child before Start: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := e.Start(t.Context()); !errors.Is(err, errClosed) {
		t.Errorf("Start after Close: %v", err)
	}
	again := startEngine(t, Config{})
	if err := again.Start(t.Context()); err != nil {
		t.Errorf("a second Start: %v", err)
	}
}

func TestStartReports(t *testing.T) {
	for code, want := range map[string]string{
		`this is no code`: "SyntaxError",
		`1`:               "no function",
		`(function () { throw new Error("broken") })`:    "broken",
		`(function () { return {} })`:                    "no hook start",
		`(function (n) { n.random(new Uint8Array(1)) })`: "before the program starts",
	} {
		e := New(Config{Prelude: code})
		if err := e.Start(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", code, err, want)
		}
		e.Close()
	}
	e := New(Config{Prelude: testPrelude, Executable: "/no/such/program"})
	defer e.Close()
	if err := e.Start(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	late := New(Config{Prelude: testPrelude})
	defer late.Close()
	if err := late.Start(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestVersionIsThatOfTheLibrary(t *testing.T) {
	e := startEngine(t, Config{})
	if got := e.jit.current.version; got != Version && !strings.HasPrefix(got, Version+"-") {
		t.Errorf("the library is %s, Version is %s", got, Version)
	}
}

func TestZygoteDiesAndIsReplaced(t *testing.T) {
	e := startEngine(t, Config{})
	c := suspend(t, takeChild(t, e, engine.Options{}))
	defer c.Close()
	old := e.jit.current
	if err := old.process.Kill(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if exit, err := c.Wait(ctx); err != nil || exit.Signal != "SIGKILL" {
		t.Errorf("a child of the dead: %+v, %v", exit, err)
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("its channel: %v", err)
	}
	for range 10 {
		wantDone(t, run(t, e, program(`print(1)`)), "1\n")
	}
	<-old.ended
	if alive(c.PID()) {
		t.Error("the child is alive")
	}
}

func TestZygoteIsRefreshed(t *testing.T) {
	e := startEngine(t, Config{Refresh: 10, Ahead: 2})
	first := e.jit.current
	c := suspend(t, takeChild(t, e, engine.Options{}))
	await(t, "another zygote", func() bool {
		wantDone(t, run(t, e, program(`print(1)`)), "1\n")
		z, err := e.jit.zygote(t.Context())
		return err == nil && z != first
	})
	if first.gone() {
		t.Error("the first zygote left a child alone")
	}
	if err := answer(c, []byte(`{"id":1,"params":1}`)); err != nil {
		t.Fatal(err)
	}
	if r, err := follow(c); err != nil || !r.done {
		t.Errorf("got %+v, %v", r, err)
	}
	c.Close()
	// Those it forked ahead are used up before it ends.
	await(t, "the end of the first", func() bool {
		wantDone(t, run(t, e, program(`print(1)`)), "1\n")
		return first.gone()
	})
}

func TestStopAndContinue(t *testing.T) {
	e := startEngine(t, Config{})
	c := takeChild(t, e, engine.Options{})
	defer c.Close()
	give(t, c, program(`for (let i = 0;; i++) await call(i)`))
	frames := engine.NewReader(c)
	for range 5 {
		for range 3 {
			if _, payload, err := frames.Next(); err != nil {
				t.Fatal(err)
			} else if err := answer(c, payload); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // the second finds it stopped
			if err := c.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if stopped, known := c.isStopped(); !stopped || !known {
			t.Fatalf("stopped %v, known %v", stopped, known)
		}
		if err := c.Continue(); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.Kill()
	if exit, err := c.Wait(t.Context()); err != nil || exit.Signal != "SIGKILL" {
		t.Errorf("got %+v, %v", exit, err)
	}
	if err := errors.Join(c.Stop(t.Context()), c.Continue()); err != nil {
		t.Errorf("after the end: %v", err)
	}
}

// TestStoppedTimers: a wait that a stop interrupts goes on afterwards.
func TestStopInterruptsNoTimer(t *testing.T) {
	e := startEngine(t, Config{})
	c := takeChild(t, e, engine.Options{})
	defer c.Close()
	give(t, c, program(`print("waiting"); await new Promise((done) => setTimeout(done, 200)); print("done")`))
	if _, _, err := engine.NewReader(c).Next(); err != nil {
		t.Fatal(err)
	}
	if err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.Continue(); err != nil {
		t.Fatal(err)
	}
	r, err := follow(c)
	if err != nil {
		t.Fatal(err)
	}
	wantDone(t, r, "done\n")
}

func TestDescriptorsAreNotLeaked(t *testing.T) {
	e := startEngine(t, Config{})
	count := func() int {
		waitReady(t, e)
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	before := count()
	for range 30 {
		wantDone(t, run(t, e, program(`print(1)`)), "1\n")
		killed := suspend(t, takeChild(t, e, engine.Options{}))
		killed.Close()
		killed.Close()
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 10 {
		if c, err := e.jit.fork(gone, true); err == nil {
			c.Close()
		}
	}
	await(t, "the descriptors of before", func() bool { return count() <= before })
}

func TestWaitGivesUp(t *testing.T) {
	e := startEngine(t, Config{})
	c := suspend(t, takeChild(t, e, engine.Options{}))
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := c.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if _, err := e.Child(ctx, engine.Options{NoJIT: true}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
