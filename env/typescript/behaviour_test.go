package typescript_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/envtest"
	"github.com/reeverun/reeve/env/typescript/compile"
	"github.com/reeverun/reeve/process"
)

func TestConformance(t *testing.T) {
	each(t, func(t *testing.T, m maker) {
		envtest.Run(t, func(t *testing.T) env.Environment { return m.env() }, envtest.Specs{
			Hello:    &process.Spec{Code: `console.log("hello"); console.error("oops")`},
			Fail:     &process.Spec{Code: `throw new Error("no")`},
			Hang:     &process.Spec{Code: `await new Promise((done) => { reeve.signal.onabort = done })`},
			Stubborn: &process.Spec{Code: `reeve.signal; for (;;);`},
		})
	})
}

// What ordinary programs do.
func TestPrograms(t *testing.T) {
	each(t, func(t *testing.T, m maker) {
		w := m.world(t)
		for name, c := range map[string]struct{ code, stdout, stderr, fails string }{
			"hello":                 {code: `console.log("Hello, world!")`, stdout: "Hello, world!\n"},
			"null and undefined":    {code: `console.log(null, undefined)`, stdout: "null undefined\n"},
			"several":               {code: `console.log("a", 1, true, [1, "x"], { b: { c: {} } })`, stdout: "a 1 true [ 1, 'x' ] { b: { c: {} } }\n"},
			"circular":              {code: `const a: any = { n: 1 }; a.self = a; console.log(a)`, stdout: "<ref *1> { n: 1, self: [Circular *1] }\n"},
			"two streams":           {code: `console.log(1); console.error(2); console.log(3)`, stdout: "1\n3\n", stderr: "2\n"},
			"types":                 {code: "interface P { x: number }\nconst p: P = { x: 2 };\nfunction f<T>(v: T): T { return v }\nconsole.log(f<number>(p.x) as unknown as string)", stdout: "2\n"},
			"enums and namespaces":  {code: "enum E { A = 1, B }\nnamespace N { export const v = E.B }\nconsole.log(N.v, E[1])", stdout: "2 A\n"},
			"await at the top":      {code: `const v = await new Promise<number>((ok) => setTimeout(() => ok(7), 5)); console.log(v)`, stdout: "7\n"},
			"return at the top":     {code: "console.log(1);\nif (1 < 2) return;\nconsole.log(2)", stdout: "1\n"},
			"await and return":      {code: "await 0;\nconsole.log(1);\nreturn 5", stdout: "1\n"},
			"timers keep it alive":  {code: `setTimeout(() => console.log("late"), 20)`, stdout: "late\n"},
			"order":                 {code: `setTimeout(() => console.log(4)); Promise.resolve().then(() => console.log(2)); queueMicrotask(() => console.log(3)); console.log(1)`, stdout: "1\n2\n3\n4\n"},
			"unicode":               {code: `console.log("äöü €", "\u{1F600}", "\ud800")`, stdout: "äöü € 😀 �\n"},
			"throw":                 {code: `throw new Error("boom")`, fails: "boom"},
			"throw another":         {code: `throw new TypeError("boom")`, fails: "TypeError: boom"},
			"throw text":            {code: `throw "just text"`, fails: "just text"},
			"throw an object":       {code: `throw { a: 1 }`, fails: `{"a":1}`},
			"throw a circle":        {code: `const a: any = {}; a.a = a; throw a`, fails: "[object Object]"},
			"reject":                {code: `await Promise.reject(new Error("nope"))`, fails: "nope"},
			"reject and forget":     {code: `Promise.reject(new Error("nope")); await new Promise((r) => setTimeout(r, 1000))`, fails: "nope"},
			"throw in a timer":      {code: `setTimeout(() => { throw new Error("later") }, 1)`, fails: "later"},
			"wait for ever":         {code: `await new Promise(() => {})`, fails: "never settles"},
			"syntax":                {code: "let a = 1;\nlet b = ;", fails: "program.ts:2:9: Unexpected \";\"\n    let b = ;"},
			"syntax of the engine":  {code: "with ({}) {}", fails: "SyntaxError: "},
			"import":                {code: `import fs from "fs"; fs.x()`, fails: "no modules"},
			"dynamic import":        {code: `await import("fs")`, fails: ""},
			"nothing of Node":       {code: `console.log(typeof process, typeof require, typeof fetch, typeof WebAssembly, typeof Deno)`, stdout: "undefined undefined undefined undefined undefined\n"},
			"same object":           {code: `console.log(reeve === cyrnel)`, stdout: "true\n"},
			"frozen":                {code: "try { (globalThis as any).reeve = 1 } catch (e: any) { console.log(e.name) }\ntry { (reeve as any).x = 1 } catch (e: any) { console.log(e.name) }\ntry { (cyrnel as any).output = 1 } catch (e: any) { console.log(e.name) }", stdout: "TypeError\nTypeError\nTypeError\n"},
			"no name of the host's": {code: `console.log(Object.getOwnPropertyNames(globalThis).filter((n) => /native|prelude|hooks|__/.test(n)).join())`, stdout: "\n"},
		} {
			t.Run(name, func(t *testing.T) {
				got := w.run(c.code)
				if c.fails == "" && name != "dynamic import" {
					got.want(t, process.ExitSuccess, "")
				} else {
					got.want(t, process.ExitFailed, c.fails)
				}
				if c.stdout != "" && got.stdout != c.stdout || c.stderr != "" && got.stderr != c.stderr {
					t.Errorf("stdout %q, stderr %q", got.stdout, got.stderr)
				}
			})
		}
	})
}

