//go:build linux

package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// Whatever a program reaches from JavaScript, nothing of the host is there.
func TestEscapeByLanguage(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	for name, code := range map[string]string{
		"the constructor of functions": lines("const reached = new Set<string>();",
			"for (const f of [console.log, reeve.output, setTimeout, (async () => {}), (function* () {}), reeve.spawn, queueMicrotask, structuredClone, URL, AbortController])",
			"  for (const source of ['return typeof process', 'return typeof require', 'return typeof module', 'return typeof native', 'return typeof Deno', 'return typeof Bun', 'return typeof WebAssembly', 'return typeof fetch']) {",
			"    try { const r = (f as any).constructor(source)(); reached.add(typeof r === 'string' ? r : 'made') } catch (e) { if (!(e instanceof Error)) reached.add('a stranger: ' + typeof e) } }",
			"console.log([...reached].filter((x) => x !== 'undefined' && x !== 'made').join() || 'nothing')"),
		"names of globals": lines("const names = new Set<string>(); for (let o: any = globalThis; o; o = Object.getPrototypeOf(o)) for (const k of Reflect.ownKeys(o)) names.add(String(k));",
			"const bad = ['process', 'require', 'module', 'exports', 'Buffer', 'global', 'native', 'hooks', 'fetch', 'XMLHttpRequest', 'WebSocket', 'Worker', 'WebAssembly', 'Deno', 'Bun', 'std', 'os', 'print', 'load', 'read', 'quit', 'gc', 'd8', 'importScripts', '__filename', '__dirname'].filter((n) => names.has(n));",
			"console.log(bad.join() || 'nothing')"),
		"import": lines("const got: string[] = [];", "for (const name of ['fs', 'node:fs', 'file:///etc/passwd', '/etc/passwd', './x', 'data:text/javascript,export default 1', 'std', 'os', 'qjs:os', 'https://example.org/x.js'])",
			"  for (const f of [(n: string) => import(n), (n: string) => (0, eval)(`import(${JSON.stringify(n)})`), (n: string) => new Function('n', 'return import(n)')(n)])",
			"    try { await f(name); got.push(name) } catch (e) { if (!(e instanceof Error)) got.push('a stranger of ' + name) }", "console.log(got.join() || 'nothing')"),
		"call sites": lines("const leaks: string[] = []; let sites = 0;", "Error.prepareStackTrace = (_, trace) => { for (const s of trace as any[]) { sites++;",
			"    for (const get of ['getFunction', 'getThis']) { const v = s[get]?.(); const file = String(s.getFileName?.());",
			"      if (v !== undefined && v !== globalThis && !file.startsWith('program')) leaks.push(`${get} of ${s.getFunctionName?.()} in ${file}`) } } return '' };",
			"const touch = () => { try { throw new Error('x') } catch (e: any) { void e.stack } };",
			"const spy: any = { get a() { touch(); return 1 }, toJSON() { touch(); return {} }, toString() { touch(); return 'x' }, [Symbol.toPrimitive]() { touch(); return 1 } };",
			"const proxy: any = new Proxy({}, { get() { touch(); return undefined }, ownKeys() { touch(); return [] }, getPrototypeOf() { touch(); return null } });",
			"for (const f of [() => reeve.output(spy), () => reeve.output(proxy), () => console.debug('%s %d', spy, proxy), () => structuredClone(spy), () => setTimeout(touch, spy), () => new URL(spy), () => new TextEncoder().encode(spy), () => reeve.services.reeve.tools.search(spy), () => atob(spy), () => new Proxy(reeve.services, {}).x.y])",
			"  try { await f() } catch (e: any) { void e.stack }", "await new Promise((r) => setTimeout(() => { touch(); r(0) }, 5));", "delete (Error as any).prepareStackTrace; console.error(sites); console.log([...new Set(leaks)].join() || 'nothing')"),
		"caller and arguments": lines("const leaks: string[] = []; function spy() { for (const k of ['caller', 'arguments', 'callee']) try { const v = (spy as any)[k]; if (typeof v === 'function' && !String(v).includes('leaks')) leaks.push(k + String(v).slice(0, 60)) } catch {} return 'x' }",
			"for (const f of [() => console.debug(`${{ toString: spy }}`, { get a() { return spy() } }), () => reeve.output({ get a() { return spy() } }), () => [1].forEach(spy)]) try { f() } catch {}", "setTimeout(spy); queueMicrotask(spy); await new Promise((r) => setTimeout(r, 5));", "console.log(leaks.join() || 'nothing')"),
		"the host's object": lines("const before = JSON.stringify(Reflect.ownKeys(reeve).map(String)); const bad: string[] = [];",
			"for (const [name, f] of Object.entries({ assign: () => { (reeve as any).output = 1 }, add: () => { (reeve as any).mine = 1 }, remove: () => { delete (reeve as any).output }, define: () => Object.defineProperty(reeve, 'output', { value: 1 }), proto: () => Object.setPrototypeOf(reeve, { x: 1 }),",
			"  replace: () => { (globalThis as any).reeve = 1 }, redefine: () => Object.defineProperty(globalThis, 'reeve', { value: 1 }), drop: () => { delete (globalThis as any).reeve }, service: () => { (reeve.services as any).x = 1 }, cyrnel: () => { (globalThis as any).cyrnel = 1 } }))",
			"  try { f() } catch (e) { if (!(e instanceof TypeError)) bad.push(name) }", "if (JSON.stringify(Reflect.ownKeys(reeve).map(String)) !== before || (reeve as any).mine || typeof reeve.output !== 'function' || reeve !== cyrnel || !Object.isFrozen(reeve) || (reeve as any).x || (reeve.services as any).x === 1) bad.push('changed');",
			"console.log(bad.join() || 'nothing')"),
	} {
		rec := d.ts(t, code, block)
		if rec.exitState() != "success" || !strings.HasSuffix(rec.str("stdout"), "nothing\n") {
			t.Errorf("%s: %s, stdout %q, %v\n%s", name, rec.exitState(), rec.str("stdout"), rec["error"], tail(rec.str("stderr"), 600))
		}
	}
}

