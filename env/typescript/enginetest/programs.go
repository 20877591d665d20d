package enginetest

import (
	"strings"
	"testing"

	"github.com/reeverun/reeve/env/typescript/engine"
)

// one is a small program and what must come of it.
type one struct {
	name, code     string
	stdout, stderr string
	errorMessage   string // empty: it succeeds
	errorKind      string
	anyStderr      bool // it says something about the error there
}

func testPrograms(t *testing.T, e engine.Engine) {
	for _, c := range programs {
		t.Run(c.name, func(t *testing.T) {
			r := run(t, e, body(c.code))
			if got := r.stdout.String(); got != c.stdout {
				t.Errorf("stdout\n got %q\nwant %q", got, c.stdout)
			}
			if got := r.stderr.String(); got != c.stderr && !c.anyStderr {
				t.Errorf("stderr\n got %q\nwant %q", got, c.stderr)
			}
			if c.errorMessage == "" {
				r.succeeded(t)
				return
			}
			if r.failure == nil {
				t.Fatalf("it succeeded, and should fail with %q", c.errorMessage)
			}
			// The engines word their own errors differently.
			same := r.failure.Message == c.errorMessage || strings.HasSuffix(c.errorMessage, ": ") && strings.HasPrefix(r.failure.Message, c.errorMessage)
			if !same || r.failure.Kind != c.errorKind {
				t.Errorf("error %+v, want message %q and kind %q", *r.failure, c.errorMessage, c.errorKind)
			}
		})
	}
	t.Run("output", func(t *testing.T) { testOutput(t, e) })
	t.Run("large", func(t *testing.T) { testLarge(t, e) })
}