// A stack trace shows the client's own lines, in the record and to the program.
func TestStackTraces(t *testing.T) {
	each(t, func(t *testing.T, m maker) {
		w := m.world(t)
		got := w.run("interface Unused { a: number }\n\n// a comment\nfunction inner(x: number): never {\n\n  throw new Error(`bad ${x}`);\n}\ntype T = string;\nfunction outer() { inner(1) }\n\nouter();")
		got.want(t, process.ExitFailed, "bad 1")
		for _, place := range []string{"program.ts:6", "program.ts:9", "program.ts:11"} {
			if !strings.Contains(got.stderr, place) {
				t.Errorf("%s is not in %s", place, got.stderr)
			}
		}
		got = w.run("type A = 1;\n\n\nawait 0; try { throw new Error('x') } catch (e: any) { console.log(e.stack) }; return")
		if !strings.Contains(got.stdout, "at program.ts:4:") {
			t.Errorf("%q", got.stdout)
		}
	})
}

// Kill, by itself and under a full house.
func TestKillAndTimeout(t *testing.T) {
	each(t, func(t *testing.T, m maker) {
		w := m.world(t, func(c *reeve.Config) { c.Slots = map[string]int{process.EnvTypeScript: 2} })
		first, second := w.spawn(reeve.TypeScript(`console.log("on"); for (;;);`)), w.spawn(reeve.TypeScript(`console.log("on"); for (;;);`))
		w.said(first, "on")
		w.said(second, "on")
		third := w.spawn(reeve.TypeScript(`console.log("third")`))
		fourth := w.spawn(reeve.TypeScript(`console.log("fourth")`))
		if p, _ := third.Process(t.Context()); p.State != process.Queued {
			t.Errorf("the third is %s", p.State)
		}
		if err := fourth.Cancel(); err != nil {
			t.Error(err)
		}
		if got := w.wait(fourth); got.ExitState != process.ExitCanceled || !got.StartedAt.IsZero() {
			t.Errorf("%+v", got.Process)
		}
		if err := first.Cancel(); err != nil {
			t.Error(err)
		}
		w.wait(first).want(t, process.ExitCanceled, "")
		if got := w.wait(third); got.stdout != "third\n" {
			t.Errorf("%q", got.stdout)
		}
		_ = second.Cancel()
		w.wait(second).want(t, process.ExitCanceled, "")

		got := w.wait(w.spawn(reeve.TypeScript(`for (;;);`).Timeout(5 * time.Millisecond)))
		if got.ExitState != process.ExitTimeout || got.Exit.Code != 124 {
			t.Errorf("%+v", got.Process)
		}
		w.run(`console.log(1)`).want(t, process.ExitSuccess, "")
	})
}

