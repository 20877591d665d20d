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
	"syscall"
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
	pids = append(pids, stopped.PID(), jitless.PID(), e.jit.current.process.Pid, e.jitless.current.process.Pid)
	for _, c := range e.jit.ready {
		pids = append(pids, c.PID())
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

func TestChannel(t *testing.T) {
	e := startEngine(t, Config{})
	t.Run("a script in parts", func(t *testing.T) {
		c := takeChild(t, e, engine.Options{})
		defer c.Close()
		s := program(`print("x")`)
		for _, b := range engine.AppendScript(nil, &s) {
			if _, err := c.Write([]byte{b}); err != nil {
				t.Fatal(err)
			}
		}
		r, err := follow(c)
		if err != nil {
			t.Fatal(err)
		}
		wantDone(t, r, "x\n")
	})
	t.Run("large frames", func(t *testing.T) {
		r := run(t, e, program(`const s = "x".repeat(4 << 20); const back = await call(s); print(back === s)`))
		wantDone(t, r, "true\n")
	})
	t.Run("a large script", func(t *testing.T) {
		r := run(t, e, program(`const s = "`+strings.Repeat("y", 8*mib)+`"; print(s.length)`))
		wantDone(t, r, "8388608\n")
	})
	t.Run("other frames", func(t *testing.T) {
		c := takeChild(t, e, engine.Options{})
		defer c.Close()
		give(t, c, program(`await new Promise((done) => { globalThis.onframe = (type, text) => { print(type, text); done() } })`))
		if _, err := c.Write(engine.AppendFrame(nil, engine.TypeSignal, []byte("SIGTERM"))); err != nil {
			t.Fatal(err)
		}
		r, err := follow(c)
		if err != nil {
			t.Fatal(err)
		}
		wantDone(t, r, "71 SIGTERM\n")
	})
	t.Run("no script", func(t *testing.T) {
		for _, first := range [][]byte{
			engine.AppendFrame(nil, engine.TypeSignal, []byte("SIGTERM")),
			engine.AppendFrame(nil, engine.TypeScript, []byte("short")),
			engine.AppendFrame(nil, engine.TypeScript, make([]byte, 200)),
		} {
			c := takeChild(t, e, engine.Options{})
			if _, err := c.Write(first); err != nil {
				t.Fatal(err)
			}
			if r, err := follow(c); err != nil || r.kind != "internal" || r.exit.Code != 72 {
				t.Errorf("got %+v, %v", r, err)
			}
			c.Close()
		}
	})
	t.Run("a parent that goes", func(t *testing.T) {
		for _, s := range []*engine.Script{nil, {Name: "p", Code: `(async () => { await call({}) })`, Meta: "{}"}} {
			c := takeChild(t, e, engine.Options{})
			if s != nil {
				give(t, c, *s)
			}
			if err := syscall.Shutdown(int(c.channel.Fd()), syscall.SHUT_WR); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			if exit, err := c.Wait(ctx); err != nil || exit.Code != 0 {
				t.Errorf("got %+v, %v", exit, err)
			}
			cancel()
			c.Close()
		}
	})
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
		if c, err := e.jit.fork(gone); err == nil {
			c.Close()
		}
	}
	await(t, "the descriptors of before", func() bool { return count() <= before })
}

func TestChildrenDifferInRandom(t *testing.T) {
	e := startEngine(t, Config{})
	seen := map[string]bool{}
	const n = 8
	for range n {
		r := run(t, e, program(`const b = new Uint8Array(300); native.random(b); print(b.join())`))
		seen[r.stdout] = true
	}
	if len(seen) != n {
		t.Errorf("%d of %d differ", len(seen), n)
	}
}

func TestNothingIsShared(t *testing.T) {
	e := startEngine(t, Config{})
	for range 6 {
		r := run(t, e, program(`print(String(globalThis.mark), String(Array.prototype.mark)); globalThis.mark = Array.prototype.mark = 1`))
		wantDone(t, r, "undefined undefined\n")
	}
}

func TestWithoutJIT(t *testing.T) {
	e := startEngine(t, Config{probe: 1})
	for _, noJIT := range []bool{false, true} {
		c := takeChild(t, e, engine.Options{NoJIT: noJIT})
		r := drive(t, c, program(`
			const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2));
			print(fib(20), /a+b/.test("aab"), probe("map-code") === 0)`))
		wantDone(t, r, fmt.Sprintf("6765 true %v\n", !noJIT))
	}
}

func TestHeapLimitIsTheScripts(t *testing.T) {
	e := startEngine(t, Config{MaxHeap: 300 * mib})
	fill := func(mib int) string {
		return fmt.Sprintf(`const a = []; for (let i = 0; i < %d; i++) a.push(new Array(1 << 18).fill(i)); print(a.length)`, mib)
	}
	for _, tc := range []struct {
		heap, use int
		fits      bool
	}{{16, 10, true}, {16, 60, false}, {64, 50, true}, {64, 100, false}, {256, 200, true}, {256, 320, false}, {0, 250, true}, {1 << 20, 400, false}} {
		s := program(fill(tc.use))
		s.HeapBytes = uint64(tc.heap) * mib
		r := run(t, e, s)
		if r.done != tc.fits || !tc.fits && r.kind != "memory" {
			t.Errorf("%d MiB of %d: %+v", tc.use, tc.heap, r)
		}
	}
}

func TestNativeFunctions(t *testing.T) {
	e := startEngine(t, Config{})
	for code, want := range map[string]string{
		`native.encode("aü\ud800").join()`:                                                                       "97,195,188,239,191,189",
		`native.decode(new Uint8Array([97, 195, 188, 255, 226, 130]), false)`:                                    "aü\ufffd\ufffd",
		`native.decode(new Uint8Array([0, 97, 195, 188]).subarray(1), true)`:                                     "aü",
		`(() => { try { native.decode(new Uint8Array([237, 160, 128]), true) } catch (e) { return e.name } })()`: "TypeError",
		`(() => { try { native.clone(() => 1) } catch (e) { return e.message } })()`:                             "() => 1 could not be cloned.",
		`(() => { const a = {m: new Map([[1, new Date(5)]]), e: new RangeError("x")}; a.self = a; const b = native.clone(a);
			return b !== a && b.self === b && b.m.get(1).getTime() === 5 && b.e instanceof RangeError })()`: "true",
		`native.details(Promise.resolve(7)).join()`:                               "promise,fulfilled,7",
		`native.details(new Promise(() => {})).slice(0, 2).join()`:                "promise,pending",
		`native.details(new Proxy([1], {})).slice(0, 2).join()`:                   "proxy,1",
		`native.details(new Map([[1, 2]]).entries()).flat().join()`:               "mapiterator,1,2,true",
		`native.details(new Map([[1, 2]]).keys()).flat().join()`:                  "mapiterator,1,false",
		`native.details(new Set([3]).values()).flat().join()`:                     "setiterator,3,false",
		`String(native.details({}))`:                                              "undefined",
		`(() => { const a = native.now(); return native.now() >= a && a > 0 })()`: "true",
	} {
		wantDone(t, run(t, e, program(`print(`+code+`)`)), want+"\n")
	}
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