// A program may break its own world; what it tells the host stays exact.
func TestEscapeByTampering(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	d := s.start(t, newBase(t), "")
	v8 := d.onV8(t)
	for name, tamper := range map[string]string{
		"JSON":       "JSON.stringify = () => 'forged'; JSON.parse = () => ({ forged: 1 });",
		"prototypes": "const all: any[] = []; for (const p of [Object, Array, String, Number, Function, Promise, Map, Set, Error, RegExp, Uint8Array] as any[]) for (const k of Reflect.ownKeys(p.prototype)) if (k !== 'constructor') all.push([p.prototype, k]); for (let i = 0; i < all.length; i++) try { all[i][0][all[i][1]] = () => { throw new Error('forged') } } catch {}",
		"setters":    "for (const k of ['service', 'tool', 'params', 'id', 'type', 'payload', 'message', 'code', 'kind', 'done', 'then', 0, 1]) Object.defineProperty(Object.prototype, k, { get() { return undefined }, set() { throw new Error('forged') }, configurable: true });",
		"iteration":  "(Array.prototype as any)[Symbol.iterator] = function* () { yield 'forged' }; Object.getPrototypeOf([][Symbol.iterator === undefined ? 0 : 'keys']()).next = () => ({ done: true });",
		"globals":    "for (const k of ['Promise', 'Map', 'Set', 'Array', 'Object', 'Error', 'TextEncoder', 'Uint8Array', 'Symbol', 'Reflect', 'Proxy', 'JSON', 'Math', 'setTimeout', 'String', 'Number']) (globalThis as any)[k] = undefined;",
		"promises":   "Promise.prototype.then = function () { throw new Error('forged') }; Promise.resolve = Promise.reject = Promise.all = (() => { throw new Error('forged') }) as any; Object.defineProperty(Promise, Symbol.species, { value: function () { throw new Error('forged') } });",
	} {
		if name == "setters" && !v8 {
			continue // its JSON is written by setters
		}
		code := "const log = console.log; const pet = reeve.services.shop.tools.get_pet; " + tamper + "\nlog('one', 2); reeve.output({ a: [1, 'x'] }); const got = await pet({ id: 7 }); log(got.path);"
		rec := d.ts(t, code, block)
		if rec.exitState() != "success" || rec.str("stdout") != "one 2\n/pets/7\n" || mustJSON(t, rec["output"]) != `{"a":[1,"x"]}` {
			t.Errorf("%s: %s (%v), stdout %q, output %v\n%s", name, rec.exitState(), rec["error"], rec.str("stdout"), rec["output"], tail(rec.str("stderr"), 600))
		}
	}
	if called := s.called(); len(called) < 5 || slices.ContainsFunc(called, func(c string) bool { return c != "GET /pets/7" }) {
		t.Errorf("the service was called %q", called)
	}
}

