// Compares what the prelude's web interfaces do with what Node's do: each case
// is a program that returns JSON, run in a bare realm with the prelude and in
// this one.
"use strict";
const { sandbox, source } = require("./harness.js");

const cases = [
  // encoding
  `[...new TextEncoder().encode("aé漢🎉\\ud800x")]`, `[...new TextEncoder().encode()]`, `(() => { const u = new Uint8Array(5); return [new TextEncoder().encodeInto("a漢🎉", u), [...u]] })()`,
  `new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61]))`, `new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61])).length`,
  `new TextDecoder().decode(new Uint8Array([0x61, 0xff, 0xc3, 0x28, 0xe2, 0x82, 0xf0, 0x9f, 0x8e, 0x89, 0xed, 0xa0, 0x80, 0xf5, 0xc0, 0x80]))`, `(() => { try { new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([0xff])) } catch (e) { return [e.name, e.code] } })()`,
  `(() => { const d = new TextDecoder(); return [d.decode(new Uint8Array([0xf0, 0x9f]), { stream: true }), d.decode(new Uint8Array([0x8e, 0x89]), { stream: true }), d.decode(), d.decode(new Uint8Array([0x61]))] })()`, `(() => { const d = new TextDecoder(); return [d.decode(new Uint8Array([0xe2, 0x82]), { stream: true }), d.decode()] })()`,
  `new TextDecoder("utf-16le").decode(new Uint8Array([0x61, 0, 0x3d, 0xd8, 0x89, 0xdf, 0x00, 0xd8, 0x62, 0]))`, `new TextDecoder("latin1").decode(new Uint8Array([0x61, 0xe9, 0xff]))`, `[new TextDecoder(" UTF8 ").encoding, new TextDecoder("latin1").encoding, new TextDecoder("utf-16").encoding]`, `(() => { try { new TextDecoder("nope") } catch (e) { return [e.name, e.code] } })()`,
  `new TextDecoder().decode(new DataView(new Uint8Array([1, 97, 98]).buffer, 1))`, `(() => { try { new TextDecoder().decode("x") } catch (e) { return e.name } })()`, `[new TextDecoder().fatal, new TextDecoder().ignoreBOM, new TextEncoder().encoding]`,
  `[btoa(""), btoa("a"), btoa("ab"), btoa("abc"), btoa("\\xff\\0")]`, `(() => { try { btoa("漢") } catch (e) { return [e.name, e.code] } })()`, `[atob("YQ=="), atob("YQ"), atob(" Y W J j "), atob("")]`, `(() => { try { atob("a") } catch (e) { return [e.name, e.code] } })()`, `(() => { try { atob("ab=c") } catch (e) { return e.name } })()`, `atob("/+//") === "\\xff\\xef\\xff"`,
  // clone
  `structuredClone({ a: [1, { b: null }], d: new Date(5), u: undefined })`, `(() => { const a = {}; a.a = a; const c = structuredClone(a); return c.a === c && c !== a })()`, `(() => { const c = structuredClone(new Map([[1, new Set([2])]])); return [c instanceof Map, [...c.get(1)]] })()`, `(() => { const c = structuredClone(/x/gi); return [c.source, c.flags, c.lastIndex] })()`,
  `(() => { const e = structuredClone(Object.assign(new RangeError("r", { cause: 5 }), { extra: 1 })); return [e.name, e.message, e.cause, e instanceof RangeError, e.extra === undefined] })()`, `(() => { const e = structuredClone(Object.assign(new Error("r"), { name: "Custom" })); return [e.name, e instanceof Error] })()`, `[...structuredClone(new Float64Array([1.5, 2]))]`, `(() => { const u = new Uint8Array([1, 2, 3, 4]); const c = structuredClone({ a: u.subarray(1, 3), b: u }); return [[...c.a], c.a.buffer === c.b.buffer, c.a.byteOffset] })()`,
  `(() => { try { structuredClone(() => 1) } catch (e) { return [e.name, e.code, e.message] } })()`, `(() => { try { structuredClone({ s: Symbol("x") }) } catch (e) { return [e.name, e.message] } })()`, `(() => { try { structuredClone(Promise.resolve()) } catch (e) { return [e.name, e.message] } })()`, `(() => { try { structuredClone(new WeakMap()) } catch (e) { return [e.name, e.message] } })()`, `(() => { try { structuredClone() } catch (e) { return e.name } })()`,
  `structuredClone(new (class Foo { x = 1; get y() { return 2 } })())`, `(() => { const c = structuredClone(new (class Foo { x = 1 })()); return Object.getPrototypeOf(c) === Object.prototype || Object.getPrototypeOf(c).constructor.name })()`, `structuredClone({ get a() { return 5 } })`, `(() => { const a = [1, , 3]; a.x = 1; const c = structuredClone(a); return [c.length, 1 in c, c.x] })()`, `structuredClone([new Number(1), new String("s"), new Boolean(true)]).map((x) => typeof x)`, `structuredClone(5n) === 5n`, `Object.is(structuredClone(-0), -0)`, `structuredClone({ ["__proto__"]: 1 })`,
  `(() => { const b = new ArrayBuffer(4); new Uint8Array(b)[0] = 7; const c = structuredClone(b, { transfer: [b] }); return new Uint8Array(c)[0] })()`,
  // events and abort
  `(() => { const t = new EventTarget(), log = []; t.addEventListener("x", (e) => log.push([e.type, e.target === t, e.currentTarget === t, e.eventPhase])); log.push(t.dispatchEvent(new Event("x"))); return log })()`, `(() => { const t = new EventTarget(), log = []; const f = () => log.push("f"); t.addEventListener("x", f); t.addEventListener("x", f); t.addEventListener("x", f, true); t.dispatchEvent(new Event("x")); t.removeEventListener("x", f); t.dispatchEvent(new Event("x")); return log })()`,
  `(() => { const t = new EventTarget(), log = []; t.addEventListener("x", () => log.push(1), { once: true }); t.dispatchEvent(new Event("x")); t.dispatchEvent(new Event("x")); return log })()`, `(() => { const t = new EventTarget(); t.addEventListener("x", (e) => e.preventDefault()); return [t.dispatchEvent(new Event("x")), t.dispatchEvent(new Event("x", { cancelable: true }))] })()`, `(() => { const t = new EventTarget(), log = []; t.addEventListener("x", (e) => { log.push(1); e.stopImmediatePropagation() }); t.addEventListener("x", () => log.push(2)); t.dispatchEvent(new Event("x")); return log })()`,
  `(() => { const t = new EventTarget(), log = []; t.addEventListener("x", { handleEvent(e) { log.push(e.type) } }); t.dispatchEvent(new Event("x")); return log })()`, `(() => { const t = new EventTarget(), c = new AbortController(), log = []; t.addEventListener("x", () => log.push(1), { signal: c.signal }); t.dispatchEvent(new Event("x")); c.abort(); t.dispatchEvent(new Event("x")); return log })()`, `new CustomEvent("c", { detail: { a: 1 } }).detail`, `(() => { const t = new EventTarget(), log = []; t.addEventListener("x", () => { log.push(1); t.addEventListener("x", () => log.push(2)) }, { once: true }); t.dispatchEvent(new Event("x")); return log })()`,
  `(() => { const c = new AbortController(); const log = [c.signal.aborted, c.signal.reason === undefined]; c.signal.onabort = (e) => log.push(e.type); c.abort(); c.abort(); log.push(c.signal.aborted, c.signal.reason.name, c.signal.reason.code, c.signal.reason.message); return log })()`, `(() => { const c = new AbortController(); c.abort("why"); try { c.signal.throwIfAborted() } catch (e) { return e } })()`, `[AbortSignal.abort().aborted, AbortSignal.abort(5).reason]`, `(() => { const a = new AbortController(), s = AbortSignal.any([a.signal, new AbortController().signal]); a.abort("r"); return [s.aborted, s.reason] })()`, `AbortSignal.any([AbortSignal.abort(1)]).reason`, `(() => { try { new AbortSignal() } catch (e) { return e.name } })()`,
  `(() => { const e = new DOMException("m", "AbortError"); return [e.name, e.code, e.message, e instanceof Error, String(e), Object.prototype.toString.call(e)] })()`, `[new DOMException().name, new DOMException("x", { name: "N", cause: 1 }).cause, DOMException.ABORT_ERR]`, `(() => { try { new EventTarget().dispatchEvent({}) } catch (e) { return e.name } })()`,
  // the rest
  `crypto.randomUUID().length`, `/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())`, `(() => { const u = new Uint32Array(8); return crypto.getRandomValues(u) === u && u.some((x) => x > 0) })()`, `(() => { try { crypto.getRandomValues(new Float32Array(1)) } catch (e) { return [e.name, e.code] } })()`, `(() => { try { crypto.getRandomValues(new Uint8Array(65537)) } catch (e) { return [e.name, e.code] } })()`,
  `(() => { const r = Array.from({ length: 1000 }, Math.random); return r.every((x) => x >= 0 && x < 1) && new Set(r).size === 1000 })()`, `typeof performance.now()`, `(() => { try { setTimeout("code") } catch (e) { return [e.name, e.code] } })()`, `(() => { const t = setTimeout(() => {}, 1e9); const r = [t.hasRef(), t.unref() === t, t.hasRef(), typeof +t, t.ref().hasRef(), t.refresh() === t]; clearTimeout(t); return r })()`, `(() => { clearTimeout(); clearTimeout(null); clearTimeout({}); clearTimeout("x"); clearInterval(99999); clearImmediate(); return true })()`,
  `Object.prototype.toString.call(new URL("http://x"))`, `Object.keys(URL.prototype).sort()`, `JSON.stringify({ u: new URL("http://x/y?z") })`, `new URL("?q=1", "http://h/p").searchParams.get("q")`, `(() => { const u = new URL("http://h/?a=1"); u.searchParams.append("b", "ü "); const s = u.href; u.search = "?c=3"; return [s, u.searchParams.get("c"), [...u.searchParams]] })()`, `[URL.canParse("x"), URL.canParse("x", "http://h")]`,
];

const box = sandbox(source());
let wrong = 0;
for (const code of cases) {
  const program = `JSON.stringify(${code})`;
  const expected = (0, eval)(program);
  let got;
  try {
    got = box.run(program);
  } catch (error) {
    got = `threw ${error}`;
  }
  if (got === expected) continue;
  wrong += 1;
  console.log(`--- ${code}\nnode:  ${expected}\nreeve: ${got}`);
}
console.log(`${cases.length} cases, ${wrong} differ`);
process.exitCode = wrong === 0 ? 0 : 1;
