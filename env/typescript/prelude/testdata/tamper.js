// Overwrites every method and accessor of every builtin by one that throws, puts
// setters on Object.prototype and Array.prototype, and then uses all the prelude
// gives. Nothing may break.
"use strict";
const { sandbox, source } = require("./harness.js");

const tamper = `
  const seen = new Set();
  const bomb = (name) => function () { throw "tampered: " + name };
  const ruin = (object, path) => {
    if (object === null || (typeof object !== "object" && typeof object !== "function") || seen.has(object)) return;
    seen.add(object);
    for (const key of Reflect.ownKeys(object)) {
      const d = Object.getOwnPropertyDescriptor(object, key);
      if (d.value && (typeof d.value === "function" || typeof d.value === "object")) todo.push([d.value, path + "." + String(key)]);
      if (!d.configurable) continue;
      if (path.startsWith("globalThis.") && path.split(".").length === 2 && ["prototype"].includes(key)) continue;
      spoil.push([object, key, d, path + "." + String(key)]);
    }
    const proto = Object.getPrototypeOf(object);
    if (proto) todo.push([proto, path + ".__proto__"]);
  };
  const keep = Object.assign(Object.create(null), Object.fromEntries(["console", "setTimeout", "setInterval", "setImmediate", "clearTimeout", "queueMicrotask", "URL", "URLSearchParams", "TextEncoder", "TextDecoder", "atob", "btoa", "crypto", "Crypto", "structuredClone", "AbortController", "AbortSignal", "Event", "EventTarget", "DOMException", "performance", "Performance", "reeve", "cyrnel", "CustomEvent", "globalThis", "made"].map((name) => [name, true])));
  const todo = [], spoil = [];
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (keep[name]) continue;
    todo.push([globalThis[name], "globalThis." + name]);
  }
  todo.push([Object.getPrototypeOf([][Symbol.iterator]()), "%ArrayIterator%"], [Object.getPrototypeOf(new Map()[Symbol.iterator]()), "%MapIterator%"], [Object.getPrototypeOf(async function () {}), "%AsyncFunction%"], [Object.getPrototypeOf(function* () {}), "%GeneratorFunction%"]);
  while (todo.length) ruin(...todo.pop());
  const define = Reflect.defineProperty, global = globalThis, ObjectP = Object.prototype, ArrayP = Array.prototype, names = Object.getOwnPropertyNames(globalThis);
  for (let i = 0; i < spoil.length; i += 1) {
    const [object, key, d, path] = spoil[i];
    if (typeof d.value === "function") define(object, key, { __proto__: null, value: bomb(path), configurable: true, writable: true });
    else if (d.get) define(object, key, { __proto__: null, get: bomb(path), set: bomb(path), configurable: true });
  }
  for (const p of [ObjectP, ArrayP]) {
    for (const key of ["0", "1", "2", "length_", "value", "get", "set", "enumerable", "writable", "configurable", "done", "next", "then", "id", "ok", "error", "message", "code", "name", "signal", "stack", "cause", "transfer", "capture", "once", "fatal", "stream", "ignoreBOM", "detail", "cancelable", "bubbles", "composed", "passive", "depth", "file", "type"]) {
      define(p, key, { __proto__: null, get: () => undefined, set() { throw "setter " + key }, configurable: true });
    }
  }
  for (let i = 0; i < names.length; i += 1) {
    if (!keep[names[i]] && names[i] !== "globalThis") try { global[names[i]] = bomb("global " + names[i]) } catch {}
  }
`.replace("for (const p of [ObjectP, ArrayP])", "let p = ObjectP; for (let n = 0; n < 2; n += 1, p = ArrayP)")
  .replace(/for \(const key of (\["0"[^\]]*\])\) \{/, "const ks = $1; for (let k = 0; k < ks.length; k += 1) { const key = ks[k];")
  .replace(/const \[object, key, d, path\] = spoil\[i\];/, "const object = spoil[i][0], key = spoil[i][1], d = spoil[i][2], path = spoil[i][3];");