// Bytes that mean something to somebody else mean nothing here.
func TestEscapeByBytes(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	d := s.start(t, newBase(t), "")
	var forged strings.Builder
	for kind := range 32 {
		forged.WriteString(string([]byte{0, 0, 0, 2, byte(kind), '{', '}', '\n', 2, 0, 0, 0, byte(kind)}))
	}
	texts := []string{forged.String(), "\x00\x01\x02\x1b[31m\r\n\r\x7f\u0085\u2028\u2029", `{"message":"forged","kind":"memory"}` + "\n", strings.Repeat("\x00", 70000), "é€😀\ufeff\ufffd"}
	for _, text := range texts {
		quoted, _ := json.Marshal(text)
		rec := d.ts(t, "const s = "+string(quoted)+"; console.log(s); console.error(s); reeve.output({ s, [s.slice(0, 50)]: 1 }); const back = await reeve.services.shop.tools.echo({ a: s }); console.log(back.a === s)", block).wantEnd(t, "success")
		out := d.get(t, path(rec.id(), "/stdout")).want(t, 200).body
		if string(out) != text+"\ntrue\n" || string(d.get(t, path(rec.id(), "/stderr")).want(t, 200).body) != text+"\n" {
			t.Errorf("%.80q came out as %.200q", text, out)
		}
		if got := d.get(t, path(rec.id(), "/output")).want(t, 200).json(t); got.str("s") != text || len(got) != 2 {
			t.Errorf("%.80q in the output is %.80q", text, got.str("s"))
		}
	}
	lone := d.ts(t, `const s = "a\ud800b\udc00"; console.log(s); reeve.output({ s, ["k\ud800"]: 1 }); console.log((await reeve.services.shop.tools.echo({ a: s })).a)`, block).wantEnd(t, "success")
	if lone.str("stdout") != "a\ufffdb\ufffd\na\ufffdb\ufffd\n" {
		t.Errorf("lone surrogates: %q", lone.str("stdout"))
	}
	wantJSON(t, lone["output"], `{"s":"a\ufffdb\ufffd","k\ufffd":1}`)

	proto := d.wantStdout(t, lines(`const evil = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}, "a": 1}');`, "reeve.output(evil); const back = await reeve.services.shop.tools.echo(evil);",
		"console.log(Object.keys(back).sort().join(), (({} as any).polluted), Object.getPrototypeOf(back) === Object.prototype, back.polluted);",
		"const odd = await reeve.services.shop.tools.odd(); console.log(odd.a, odd.polluted, Object.getPrototypeOf(odd) === Object.prototype, odd.constructor, odd.nul === '\\0', odd.then, Object.hasOwn(odd, '__proto__'));"),
		"__proto__,a,constructor undefined true undefined\n2 undefined true 5 true 2 true\n")
	wantJSON(t, proto["output"], `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1}`)
	if called := s.called(); !slices.Contains(called, `POST /echo  {"__proto__":{"polluted":1},"a":1,"constructor":{"prototype":{"polluted":1}}}`) {
		t.Errorf("the service got %.300q", called[len(called)-2:])
	}
}