var programs = []one{
	{name: "hello", code: `console.log("Hello, world!")`, stdout: "Hello, world!\n"},
	{name: "nothing", code: ``},
	{name: "streams", code: `console.log(1); console.error(2); console.info(3); console.warn(4); console.debug(5)`, stdout: "1\n3\n5\n", stderr: "2\n4\n"},
	{name: "values", code: `console.log(null, undefined, true, -0, 1n, "s", Symbol("y"))`, stdout: "null undefined true -0 1n s Symbol(y)\n"},
	{name: "objects", code: `console.log({ a: 1, b: { c: { d: {} } }, "x-y": ["z"] }, [1, , 2], new Map([["k", new Set([1])]]))`,
		stdout: "{ a: 1, b: { c: { d: {} } }, 'x-y': [ 'z' ] } [ 1, <1 empty item>, 2 ] Map(1) { 'k' => Set(1) { 1 } }\n"},
	{name: "circular", code: `const a = { n: 1 }; a.self = a; console.log(a)`, stdout: "<ref *1> { n: 1, self: [Circular *1] }\n"},
	{name: "classes", code: `class A { x = 1 } class B extends A {} console.log(new B(), B, A, () => {}, function f() {})`,
		stdout: "B { x: 1 } [class B extends A] [class A] [Function (anonymous)] [Function: f]\n"},
	{name: "promises", code: `const p = Promise.reject(3); p.catch(() => {}); console.log(Promise.resolve(1), new Promise(() => {}), p)`,
		stdout: "Promise { 1 } Promise { <pending> } Promise { <rejected> 3 }\n"},
	{name: "proxies", code: `console.log(new Proxy({ a: 1 }, { ownKeys() { throw 1 }, get() { throw 2 } }), new Proxy([1], {}))`, stdout: "{ a: 1 } [ 1 ]\n"},
	{name: "hundred", code: `console.log(Array.from({ length: 101 }, (_, i) => i % 10).length, Array(120).fill(7))`,
		stdout: "101 [\n" + strings.Repeat("  7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,\n", 8) + "  7, 7, 7, 7,\n  ... 20 more items\n]\n"},
	{name: "format", code: `console.log("%s is %d%% %j %o", "it", 42, { a: [1] }, [1], "more")`, stdout: "it is 42% {\"a\":[1]} [ 1, [length]: 1 ] more\n"},
	{name: "groups", code: `console.group("g"); console.log("a\nb"); console.group(); console.log("c"); console.groupEnd(); console.groupEnd(); console.log("d")`,
		stdout: "g\n  a\n  b\n    c\nd\n"},
	{name: "counters", code: `console.count(); console.count("x"); console.count(); console.countReset(); console.count(); console.assert(true); console.assert(false, "no %s", "way")`,
		stdout: "default: 1\nx: 1\ndefault: 2\ndefault: 1\n", stderr: "Assertion failed: no way\n"},
	{name: "table", code: `console.table([{ a: 1 }, { a: "x" }])`,
		stdout: "┌─────────┬─────┐\n│ (index) │ a   │\n├─────────┼─────┤\n│ 0       │ 1   │\n│ 1       │ 'x' │\n└─────────┴─────┘\n"},
	{name: "order", code: `
		setTimeout(() => { console.log("timeout"); Promise.resolve().then(() => console.log("micro in timeout")) }, 0);
		setTimeout(() => console.log("timeout 2"), 0);
		setTimeout(() => console.log("later"), 20);
		setTimeout(() => console.log("sooner"), 10);
		queueMicrotask(() => console.log("micro"));
		Promise.resolve().then(() => console.log("then"));
		(async () => { await null; console.log("await") })();
		console.log("sync")`,
		stdout: "sync\nmicro\nthen\nawait\ntimeout\nmicro in timeout\ntimeout 2\nsooner\nlater\n"},
	{name: "immediates", code: `
		setTimeout(() => { setImmediate(() => console.log("immediate")); setTimeout(() => console.log("next round"), 0); console.log("timer") }, 0);
		setTimeout(() => console.log("same round"), 0)`, stdout: "timer\nsame round\nimmediate\nnext round\n"},
	{name: "clear", code: `
		const a = setTimeout(() => console.log("never"), 0); clearTimeout(a); clearTimeout(+setTimeout(() => console.log("never"), 0)); clearImmediate(setImmediate(() => console.log("never")));
		let n = 0; const i = setInterval((x) => { console.log(x, ++n); if (n === 3) clearInterval(i) }, 1, "tick")`, stdout: "tick 1\ntick 2\ntick 3\n"},
	{name: "unref", code: `setTimeout(() => console.log("never"), 1e6).unref(); const t = setTimeout(() => {}, 1e6); t.unref(); console.log(t.hasRef())`, stdout: "false\n"},
	{name: "alive", code: `setTimeout(() => console.log("after main"), 5); return 1`, stdout: "after main\n"},
	{name: "delays", code: `for (const d of [NaN, -5, "2", undefined, null, Infinity]) setTimeout(() => console.log(String(d)), d); setTimeout(() => console.log("end"), 40)`,
		stdout: "NaN\n-5\nundefined\nnull\nInfinity\n2\nend\n", stderr: "TimeoutOverflowWarning: Infinity does not fit into a 32-bit signed integer.\nTimeout duration was set to 1.\n"},
	{name: "url", code: `const u = new URL("../x?q=1#f", "https://user@example.org:443/a/b/c"); u.searchParams.set("k", "ü"); console.log(u.href, u.host)`,
		stdout: "https://user@example.org/a/x?q=1&k=%C3%BC#f example.org\n"},
	{name: "encoding", code: `console.log(new TextDecoder().decode(new TextEncoder().encode("aé漢🎉\ud800")), btoa("\xff"), atob("/w==").charCodeAt(0), new TextDecoder().decode(new Uint8Array([97, 255, 98])))`,
		stdout: "aé漢🎉\ufffd /w== 255 a\ufffdb\n"},
	{name: "random", code: `
		const seen = new Set(); for (let i = 0; i < 100; i++) { const r = Math.random(); if (r < 0 || r >= 1) throw r; seen.add(r) }
		const u = crypto.getRandomValues(new Uint8Array(16)); console.log(seen.size, u.some((x) => x > 0), /^[0-9a-f-]{36}$/.test(crypto.randomUUID()))`, stdout: "100 true true\n"},
	{name: "clone", code: `const a = { m: new Map([[1, new Date(0)]]), e: new RangeError("r") }; a.a = a; const c = structuredClone(a); console.log(c.a === c, c !== a, c.m.get(1).getTime(), c.e instanceof RangeError); try { structuredClone(() => 1) } catch (e) { console.log(e.name) }`,
		stdout: "true true 0 true\nDataCloneError\n"},
	{name: "transfer", code: `const b = new ArrayBuffer(3); const c = structuredClone(b, { transfer: [b] }); console.log(b.byteLength, c.byteLength)`, stdout: "0 3\n"},
	{name: "abort", code: `const c = new AbortController(); c.signal.addEventListener("abort", () => console.log(c.signal.reason.name)); c.abort(); try { c.signal.throwIfAborted() } catch (e) { console.log(e instanceof DOMException) }`,
		stdout: "AbortError\ntrue\n"},
	{name: "timeout signal", code: `const s = AbortSignal.timeout(5); await new Promise((r) => s.onabort = r); console.log(s.reason.name)`, stdout: "TimeoutError\n"},
	{name: "absent", code: `console.log(typeof process, typeof require, typeof fetch, typeof WebAssembly, typeof module, typeof Buffer)`, stdout: "undefined undefined undefined undefined undefined undefined\n"},
	{name: "ids", code: `console.log(reeve.id, reeve.run, reeve === cyrnel)`, stdout: "7 3 true\n"},
	{name: "performance", code: `const t = performance.now(); await new Promise((r) => setTimeout(r, 5)); console.log(performance.now() > t && performance.now() >= 4, Math.abs(performance.timeOrigin + t - Date.now()) < 60000)`, stdout: "true true\n"},

	{name: "throw", code: `throw new Error("boom")`, errorMessage: "boom", anyStderr: true},
	{name: "throw type error", code: `null.x`, errorMessage: "TypeError: ", anyStderr: true},
	{name: "throw string", code: `throw "text"`, errorMessage: "text", stderr: "Uncaught 'text'\n"},
	{name: "throw object", code: `throw { code: 5 }`, errorMessage: `{"code":5}`, stderr: "Uncaught { code: 5 }\n"},
	{name: "throw circular", code: `const a = {}; a.a = a; throw a`, errorMessage: "[object Object]", stderr: "Uncaught <ref *1> { a: [Circular *1] }\n"},
	{name: "throw undefined", code: `throw undefined`, errorMessage: "undefined", stderr: "Uncaught undefined\n"},
	{name: "throw empty error", code: `throw new Error()`, errorMessage: "Error", anyStderr: true},
	{name: "throw own class", code: `class MyError extends Error { constructor(m) { super(m); this.name = "MyError" } } throw new MyError("mine")`, errorMessage: "MyError: mine", anyStderr: true},
	{name: "throw in timer", code: `setTimeout(() => { throw new Error("in timer") }, 1); setTimeout(() => console.log("never"), 50)`, errorMessage: "in timer", anyStderr: true},
	{name: "throw in microtask", code: `queueMicrotask(() => { throw new Error("in microtask") })`, errorMessage: "in microtask", anyStderr: true},
	{name: "throw in listener", code: `const t = new EventTarget(); t.addEventListener("x", () => { throw new Error("in listener") }); t.dispatchEvent(new Event("x")); console.log("on")`, stdout: "on\n", errorMessage: "in listener", anyStderr: true},
	{name: "rejection", code: `Promise.reject(new Error("lost")); await new Promise((r) => setTimeout(r, 20)); console.log("never")`, errorMessage: "lost", anyStderr: true},
	{name: "rejection handled in time", code: `const p = Promise.reject(new Error("x")); await null; p.catch(() => console.log("handled"))`, stdout: "handled\n"},
	{name: "rejection handled late", code: `const p = Promise.reject(new Error("late")); setTimeout(() => p.catch(() => {}), 5)`, errorMessage: "late", anyStderr: true},
	{name: "unsettled", code: `await new Promise(() => {})`, errorMessage: "the program awaits something that never settles", errorKind: "unsettled"},
	{name: "unsettled after timer", code: `await new Promise((r) => setTimeout(() => console.log("tick"), 1))`, stdout: "tick\n", errorMessage: "the program awaits something that never settles", errorKind: "unsettled"},
	{name: "compile error", code: `return ]`, errorMessage: "SyntaxError: ", anyStderr: true},
	{name: "output is refused", code: `for (const bad of [1, null, [], "s", undefined, new Date(), { a: 1n }, { f() {} }]) { try { reeve.output(bad); console.log("accepted", bad) } catch (e) { console.log(e.name) } }`,
		stdout: strings.Repeat("TypeError\n", 8)},
	{name: "frozen", code: `"use strict";
		const tries = [() => { reeve = 1 }, () => { reeve.x = 1 }, () => { reeve.output = 1 }, () => { reeve.services = 1 }, () => { reeve.services.a = 1 }, () => { reeve.services.a.tools = 1 }, () => { reeve.services.a.tools.b = 1 }, () => { reeve.services.a.tools.b.invoke = 1 },
			() => { delete reeve.output }, () => { cyrnel = 1 }, () => { Object.defineProperty(reeve, "x", { value: 1 }) }, () => { Object.setPrototypeOf(reeve, {}) }, () => { delete globalThis.reeve }, () => { Object.defineProperty(globalThis, "reeve", { value: 1 }) }, () => { reeve.signal.aborted = 1 }];
		console.log(tries.map((f) => { try { f(); return "changed by " + f } catch (e) { return e.name } }).filter((x) => x !== "TypeError"))`, stdout: "[]\n"},
	{name: "services are no thenables", code: `const s = await reeve.services; const x = await s.x; const t = await x.tools; console.log(typeof t.y, t.then, s[Symbol.iterator], "a" in s, Object.keys(s), JSON.stringify(t))`,
		stdout: "function undefined undefined true [] {}\n"},
}

func testOutput(t *testing.T, e engine.Engine) {
	r := run(t, e, body(`reeve.output({ a: 1, b: { c: [null, "ü"] } }); cyrnel.output({ a: 2, u: undefined, n: NaN }); reeve.output({})`))
	r.succeeded(t)
	want := []string{`{"a":1,"b":{"c":[null,"ü"]}}`, `{"a":2,"n":null}`, `{}`}
	if strings.Join(r.outputs, "\n") != strings.Join(want, "\n") {
		t.Errorf("outputs %q, want %q", r.outputs, want)
	}
}

// testLarge: what is printed may be of any length, frames may not.
func testLarge(t *testing.T, e engine.Engine) {
	r := run(t, e, body(`console.log("ü🎉x".repeat(1 << 18)); try { reeve.output({ big: "x".repeat(17 << 20) }) } catch (e) { console.log("refused", e instanceof Error) }`))
	r.succeeded(t)
	want := strings.Repeat("ü🎉x", 1<<18) + "\nrefused true\n"
	if got := r.stdout.String(); got != want {
		t.Errorf("%d bytes came, want %d", len(got), len(want))
	}
	if r.largest > 1<<20 {
		t.Errorf("a frame of %d bytes", r.largest)
	}
}