// One that has looked at reeve.signal may tidy up; what comes of a signal is its
// own affair. One that has not ends as a process without a handler does.
func TestSignals(t *testing.T) {
	each(t, func(t *testing.T, m maker) {
		w := m.world(t)
		tidy := `reeve.signal.addEventListener("abort", () => { console.log("tidied", reeve.signal.reason.message); clearInterval(i) }); const i = setInterval(() => {}, 1000); console.log("on")`
		h := w.spawn(reeve.TypeScript(tidy))
		w.said(h, "on")
		if _, err := w.Signal(t.Context(), h.ID(), process.SIGINT, reeve.SignalOptions{}); err != nil {
			t.Error(err)
		}
		got := w.wait(h)
		if got.want(t, process.ExitSuccess, ""); got.stdout != "on\ntidied SIGINT\n" {
			t.Errorf("%q", got.stdout)
		}
		h = w.spawn(reeve.TypeScript(tidy))
		w.said(h, "on")
		_ = h.Cancel()
		got = w.wait(h)
		if got.want(t, process.ExitCanceled, ""); got.stdout != "on\ntidied SIGTERM\n" {
			t.Errorf("%q", got.stdout)
		}
		h = w.spawn(reeve.TypeScript(`console.log("on"); setInterval(() => {}, 1000)`))
		w.said(h, "on")
		if _, err := w.Signal(t.Context(), h.ID(), process.SIGTERM, reeve.SignalOptions{}); err != nil {
			t.Error(err)
		}
		got = w.wait(h)
		if got.want(t, process.ExitFailed, "signal: terminated"); got.Exit.Code != 143 || got.Exit.Signal != "SIGTERM" {
			t.Errorf("%+v", got.Exit)
		}
	})
}

// Paused means that nothing happens, timers included, and that nothing has
// happened when it goes on.
func TestPause(t *testing.T) {
	each(t, func(t *testing.T, m maker) {
		w := m.world(t)
		h := w.spawn(reeve.TypeScript("let n = 0;\nconst i = setInterval(() => { console.log('tick', n); if (++n == 1000) clearInterval(i) }, 2);\nreeve.signal.onabort = () => { clearInterval(i); console.log('end') }"))
		w.said(h, "tick 3")
		if err := w.Pause(t.Context(), h.ID()); err != nil {
			t.Fatal(err)
		}
		p, _ := h.Process(t.Context())
		before, stands := w.text(p, process.Stdout), false
		for range 20 { // what it had said may still be on its way
			time.Sleep(50 * time.Millisecond) // that time passes is the point
			after := w.text(p, process.Stdout)
			if stands = after == before; stands {
				break
			}
			before = after
		}
		if !stands {
			t.Errorf("it goes on: %d ticks", strings.Count(before, "tick"))
		}
		if err := w.Resume(t.Context(), h.ID()); err != nil {
			t.Fatal(err)
		}
		w.said(h, fmt.Sprintf("tick %d", strings.Count(before, "tick")+2))
		if err := w.Pause(t.Context(), h.ID()); err != nil {
			t.Fatal(err)
		}
		_ = h.Cancel() // paused: it goes on to heed it
		got := w.wait(h)
		if !strings.HasSuffix(got.stdout, "end\n") || got.ExitState != process.ExitCanceled {
			t.Errorf("%s %q", got.ExitState, got.stdout)
		}

		h = w.spawn(reeve.TypeScript(`console.log("on"); for (;;);`))
		w.said(h, "on")
		if err := w.Pause(t.Context(), h.ID()); err != nil {
			t.Fatal(err)
		}
		_ = h.Cancel()
		if got := w.wait(h); got.ExitState != process.ExitCanceled || got.Exit.Reason != "context cancelled while paused" {
			t.Errorf("%+v", got.Exit)
		}
	})
}

// tools answers calls in a test.
type tools func(ctx context.Context, c process.ToolCall) (json.RawMessage, error)

func (f tools) Check(context.Context, process.ToolCall) (process.Permission, error) {
	return process.Allow, nil
}
func (f tools) Call(ctx context.Context, c process.ToolCall) (json.RawMessage, error) {
	return f(ctx, c)
}

func with(f tools) func(*reeve.Config) { return func(c *reeve.Config) { c.Tools = f } }