const uses = {
  "console.log": `console.log("%s %d %j", "a", 1, { b: 1 }, [1, 2, 3], { c: { d: { e: {} } } }); console.error(1n, -0, ["x"], null, undefined); console.dir({ a: 1 }); console.group("g"); console.info("in\\ngroup"); console.groupEnd(); console.count(); console.time(); console.timeEnd(); console.assert(false, "no"); console.trace("t"); console.table({ a: { b: 1 }, c: 2 })`,
  "console objects": `console.log(made.map, made.set, made.date, made.regexp, made.error, made.typed, made.buffer, made.promise, made.fn, made.cls, made.proxy, made.url, made.sparse, made.boxed, made.nul, made.circular, made.long)`,
  timers: `setTimeout(() => console.log("timer"), 1, 2, 3); setImmediate(() => console.log("immediate")); queueMicrotask(() => console.log("micro"))`,
  url: `const u = new URL("http://u:p@h:81/a/../b?x=1#f"); u.searchParams.append("k", "v v"); console.log(u.href, u.searchParams.get("x"), u.host, new URLSearchParams("a=b&a=c").toString())`,
  encoding: `const d = new TextDecoder(), e = new TextEncoder(); console.log(d.decode(e.encode("aé🎉")), btoa("abc"), atob("YWJj"))`,
  clone: `const c = structuredClone(made.deep); console.log(c.a.b)`,
  abort: `const a = new AbortController(); a.signal.addEventListener("abort", () => console.log("aborted")); a.abort(); console.log(a.signal.aborted)`,
  crypto: `console.log(crypto.randomUUID().length, made.random() < 1, performance.now() >= 0)`,
  output: `reeve.output({ a: { b: [1, "x"] } })`,
  calls: `made.call = reeve.services.svc.tools.tool({ x: 1 })`,
  signal: `reeve.signal.onabort = () => console.log("signal")`,
};

const text = source();
const box = sandbox(text);
const made = `const random = Math.random; globalThis.made = {
  map: new Map([[1, { a: 1 }]]), set: new Set([1]), date: new Date(0), regexp: /x/g, error: new Error("e", { cause: new TypeError("c") }), typed: new Uint8Array(3), buffer: new ArrayBuffer(2),
  promise: Promise.resolve(1), fn: function f() {}, cls: class A {}, proxy: new Proxy({ a: 1 }, {}), url: new URL("http://x/"), sparse: [, 1], boxed: new String("s"), nul: Object.create(null), circular: (() => { const a = {}; a.a = a; return a })(), long: Array.from({ length: 200 }, (_, i) => i),
  deep: { a: { b: [1, 2] } }, random: () => random(), call: undefined };`;
let wrong = 0;
const fail = (what, detail) => {
  wrong += 1;
  console.log(`--- ${what}: ${detail}`);
};
box.run(made);
box.hooks.start(box.run(`(async function () {})`), `{"id":1,"run":1,"mappings":"","lines":0,"columns":0}`);
box.run(`{${tamper}}`);
for (const [name, code] of Object.entries(uses)) {
  try {
    box.run(`{${code}}`);
  } catch (error) {
    fail(name, typeof error === "string" ? error : error.stack);
  }
}
for (let i = 0; i < 20 && box.hooks.turn() >= 0; i += 1) {
  try {
    const until = performance.now() + box.hooks.turn();
    while (performance.now() < until);
    box.hooks.fire();
  } catch (error) {
    fail("fire", typeof error === "string" ? error : error.stack);
  }
}
try {
  box.hooks.dispatch(67, "5");
  box.hooks.dispatch(71, "SIGTERM");
  box.hooks.dispatch(82, `{"id":1,"ok":false,"error":{"message":"no","code":"failed"}}`);
  box.hooks.rejection(0, {}, "unhandled");
  box.hooks.rejection(1, {}, undefined);
} catch (error) {
  fail("dispatch", typeof error === "string" ? error : error.stack);
}
const out = box.frames.map((f) => f.join(" ")).join("\n");
for (const wanted of ["a 1 {\"b\":1} [ 1, 2, 3 ] { c: { d: { e: {} } } }", "1n -0 [ 'x' ] null undefined", "Map(1) { 1 => { a: 1 } }", "<ref *1> { a: [Circular *1] }", "... 100 more items", "O timer", "O immediate", "http://u:p@h:81/b?x=1&k=v+v#f 1 h:81 a=b&a=c", "aé🎉 YWJj abc", "O [ 1, 2 ]", "O aborted", "O true", "O 36 true true", `M {"a":{"b":[1,"x"]}}`, `K {"id":1,"op":"tool","service":"svc","tool":"tool","params":{"x":1}}`, "A ", "O signal", "1970-01-01T00:00:00.000Z /x/g Error: e"]) {
  if (!out.includes(wanted)) fail("missing", wanted);
}
if (out.includes("tampered") || out.includes("setter ")) fail("leaked", out);
box.hooks.turn();
const last = box.frames[box.frames.length - 1];
if (!last || last[0] !== "X" || last[1] !== `{"message":"unhandled","kind":""}`) fail("end", JSON.stringify(last));
if (wrong > 0) console.log(out);
console.log(`${Object.keys(uses).length} uses after tampering, ${wrong} wrong`);
process.exit(wrong === 0 ? 0 : 1);
