//go:build cgo && linux && (amd64 || arm64)

package v8

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reeverun/reeve/env/typescript/engine"
)

// bombs are programs that want more memory than they may have.
var bombs = map[string]string{
	"split":        `"x".repeat(2**28).split("")`,
	"fill":         `new Array(1e9).fill(0)`,
	"map":          `const m = new Map(); for (let i = 0;; i++) m.set(i, {i})`,
	"set":          `const s = new Set(); for (let i = 0;; i++) s.add("k" + i)`,
	"array":        `const a = []; for (;;) a.push({})`,
	"holes":        `const a = []; for (let i = 0;; i++) a[i * 1000] = [i]`,
	"strings":      `const a = []; for (let i = 0;; i++) a.push(("x" + i).repeat(1e6).replace(/x/g, "y"))`,
	"buffers":      `const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))`,
	"small arrays": `const a = []; for (;;) a.push(new Uint8Array(100))`,
	"caught":       `const a = []; for (;;) try { a.push(new ArrayBuffer(10 << 20)) } catch {}`,
	"resizable":    `const a = []; for (;;) { const b = new ArrayBuffer(1, {maxByteLength: 64 << 20}); b.resize(64 << 20); new Uint8Array(b).fill(1); a.push(b) }`,
	"shared":       `const a = []; for (;;) a.push(new Uint8Array(new SharedArrayBuffer(1 << 20)).fill(1))`,
	"closures":     `let f = () => 1; for (;;) { const g = f; f = () => [g, new Array(100)] }`,
	"regexp":       `const a = []; for (let i = 0;; i++) { const r = new RegExp("a{1,900}" + i); r.test("aaaa"); a.push(r) }`,
	"eval":         `const a = []; for (let i = 0;; i++) a.push(eval("(function f" + i + "(){" + "x+".repeat(1000) + "1})"))`,
	"promises":     `const a = []; for (;;) a.push(Promise.reject(new Error("x")))`,
	"json":         `const a = []; for (;;) a.push(JSON.parse("[" + "{},".repeat(10000) + "1]"))`,
	"symbols":      `const a = []; for (let i = 0;; i++) a.push(Symbol.for("s".repeat(1000) + i))`,
	"microtasks":   `const spin = () => { for (let i = 0; i < 10; i++) Promise.resolve(new Array(100)).then(spin) }; spin(); await new Promise(() => {})`,
}

// TestMemoryBombsEndTheirOwnProcess also has a neighbour run all the while.
func TestMemoryBombsEndTheirOwnProcess(t *testing.T) {
	e := startEngine(t, Config{})
	neighbour := takeChild(t, e, engine.Options{})
	defer neighbour.Close()
	give(t, neighbour, program(`
		let over = false, n = 0;
		globalThis.onframe = () => { over = true };
		while (!over) { n = await call(n + 1); await new Promise((done) => setTimeout(done, 5)) }
		print("unharmed")`))
	ended := make(chan ran, 1)
	go func() {
		r, err := follow(neighbour)
		if err != nil {
			t.Error(err)
		}
		ended <- r
	}()
	for name, code := range bombs {
		t.Run(name, func(t *testing.T) {
			s := program(code)
			s.HeapBytes = 24 * mib
			r := run(t, e, s)
			switch {
			case r.kind == "memory" && r.exit.Code == 70:
			case name == "resizable" && strings.HasPrefix(r.errMsg, "RangeError"):
			default:
				t.Errorf("got %+v, want an end for want of memory", r)
			}
			if r.exit.MaxRSS > 400*mib {
				t.Errorf("it had %d MiB", r.exit.MaxRSS/mib)
			}
		})
	}
	if _, err := neighbour.Write(engine.AppendFrame(nil, engine.TypeSignal, nil)); err != nil {
		t.Fatal(err)
	}
	wantDone(t, <-ended, "unharmed\n")
	wantDone(t, run(t, e, program(`print(1)`)), "1\n")
}

// stubborn are programs that do not end by themselves.
var stubborn = map[string]string{
	"loop":       `for (;;) {}`,
	"builtin":    `Array.prototype.includes.call({length: 2**53 - 1}, 1)`,
	"microtasks": `const spin = () => Promise.resolve().then(spin); spin(); await new Promise(() => {})`,
	"regexp":     `/^(a+)+$/.test("a".repeat(60) + "b")`,
	"try":        `for (;;) try { for (;;) {} } catch {} finally { continue }`,
	"flood":      `for (;;) print("x".repeat(1000))`,
}

func TestStubbornProgramsAreKilled(t *testing.T) {
	e := startEngine(t, Config{})
	for name, code := range stubborn {
		t.Run(name, func(t *testing.T) {
			c := takeChild(t, e, engine.Options{})
			defer c.Close()
			give(t, c, program(`print("started"); `+code))
			if _, _, err := engine.NewReader(c).Next(); err != nil {
				t.Fatal(err)
			}
			c.Kill()
			c.Kill()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			exit, err := c.Wait(ctx)
			if err != nil || exit.Code != -1 || exit.Signal != "SIGKILL" {
				t.Errorf("got %+v, %v", exit, err)
			}
		})
	}
	wantDone(t, run(t, e, program(`print(1)`)), "1\n")
}