func TestToolCalls(t *testing.T) {
	each(t, func(t *testing.T, m maker) {
		var mu sync.Mutex
		var seen []string
		w := m.world(t, with(func(ctx context.Context, c process.ToolCall) (json.RawMessage, error) {
			mu.Lock()
			seen = append(seen, c.Service+"/"+c.Tool+string(c.Params))
			mu.Unlock()
			switch c.Tool {
			case "fail":
				return nil, &process.ToolError{Code: "teapot", Message: "short and stout"}
			case "crash":
				return nil, errors.New("adapter broke")
			case "nothing":
				return nil, nil
			}
			return c.Params, nil
		}))
		got := w.run(`
			const a = await reeve.services.math.tools.add({ x: 1 });
			const b = await cyrnel.services["my-math"].tools["add.more"].invoke({ y: [1, "ü"] });
			console.log(JSON.stringify([a, b, await reeve.services.s.tools.nothing()]));
			try { await reeve.services.s.tools.fail() } catch (e: any) { console.log(e instanceof Error, e.message, e.code, /program.ts:5/.test(e.stack)) }
			try { await reeve.services.s.tools.crash() } catch (e: any) { console.log(e.message, e.code) }
			try { await reeve.services.s.tools.bad({ f() {}, n: 1n } as any) } catch (e: any) { console.log(e.name) }
			const all = await Promise.all([1, 2, 3].map((n) => reeve.services.s.tools.echo({ n })));
			console.log(JSON.stringify(all));
			reeve.output({ a, list: [1] }); reeve.output({ b: 2, list: [3] });`)
		got.want(t, process.ExitSuccess, "")
		want := "[{\"x\":1},{\"y\":[1,\"ü\"]},null]\ntrue short and stout teapot true\nadapter broke failed\nTypeError\n[{\"n\":1},{\"n\":2},{\"n\":3}]\n"
		if got.stdout != want {
			t.Errorf("%s\nwant %s", got.stdout, want)
		}
		if out, _ := json.Marshal(got.Output); string(out) != `{"a":{"x":1},"b":2,"list":[3]}` {
			t.Errorf("output %s", out)
		}
		if len(seen) != 8 || seen[0] != `math/add{"x":1}` || seen[1] != `my-math/add.more{"y":[1,"ü"]}` {
			t.Errorf("%q", seen)
		}
	})
}

// Twenty calls wait beside each other; two hundred programs that wait do not
// stop the next.
func TestWaitingCostsNoSlot(t *testing.T) {
	each(t, func(t *testing.T, m maker) {
		var waiting atomic.Int64
		all, release := make(chan struct{}), make(chan struct{})
		w := m.world(t, func(c *reeve.Config) { c.Slots = map[string]int{process.EnvTypeScript: 2} },
			with(func(ctx context.Context, c process.ToolCall) (json.RawMessage, error) {
				switch c.Tool {
				case "together": // answers when all twenty are there
					if waiting.Add(1) == 20 {
						close(all)
					}
					<-all
				case "hold":
					waiting.Add(1)
					select {
					case <-release:
					case <-ctx.Done():
					}
				}
				return json.RawMessage(`1`), nil
			}))
		w.run(`await Promise.all(Array.from({ length: 20 }, () => reeve.services.s.tools.together()))`).want(t, process.ExitSuccess, "")

		waiting.Store(0)
		count := 200
		if testing.Short() || m.Dialect != compile.Chrome136 {
			count = 20
		}
		var held []*reeve.Handle
		for range count {
			held = append(held, w.spawn(reeve.TypeScript(`await reeve.services.s.tools.hold()`)))
		}
		w.run(`console.log("not stopped")`).want(t, process.ExitSuccess, "")
		close(release)
		for _, h := range held {
			w.wait(h).want(t, process.ExitSuccess, "")
		}
	})
}

func TestSpawn(t *testing.T) {
	each(t, func(t *testing.T, m maker) {
		w := m.world(t, with(func(_ context.Context, c process.ToolCall) (json.RawMessage, error) {
			if c.Service == "reeve" && c.Tool == "spawn.typescript" {
				return c.Params, nil
			}
			return nil, &process.ToolError{Code: process.ToolDenied, Message: "not " + c.Tool}
		}), func(c *reeve.Config) { c.Slots = map[string]int{process.EnvTypeScript: 1} })
		got := w.run(`
			const child = await reeve.spawn({ environment: "typescript", code: "console.log('from below'); reeve.output({ v: 1 }); throw new Error('no')" });
			const end = await child.wait();
			console.log(end.id === child.id, end.exitState, end.error, JSON.stringify(end.output), JSON.stringify(end.stdout));
			try { await reeve.spawn({ environment: "command", code: "true" }) } catch (e: any) { console.log(e.code) }
			const loop = await reeve.spawn({ environment: "typescript", code: "for (;;);" });
			await loop.kill();
			console.log((await loop.wait()).exitState);`)
		got.want(t, process.ExitSuccess, "")
		if want := "true failed no {\"v\":1} \"from below\\n\"\ndenied\ncanceled\n"; got.stdout != want {
			t.Errorf("%s\nwant %s", got.stdout, want)
		}
		page, err := w.Processes(t.Context(), reeve.Query{Parent: got.ID})
		if err != nil || len(page.Processes) != 2 {
			t.Errorf("%d children, %v", len(page.Processes), err)
		}
	})
}

