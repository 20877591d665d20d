package enginetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/env/typescript/engine"
)

// testHostile: programs that attack what the prelude works with.
func testHostile(t *testing.T, e engine.Engine) {
	for _, c := range []struct{ name, code, stdout string }{
		{"prototypes", `
			for (const p of [Array.prototype, Object.prototype, Map.prototype, String.prototype, Promise.prototype, Function.prototype, RegExp.prototype, Number.prototype])
				for (const k of Object.getOwnPropertyNames(p)) { if (k === "constructor" || k === "__proto__" || k === "then" && p === Promise.prototype) continue; try { p[k] = () => { throw "broken " + k } } catch {} }
			JSON.stringify = JSON.parse = Object.keys = Object.defineProperty = Reflect.apply = Reflect.ownKeys = () => { throw "broken" };
			console.log({ a: [1, "x"] }, 7); reeve.output({ ok: 1 }); console.log(await reeve.services.s.tools.t({ x: 1 }));
			await new Promise((r) => setTimeout(r, 1)); console.log("end")`, "{ a: [ 1, 'x' ] } 7\n{ y: 2 }\nend\n"},
		{"then", `Promise.prototype.then = () => { throw "broken" }; console.log("main"); setTimeout(() => console.log("timer"), 1)`, "main\ntimer\n"},
		{"promise constructor", `Object.defineProperty(Promise.prototype, "constructor", { get() { throw "broken" } }); Object.defineProperty(Promise, Symbol.species, { get() { throw "broken" } }); globalThis.Promise = null; setTimeout(() => console.log("timer"), 1)`, "timer\n"},
		{"iterators", `Array.prototype[Symbol.iterator] = () => { throw "broken" }; Object.getPrototypeOf([].values()).next = () => { throw "broken" }; console.log([1, 2], "%s", "x"); reeve.output({ a: [1] })`, "[ 1, 2 ] %s x\n"},
		{"setters", `
			for (const k of ["0", "1", "value", "get", "set", "then", "id", "ok", "error", "enumerable", "length"]) Object.defineProperty(Object.prototype, k, { __proto__: null, get() { return undefined }, set() { throw "broken " + k }, configurable: true });
			console.log([1, 2, 3].length, { a: 1 }); reeve.output({ a: 1 }); setTimeout(() => console.log("timer"), 1, "x")`, "3 { a: 1 }\ntimer\n"},
		{"globals", `for (const k of Object.getOwnPropertyNames(globalThis)) if (!["console", "reeve", "setTimeout"].includes(k)) try { globalThis[k] = undefined } catch {} ; console.log({ a: 1 }); setTimeout(() => console.log("timer"), 1)`, "{ a: 1 }\ntimer\n"},
		{"inspected", `
			const evil = { get a() { throw 1 }, [Symbol.toStringTag]: "Lie", toString() { throw 2 }, get constructor() { throw 3 } };
			console.log(evil); console.log("%s %d %j", evil, evil, 5); console.log(new Proxy(function () {}, { apply() { throw 4 }, get() { throw 5 }, getPrototypeOf() { throw 6 } }));
			const tagged = Object.defineProperty({}, Symbol.toStringTag, { get() { throw 7 } }); console.log(tagged);
			const chain = Object.create(new Proxy({}, { getPrototypeOf() { throw 8 }, get() { throw 9 }, has() { throw 10 }, getOwnPropertyDescriptor() { throw 11 } })); console.log(chain); console.log("end")`, "...end"},
		{"deep recursion", `let n = 0; const f = () => { n++; f() }; try { f() } catch (e) { console.log(n > 100) } const deep = () => { try { deep() } finally { console.log } }; try { deep() } catch {} console.log("end")`, "true\nend\n"},
		{"deep values", `let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; console.log(o); console.dir(o, { depth: Infinity, breakLength: 80 }); console.log("end")`, "...end"},
		{"pollution", `Object.prototype.polluted = "yes"; Object.prototype.depth = 5; Object.prototype.kind = "memory"; Object.prototype.message = "m"; console.log({}); throw new Error("plain")`, "{}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := begin(t, e, body(c.code))
			s.onCall = func(c call) { s.answer(c.ID, `{"y":2}`) }
			r := s.end()
			if c.name == "pollution" {
				if r.failure == nil || r.failure.Message != "plain" || r.failure.Kind != "" {
					t.Errorf("error %+v", r.failure)
				}
			} else {
				r.succeeded(t)
			}
			got := r.stdout.String()
			if end, loose := strings.CutPrefix(c.stdout, "..."); loose {
				if !strings.HasSuffix(got, end+"\n") {
					t.Errorf("stdout %.2000q", got)
				}
			} else if got != c.stdout {
				t.Errorf("stdout %q, want %q", got, c.stdout)
			}
		})
	}
}