func TestCPULimit(t *testing.T) {
	e := startEngine(t, Config{})
	for name, code := range stubborn {
		if name == "flood" {
			continue // it waits for its reader more than it computes
		}
		t.Run(name, func(t *testing.T) {
			s := program(code)
			s.CPUMS = 100
			r := run(t, e, s)
			if r.kind != "cpu" || r.exit.Code != 71 {
				t.Errorf("got %+v, want an end for want of CPU time", r)
			}
			if r.exit.CPU > 2*time.Second {
				t.Errorf("it had %v", r.exit.CPU)
			}
		})
	}
	s := program(`await new Promise((done) => setTimeout(done, 300)); print(1)`)
	s.CPUMS = 100
	wantDone(t, run(t, e, s), "1\n") // to wait costs nothing
}

func TestDeepRecursionIsAnError(t *testing.T) {
	e := startEngine(t, Config{})
	for name, code := range map[string]string{
		"function": `const f = () => f() + 1; f()`,
		"json":     `let a = []; for (let i = 0; i < 1e6; i++) a = [a]; JSON.stringify(a)`,
		"parse":    `JSON.parse("[".repeat(1e6) + "]".repeat(1e6)); const f = () => f() + 1; f()`,
		"regexp":   `new RegExp("(".repeat(1e5) + ")".repeat(1e5)); const f = () => f() + 1; f()`,
		"source":   `eval("(".repeat(1e6) + "1" + ")".repeat(1e6))`,
		"async":    `const f = async () => { await f() }; await f()`,
		"getter":   `const o = { get x() { return this.x } }; o.x`,
		"proxy":    `let p = {}; for (let i = 0; i < 1e6; i++) p = new Proxy(p, {}); p.x`,
		"toString": `const o = { toString() { return "" + this } }; "" + o`,
		"sort":     `const f = () => [2, 1].sort(f); f()`,
		"flat":     `let a = []; for (let i = 0; i < 1e6; i++) a = [a]; a.flat(Infinity)`,
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, e, program(code))
			if !r.failed || r.kind != "" || r.exit.Code != 0 || !strings.Contains(r.errMsg, "Error: ") {
				t.Errorf("got %+v, want an ordinary error", r)
			}
		})
	}
}

// TestHostilePrograms tries what is left of the ways to break a child.
func TestHostilePrograms(t *testing.T) {
	e := startEngine(t, Config{})
	for name, tc := range map[string]struct{ code, stdout, errMsg string }{
		"no wasm":           {`print(typeof WebAssembly)`, "undefined\n", ""},
		"no wait":           {`Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`, "", "TypeError"},
		"no import":         {`await import("fs")`, "", "Error"},
		"no require":        {`print(typeof require, typeof process, typeof Deno)`, "undefined undefined undefined\n", ""},
		"huge buffer":       {`try { new ArrayBuffer(1e10) } catch (e) { print(e.name) }`, "RangeError\n", ""},
		"too long a string": {`"x".repeat(2 ** 30)`, "", "RangeError"},
		"too large a frame": {`try { print("x".repeat(17 << 20)) } catch (e) { print(e.message) }`, "What is sent at once must be smaller than 16 MiB.\n", ""},
		"lone surrogate":    {`print("a\ud800b")`, "a\ufffdb\n", ""},
		"NUL":               {`print("a\0b")`, "a\x00b\n", ""},
		"syntax error":      {`let let = 1`, "", "SyntaxError"},
		"unhandled":         {`Promise.reject(new Error("lost"))`, "", "Error: lost"},
		"handled later":     {`const p = Promise.reject(new Error("x")); await null; p.catch(() => print("ok"))`, "ok\n", ""},
		"throws undefined":  {`throw undefined`, "", "undefined"},
		"intl":              {`print(new Intl.DateTimeFormat("de", {timeZone: "Europe/Berlin", dateStyle: "long", timeStyle: "short"}).format(new Date(0)), new Date(0).getTimezoneOffset(), Intl.DateTimeFormat().resolvedOptions().timeZone, (1234.5).toLocaleString())`, "1. Januar 1970 um 01:00 0 UTC 1,234.5\n", ""},
		"many locales":      {`for (const l of ["ja", "ar", "hi", "fr"]) new Intl.Collator(l).compare("a", "b"); print("ok")`, "ok\n", ""},
		"finalisation":      {`new FinalizationRegistry(() => {}).register({}, 1); for (let i = 0; i < 1e6; i++) new Array(10); print("ok")`, "ok\n", ""},
		"weak":              {`const w = new WeakRef({}); for (let i = 0; i < 1e6; i++) new Array(10); print(typeof w.deref)`, "function\n", ""},
		"waitAsync":         {`const r = Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1); print(r.async)`, "true\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, e, program(tc.code))
			if r.exit.Code != 0 || r.stdout != tc.stdout || r.failed != (tc.errMsg != "") ||
				!strings.Contains(r.errMsg, tc.errMsg) {
				t.Errorf("got %+v", r)
			}
		})
	}
}

func TestManyAtOnce(t *testing.T) {
	e := startEngine(t, Config{})
	before := threads(t)
	const n = 500
	children := make([]*child, n)
	for i := range children {
		children[i] = suspend(t, takeChild(t, e, engine.Options{}))
	}
	if now := threads(t); now > before+16 {
		t.Errorf("%d threads for %d children, %d before", now, n, before)
	}
	wantDone(t, run(t, e, program(`print(1)`)), "1\n") // the next one
	var all sync.WaitGroup
	for _, c := range children {
		all.Go(func() {
			defer c.Close()
			if err := answer(c, []byte(`{"id":1,"params":1}`)); err != nil {
				t.Error(err)
			}
			if r, err := follow(c); err != nil || !r.done || r.exit.Code != 0 {
				t.Errorf("got %+v, %v", r, err)
			}
		})
	}
	all.Wait()
}