// Limits end the program that meets them, and say so.
func TestLimits(t *testing.T) {
	each(t, func(t *testing.T, m maker) {
		w := m.world(t)
		for name, c := range map[string]struct {
			task *reeve.Task
			want string
		}{
			"heap": {reeve.TypeScript(`const a = []; for (;;) a.push({ x: a.length })`).Limits(process.Limits{MemoryBytes: 32 << 20}), "out of memory: the program needs more than its limit of 32 MiB"},
			"CPU":  {reeve.TypeScript(`for (;;);`).Limits(process.Limits{CPUMS: 100}), "out of CPU time: the program computed for longer than its limit of 100 ms"},
			"output": {reeve.TypeScript(`for (;;) console.log("x".repeat(1000))`).Limits(process.Limits{OutputBytes: 5000}),
				"too much output: the program wrote more than its limit of 5000 bytes"},
		} {
			got := w.wait(w.spawn(c.task.NoTimeout()))
			if got.want(t, process.ExitFailed, c.want); name == "output" && len(got.stdout) != 5000 {
				t.Errorf("%d bytes", len(got.stdout))
			}
			w.run(`console.log("unharmed")`).want(t, process.ExitSuccess, "")
		}
	})
}

// Whatever a program does, only its own process ends.
func TestBombs(t *testing.T) {
	bombs := map[string]string{
		"loop":             `for (;;);`,
		"microtasks":       `const f = (): any => Promise.resolve().then(f); f()`,
		"async recursion":  `const f = async (): Promise<any> => { await 0; return f() }; await f()`,
		"regex":            `/^(a+)+$/.test("a".repeat(40) + "b")`,
		"split":            `"x".repeat(2 ** 28).split("")`,
		"fill":             `new Array(1e9).fill(0)`,
		"map":              `const m = new Map(); for (let i = 0; ; i++) m.set(i, i)`,
		"set of strings":   `const s = new Set<string>(); for (let i = 0; ; i++) s.add("key" + i)`,
		"buffers":          `const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))`,
		"one buffer":       `new ArrayBuffer(8e9)`,
		"growing buffer":   `const b = new (ArrayBuffer as any)(1, { maxByteLength: 2 ** 32 }); for (let n = 1; ; n *= 2) b.resize(n)`,
		"strings":          `let s = "x"; const a = []; for (;;) { s += s; a.push(s + a.length) }`,
		"includes":         `Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)`,
		"sort":             `Array.from({ length: 3e7 }, Math.random).sort()`,
		"JSON":             `JSON.stringify("x".repeat(2 ** 28)); JSON.parse("[".repeat(1e7))`,
		"recursion":        `const f = (): any => f(); f()`,
		"deep recursion":   `const f = (n: number): any => { try { return f(n + 1) } finally { f(n + 1) } }; f(0)`,
		"deep object":      `let o: any = {}; for (let i = 0; i < 1e6; i++) o = { o }; console.log(JSON.stringify(o)); structuredClone(o)`,
		"BigInt":           `let n = 2n; for (;;) n = n ** 1000n`,
		"proxies":          `let p: any = {}; for (let i = 0; i < 1e6; i++) p = new Proxy(p, {}); p.x`,
		"functions":        `const a = []; for (;;) a.push(eval("(function(){ return " + a.length + "})"))`,
		"generator":        `function* g(): any { yield* g() } for (const x of g());`,
		"timers":           `const f = () => { for (;;) setTimeout(f, 0) }; f()`,
		"promises":         `const a = []; for (;;) a.push(new Promise(() => {}))`,
		"output":           `for (;;) console.log("x".repeat(1 << 16))`,
		"structured":       `for (let i = 0; ; i++) reeve.output({ ["k" + i]: "x".repeat(1000) })`,
		"calls":            `for (;;) reeve.services.a.tools.b({}).catch(() => {})`,
		"getter in log":    `console.log(new Proxy({}, { get() { for (;;); }, ownKeys() { for (;;); } }))`,
		"thenable":         `await { then(f: any) { for (;;); } }`,
		"toString":         `throw { toString() { for (;;); }, toJSON() { for (;;); } }`,
		"symbols":          `for (;;) Symbol.for(Math.random() + "")`,
		"error with cause": `let e: any = new Error("x"); for (let i = 0; i < 1e5; i++) e = new Error("x" + i, { cause: e }); throw e`,
		"Intl":             `for (;;) new Intl.DateTimeFormat("ar-EG", { dateStyle: "full" }).format(new Date())`,
		"weak":             `const r = new FinalizationRegistry(() => {}); for (;;) r.register({}, new WeakRef({}))`,
		"atomics":          `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`,
	}
	each(t, func(t *testing.T, m maker) {
		w := m.world(t)
		for name, code := range bombs {
			t.Run(name, func(t *testing.T) {
				neighbour := w.spawn(reeve.TypeScript(`let n = 0; while (n < 10) { await new Promise((r) => setTimeout(r, 10)); n++ } console.log("survived")`))
				got := w.wait(w.spawn(reeve.TypeScript(code).Timeout(200 * time.Millisecond).Limits(process.Limits{MemoryBytes: 32 << 20}).RawOutput(process.Disabled).Grace(time.Second)))
				if got.ExitState == process.ExitCanceled || got.ExitState == process.ExitNone {
					t.Errorf("%s, %q", got.ExitState, got.Error)
				}
				t.Logf("%s %.100q", got.ExitState, got.Error)
				if n := w.wait(neighbour); n.stdout != "survived\n" {
					t.Errorf("the neighbour: %s %q %q", n.ExitState, n.Error, n.stdout)
				}
			})
		}
	})
}