// bombs are programs that no limit inside JavaScript stops.
var bombs = []struct{ name, code string }{
	{"loop", `for (;;);`},
	{"microtasks", `const f = () => Promise.resolve().then(f); await f()`},
	{"immediates", `const f = () => setImmediate(f); f()`},
	{"regex", `/^(a+)+$/.test("a".repeat(60) + "b")`},
	{"split", `"x".repeat(2 ** 28).split("")`},
	{"fill", `new Array(1e9).fill(0)`},
	{"map", `const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })`},
	{"strings", `let s = "x"; for (;;) s += s + Math.random()`},
	{"array", `const a = []; for (;;) a.push(new Array(1000).fill(a.length))`},
	{"buffers", `const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))`},
	{"includes", `Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)`},
	{"closures", `let f = () => 0; for (;;) { const g = f; f = () => g() }`},
	{"deep JSON", `JSON.parse("[".repeat(5e6) + "]".repeat(5e6)); JSON.stringify((() => { let o = {}; for (let i = 0; i < 1e6; i++) o = { o }; return o })())`},
	{"bigint", `let n = 3n; for (;;) n **= 3n`},
	{"sort", `const a = Array.from({ length: 5e6 }, Math.random); for (;;) a.sort(() => 0.5 - Math.random())`},
	{"output", `for (;;) console.log("flood".repeat(1000))`},
	{"calls", `for (;;) reeve.services.s.tools.t({ x: "y".repeat(1000) }).catch(() => {})`},
	{"getters", `const o = new Proxy({}, { get: (_, k, r) => r[k + "x"] }); o.a`},
	{"wait", `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`},
	{"padding", `"x".padEnd(2 ** 29, "abc").replaceAll("a", "bbbbbbbbbb")`},
}

// testBombs: each ends by itself or when it is killed, and harms nobody.
func testBombs(t *testing.T, e engine.Engine) {
	for _, b := range bombs {
		t.Run(b.name, func(t *testing.T) {
			neighbour := begin(t, e, body(`console.log(await reeve.services.s.tools.t())`))
			p := body(b.code)
			p.heap, p.cpuMS = 16<<20, 250
			s := begin(t, e, p)
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				discard(s.child)
			}()
			select {
			case <-ended:
			case <-time.After(4 * time.Second):
				s.child.Kill()
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			exit, err := s.child.Wait(ctx)
			if err != nil {
				t.Fatalf("it did not end: %v", err)
			}
			<-ended
			t.Logf("exit %+v", exit)
			neighbour.onCall = func(c call) { neighbour.answer(c.ID, `"unharmed"`) }
			if r := neighbour.end(); r.stdout.String() != "unharmed\n" {
				t.Errorf("the neighbour said %q, error %+v", r.stdout.String(), r.failure)
			}
			if r := run(t, e, body(`console.log("next")`)); r.stdout.String() != "next\n" {
				t.Errorf("the next one said %q, error %+v", r.stdout.String(), r.failure)
			}
		})
	}
	t.Run("CPU limit", func(t *testing.T) {
		p := body(`for (;;);`)
		p.cpuMS = 100
		r := run(t, e, p)
		if r.failure == nil || r.failure.Kind != "cpu" || r.exit.Code != 71 {
			t.Errorf("error %+v, exit %+v", r.failure, r.exit)
		}
	})
	t.Run("heap limit", func(t *testing.T) {
		p := body(`const a = []; for (;;) a.push({ x: a.length, y: "s" + a.length })`)
		p.heap = 16 << 20
		r := run(t, e, p)
		if r.failure == nil || r.failure.Kind != "memory" || r.exit.Code != 70 {
			t.Errorf("error %+v, exit %+v", r.failure, r.exit)
		}
	})
}

// discard reads a child to its end.
func discard(c engine.Child) {
	buf := make([]byte, 64<<10)
	for {
		if _, err := c.Read(buf); err != nil {
			return
		}
	}
}