// A program that changes what everything is made of harms itself only.
func TestTampering(t *testing.T) {
	each(t, func(t *testing.T, m maker) {
		w := m.world(t, with(func(_ context.Context, c process.ToolCall) (json.RawMessage, error) { return c.Params, nil }))
		for name, code := range map[string]string{
			"arrays":      `for (const k of Object.getOwnPropertyNames(Array.prototype)) try { (Array.prototype as any)[k] = () => { throw 1 } } catch {}`,
			"iteration":   `(Array.prototype as any)[Symbol.iterator] = null; (String.prototype as any)[Symbol.iterator] = null`,
			"promises":    `(Promise.prototype as any).then = () => { throw 1 }; (Promise as any).resolve = null`,
			"JSON":        `JSON.stringify = () => "forged"; JSON.parse = () => ({ id: 1 })`,
			"objects":     `Object.prototype.toString = () => { throw 1 }; for (const k of ["keys", "entries", "defineProperty", "getOwnPropertyDescriptor", "getPrototypeOf", "freeze"]) (Object as any)[k] = () => { throw 1 }`,
			"setters":     `for (const k of ["id", "type", "message", "value", "get", "set", "0", "length", "stack"]) try { Object.defineProperty(Object.prototype, k, { set() { throw 1 }, get() { throw 2 }, configurable: true }) } catch {}`,
			"functions":   `const f: any = Function.prototype; f.call = f.apply = f.bind = () => { throw 1 }`,
			"maps":        `for (const c of [Map, Set, WeakMap, WeakSet] as any[]) for (const k of Object.getOwnPropertyNames(c.prototype)) try { c.prototype[k] = () => { throw 1 } } catch {}`,
			"strings":     `for (const k of Object.getOwnPropertyNames(String.prototype)) try { (String.prototype as any)[k] = () => { throw 1 } } catch {}`,
			"errors":      `(Error as any).prepareStackTrace = () => { throw 1 }; (Error as any).stackTraceLimit = "x"; Error.prototype.toString = () => { throw 1 }`,
			"reflection":  `for (const k of Object.getOwnPropertyNames(Reflect)) (Reflect as any)[k] = () => { throw 1 }`,
			"regexps":     `(RegExp.prototype as any).exec = () => { throw 1 }; (RegExp.prototype as any)[Symbol.replace] = () => { throw 1 }`,
			"numbers":     `const m: any = Math; m.max = m.min = m.floor = () => { throw 1 }; Number.prototype.toString = () => { throw 1 }`,
			"global":      `for (const k of Object.getOwnPropertyNames(globalThis)) try { delete (globalThis as any)[k] } catch {}`,
			"symbols":     `try { (Symbol as any).iterator = null } catch {}; delete (Symbol.prototype as any).description`,
			"prototypes":  `try { Object.setPrototypeOf(globalThis, null) } catch {}; try { Object.setPrototypeOf(Array.prototype, null) } catch {}`,
			"typed array": `for (const k of ["set", "subarray", "slice", "fill"]) (Object.getPrototypeOf(Uint8Array.prototype) as any)[k] = () => { throw 1 }`,
		} {
			t.Run(name, func(t *testing.T) {
				h := w.spawn(reeve.TypeScript("const { log } = console, { output, services } = reeve, later = setTimeout;\n" + code + `
					log("still", 1, "here");
					output({ a: 1 });
					const v = await services.s.tools.echo({ q: 7 });
					log(v.q);
					later(() => log("timer"), 1);`).Timeout(20 * time.Second))
				got := w.wait(h)
				got.want(t, process.ExitSuccess, "")
				if got.stdout != "still 1 here\n7\ntimer\n" || len(got.Output) != 1 {
					t.Errorf("%q, %v", got.stdout, got.Output)
				}
				again := w.run(`console.log([3, 1, 2].sort().map(String).join(), JSON.stringify({ a: new Map([[1, 2]]).get(1) })); await 0`)
				if again.stdout != "1,2,3 {\"a\":2}\n" {
					t.Errorf("the next: %q %q", again.stdout, again.Error)
				}
			})
		}
	})
}

// Nothing of one run is left for another, and no two draw the same numbers.
func TestRunsShareNothing(t *testing.T) {
	each(t, func(t *testing.T, m maker) {
		w := m.world(t)
		code := `console.log((globalThis as any).left, (Array.prototype as any).left, Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(8))].join());
			(globalThis as any).left = 1; (Array.prototype as any).left = 1`
		drawn := map[string]bool{}
		for range 20 {
			out := w.run(code).stdout
			if !strings.HasPrefix(out, "undefined undefined 0.") {
				t.Fatal(out)
			}
			for _, word := range strings.Fields(out)[2:] {
				if drawn[word] {
					t.Errorf("%s was drawn before", word)
				}
				drawn[word] = true
			}
		}
	})
}

// A run again is a new run; the environment may be set up again after its end.
func TestDuplicateAndTeardown(t *testing.T) {
	each(t, func(t *testing.T, m maker) {
		e := m.env()
		in := env.Input{EID: 1, Run: 1, Spec: &process.Spec{Code: `for (;;);`}}
		if _, err := e.Execute(t.Context(), in, envtest.NewHost(t)); err == nil || !strings.Contains(err.Error(), "not set up") {
			t.Errorf("before the setup: %v", err)
		}
		if err := e.Setup(t.Context()); err != nil {
			t.Fatal(err)
		}
		h, done := envtest.NewHost(t), make(chan env.Result)
		go func() {
			res, _ := e.Execute(context.Background(), in, h)
			done <- res
		}()
		<-h.Began
		if _, err := e.Execute(t.Context(), in, envtest.NewHost(t)); err == nil || !strings.Contains(err.Error(), "already running") {
			t.Errorf("a second one: %v", err)
		}
		e.Kill(99)
		if err := e.Teardown(t.Context()); err != nil {
			t.Error(err)
		}
		if res := <-done; res.State != process.ExitCanceled {
			t.Errorf("%+v", res)
		}
		if err := e.Setup(t.Context()); err != nil {
			t.Fatal(err)
		}
		in.Spec = &process.Spec{Code: `console.log("again")`}
		h = envtest.NewHost(t)
		if res, err := e.Execute(t.Context(), in, h); err != nil || res.State != process.ExitSuccess || h.Text(process.Stdout) != "again\n" {
			t.Errorf("set up again: %+v, %v, %q", res, err, h.Text(process.Stdout))
		}
		if err := e.Teardown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
