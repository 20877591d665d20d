// Compares the prelude's console with Node's own util.format, in the same realm
// and on the same values. Each case is the list of arguments of console.log.
"use strict";
const util = require("util");
const { sandbox, source } = require("./harness.js");

const primitives = [
  `0`, `-0`, `1`, `-1.5`, `NaN`, `Infinity`, `1e21`, `123456789012`, `0.1`, `10n`, `-5n`, `true`, `false`, `null`, `undefined`,
  `Symbol()`, `Symbol("a b")`, `Symbol.iterator`, `""`, `"plain"`, `"it's"`, `"say \\"hi\\""`, `"\\n"`, `["it's"]`, `['"']`, `["'\\""]`,
  "[`'\"${1}`]", "[\"'\\\"`\"]", `["\\n\\t\\b\\f\\r\\v\\0\\x1b\\x7f\\x85"]`, `["\\\\"]`, `["é漢字🎉"]`, `["\\ud83d"]`, `["a\\udc00b"]`, `["\\u2028"]`,
  `"a\\nb"`, `["a\\nb"]`, `[-0]`, `[NaN, Infinity]`, `["${"x".repeat(30)}\\n${"y".repeat(60)}\\nz"]`, `{ a: "${"x".repeat(30)}\\n${"y".repeat(60)}\\n" }`,
  `["x".repeat(10005)]`, `["x".repeat(10001)]`, `{ s: "long ".repeat(30) }`, `["a\\u00adb"]`, `"%"`, `"%%"`, `"%s"`,
];

const objects = [
  `{}`, `{ a: 1 }`, `{ a: { b: { c: { d: 1 } } } }`, `{ a: { b: { c: {} } } }`, `{ a: [[[[]]]] }`, `{ "a-b": 1, "1a": 2, _x: 3, $y: 4, "": 5, é: 6 }`,
  `{ [Symbol("s")]: 1, [Symbol.iterator]: 2 }`, `{ [Symbol("it's")]: 1 }`, `{ get a() { return 1 } }`, `{ set a(v) {} }`, `{ get a() { return 1 }, set a(v) {} }`,
  `Object.create(null)`, `Object.assign(Object.create(null), { a: 1 })`, `Object.create({})`, `Object.create({ a: 1 })`, `Object.create(Object.create(null))`,
  `{ __proto__: { a: 1 }, b: 2 }`, `{ ["__proto__"]: 1 }`, `Object.defineProperty({}, "hidden", { value: 1 })`, `Object.defineProperty({}, "u", { value: undefined, enumerable: true })`,
  `{ undefined: undefined, null: null }`, `{ f() {}, g: () => 1, h: function () {}, async i() {}, *j() {}, async *k() {} }`,
  `{ alpha: "aaaaaaaaaaaaaaaaaaaaaa", beta: "bbbbbbbbbbbbbbbbbbbbbbbb", gamma: "cccccccccc" }`, `{ alpha: "aaaaaaaaaaaaaaaaaaaaaa", beta: "bbbbbbbbbbbbbbbbbbbbbbbb", gamma: "ccccccccccc" }`,
  `{ a: 1, b: "xxxxxxxxxxxxxxxxxxxx", c: [1, 2, 3], d: { e: { f: 1 } }, g: null, h: undefined }`, `{ a: { b: 1 }, c: { d: { e: { f: { g: 1 } } } } }`,
  `[{ a: 1, b: { c: 2 } }, { a: 1, b: { c: 2 } }]`, `{ a: [{ b: { c: {} } }] }`, `{ a: { b: { c: [] } } }`, `{ a: { b: { c: new Map([[1, 2]]) } } }`, `{ a: { b: { c: new (class Foo { x = 1 })() } } }`,
  `{ a: { b: { c: Object.assign(Object.create(null), { d: 1 }) } } }`, `{ a: { b: { c: new Set() } } }`, `{ a: { b: { c: new Date(0) } } }`, `{ a: { b: { c: /x/ } } }`, `{ a: { b: { c: new Error("deep").message } } }`,
  `new (class Foo {})()`, `new (class Foo { a = 1; #p = 2 })()`, `new (class extends (class Base {}) {})()`, `new (class Foo extends Map {})()`, `new (class Foo extends Array {})(3)`, `new (class {})()`, `new (class { a = 1 })()`,
  `new (class Foo { get [Symbol.toStringTag]() { return "bar" } })()`, `{ [Symbol.toStringTag]: "T" }`, `Object.defineProperty({}, Symbol.toStringTag, { value: "T" })`, `new (class A { get [Symbol.toStringTag]() { return "A" } })()`,
  `Object.defineProperty({ a: 1 }, Symbol.toStringTag, { value: "T" })`, `Object.assign(Object.create({ [Symbol.toStringTag]: "inherited" }), { x: 1 })`, `Object.setPrototypeOf({ a: 1 }, null)`,
  `(function () { return arguments })(1, 2)`, `(function () { return arguments })()`, `Math`, `JSON`, `Reflect`, `Object.keys(globalThis).length < 0`, `Object.fromEntries([...Array(30).keys()].map((i) => ["key" + i, i]))`,
  `{ a: 1n, b: Symbol("x"), c: -0, d: new Date(NaN) }`, `{ constructor: "x" }`, `{ constructor: { name: "Fake" } }`, `(() => { function F() { this.x = 1 } F.prototype = { y: 2 }; return new F() })()`, `(() => { function F() { this.x = 1 } return new F() })()`,
  `Object.create(class Foo {}.prototype)`, `(() => { class Foo {} ; return Object.create(Foo.prototype) })()`, `(() => { class Foo {} ; return Foo.prototype })()`, `Object.create(Map.prototype)`, `Object.create(Date.prototype)`, `Object.create(Array.prototype)`,
  `{ "key with spaces": { nested: "value" } }`, `{ a: "it's" }`, `{ toString() { return "x" } }`, `{ toJSON() { return 1 } }`, `{ then: 1 }`, `Object.freeze({ a: 1 })`,
];

const arrays = [
  `[]`, `[1]`, `[1, 2, 3]`, `["a", "b"]`, `[[1], [2, [3, [4, [5]]]]]`, `[undefined, null]`, `[,]`, `[, 1]`, `[1, , 2]`, `[1, , , 4, , ]`, `new Array(5)`, `Object.assign([], { 3: 1 })`, `Object.assign([1, 2], { extra: true })`, `Object.assign([], { extra: true })`,
  `Object.assign([1], { "-1": "neg" })`, `[...Array(6).keys()]`, `[...Array(7).keys()]`, `[...Array(25).keys()]`, `[...Array(100).keys()]`, `[...Array(101).keys()]`, `[...Array(200).keys()]`, `[...Array(1000).keys()]`, `Array(150).fill("item")`,
  `[...Array(27).keys()].map((i) => "item" + i)`, `[...Array(27).keys()].map((i) => "x".repeat(i))`, `[...Array(10).keys()].map((i) => i * 1000003)`, `[...Array(10).keys()].map((i) => -i * 1.5)`, `[...Array(10).keys()].map(BigInt)`, `[...Array(12).keys()].map((i) => i % 2 ? i : "s" + i)`,
  `[...Array(12).keys()].map((i) => ({ i }))`, `[...Array(12).keys()].map((i) => [i, i])`, `[...Array(8).keys()].map((i) => "漢字".repeat(i % 3))`, `[...Array(8).keys()].map(() => "🎉")`, `{ list: [...Array(40).keys()] }`, `{ a: { list: [...Array(40).keys()] } }`, `[[...Array(40).keys()], [...Array(40).keys()]]`,
  `Object.assign([...Array(10).keys()], { extra: 1 })`, `Object.assign([...Array(100).keys()], { extra: 1 })`, `[true, false, true, false, true, false, true]`, `[null, undefined, null, undefined, null, undefined, null]`, `["a", "bb", "ccc", "dddd", "eeeee", "ffffff", "ggggggg"]`,
  `[1.5, 2.25, 3.125, 4, 5, 6, 7]`, `[1, 2, 3, 4, 5, 6, , 8]`, `Object.defineProperty([1, 2], 0, { get() { return 1 } })`, `Array.from({ length: 120 }, (_, i) => i % 3 ? i : undefined)`, `(() => { const a = []; a[50] = 1; a[200] = 2; return a })()`, `(() => { const a = []; for (let i = 0; i < 300; i += 2) a[i] = i; return a })()`,
  `new Array(4294967295)`, `Object.setPrototypeOf([1, 2], null)`, `Object.setPrototypeOf([], null)`, `new (class Stack extends Array {})(1, 2, 3)`, `[function foo() {}, class Bar {}, () => {}]`, `[[[[[]]]]]`, `[[[[{}]]]]`, `[[[[1, 2]]]]`, `["a".repeat(80)]`, `["a".repeat(60), "b".repeat(60)]`,
  `Array.from({ length: 30 }, (_, i) => "value number " + i)`, `Array.from({ length: 7 }, (_, i) => "a".repeat(i + 10))`, `Array.from({ length: 16 }, (_, i) => i ** i)`, `[1.0000001, 22222.5, -3, 4e100, 5, 6, 7, 8]`,
];

const builtins = [
  `new Map()`, `new Map([[1, 2]])`, `new Map([["a", { b: 1 }], [{ k: 1 }, "v"]])`, `new Map([[new Map([[1, 2]]), new Map([[3, new Map([[4, new Map()]])]])]])`, `new Map([...Array(30).keys()].map((i) => ["key" + i, "value" + i]))`, `new Map([...Array(105).keys()].map((i) => [i, i]))`,
  `new Set()`, `new Set([1, "a", {}])`, `new Set([...Array(105).keys()])`, `new Set([...Array(20).keys()])`, `new Set([new Set([new Set([new Set([1])])])])`, `Object.assign(new Set([1]), { x: 1 })`, `Object.assign(new Map(), { x: 1 })`, `Object.setPrototypeOf(new Map([[1, 2]]), null)`, `Object.setPrototypeOf(new Set([1]), null)`,
  `new WeakMap()`, `new WeakSet()`, `Object.assign(new WeakMap(), { a: 1 })`, `new Map([[1, 2]]).entries()`, `new Map([[1, 2]]).keys()`, `new Map([[1, { a: 1 }]]).values()`, `new Set([1, 2]).values()`, `new Set([1]).entries()`, `[1, 2][Symbol.iterator]()`, `"ab"[Symbol.iterator]()`, `"ab".matchAll(/a/g)`, `(function* g() {})()`, `(async function* g() {})()`,
  `new Date(0)`, `new Date("2024-02-29T12:34:56.789Z")`, `new Date(NaN)`, `Object.assign(new Date(0), { x: 1 })`, `new (class D extends Date {})(0)`, `/x/`, `/a\\/b/gimsuy`, `/x/v`, `Object.assign(/x/g, { y: 1 })`, `new (class R extends RegExp {})("a", "g")`, `new RegExp("")`, `new RegExp("/")`, `new RegExp("\\n")`,
  `new Number(3)`, `new Number(-0)`, `new String("abc")`, `new String("it's")`, `new Boolean(false)`, `Object(Symbol("s"))`, `Object(10n)`, `Object.assign(new String("abc"), { x: 1 })`, `Object.assign(new Number(3), { x: 1 })`, `new (class N extends Number {})(3)`, `new (class S extends String {})("x")`, `Object.setPrototypeOf(new Number(1), null)`,
  `new Uint8Array()`, `new Uint8Array([1, 2, 3])`, `new Uint8Array(200)`, `new Float64Array([1.5, -0, NaN])`, `new BigInt64Array([1n, -2n])`, `new Uint8ClampedArray(3)`, `new Int16Array(20)`, `Object.assign(new Uint8Array(2), { x: 1 })`, `new (class U extends Uint8Array {})(2)`, `new Float32Array([0.1])`,
  `new ArrayBuffer(0)`, `new ArrayBuffer(4)`, `new ArrayBuffer(120)`, `new SharedArrayBuffer(2)`, `new DataView(new ArrayBuffer(3), 1)`, `Object.assign(new ArrayBuffer(1), { x: 1 })`, `{ b: new ArrayBuffer(4), u: new Uint8Array(4).buffer }`,
  `Promise.resolve(1)`, `Promise.resolve({ a: { b: { c: {} } } })`, `new Promise(() => {})`, `(() => { const p = Promise.reject(new RangeError("no")); p.catch(() => {}); return p })().constructor`, `(() => { const p = Promise.reject(5); p.catch(() => {}); return p })()`, `Object.assign(Promise.resolve(1), { x: 1 })`, `new (class P extends Promise {})(() => {})`,
  `new Proxy({ a: 1 }, {})`, `new Proxy([1, 2], {})`, `new Proxy(function f() {}, {})`, `new Proxy({ a: 1 }, { get() { throw 1 }, ownKeys() { throw 1 }, getPrototypeOf() { throw 1 }, getOwnPropertyDescriptor() { throw 1 } })`, `new Proxy(new Proxy({ x: 1 }, {}), {})`, `(() => { const r = Proxy.revocable({}, {}); r.revoke(); return r.proxy })()`, `{ p: new Proxy(class A {}, {}) }`,
  `Symbol`, `Map`, `Object`, `Function`, `Function.prototype`, `Object.prototype`, `Array.prototype`, `Map.prototype`, `Date.prototype`, `RegExp.prototype`, `Promise.prototype`, `Error.prototype`, `Number.prototype`, `String.prototype`, `Symbol.prototype`, `Uint8Array.prototype`, `new WeakRef({})`, `Intl`, `globalThis === 1`,
];

const functions = [
  `function foo() {}`, `(function () {})`, `() => {}`, `(() => { const named = () => {}; return named })()`, `async () => {}`, `async function af() {}`, `function* gen() {}`, `async function* agen() {}`, `class A {}`, `class extends Array {}`, `class A extends null {}`, `(() => { class B {} ; class A extends B {} ; return A })()`, `(() => { class A { static x = 1; static m() {} } return A })()`,
  `Object.assign(function foo() {}, { a: 1 })`, `Object.assign(() => {}, { a: { b: { c: {} } } })`, `Object.setPrototypeOf(function foo() {}, null)`, `Object.setPrototypeOf(class A {}, null)`, `(function foo() {}).bind(null)`, `Math.max`, `({ method() {} }).method`, `({ get x() { return 1 } })`, `({ "a b"() {} })["a b"]`, `({ [Symbol("s")]() {} })`, `({ class() {} }).class`,
  `Object.defineProperty(function () {}, "name", { value: "renamed" })`, `Object.defineProperty(function () {}, "name", { value: 5 })`, `Object.defineProperty(class {}, Symbol.toStringTag, { value: "T" })`, `Object.defineProperty(function f() {}, Symbol.toStringTag, { value: "T" })`, `class { static name = "Named" }`, `new Function("a", "return a")`, `class A { constructor() { this.x = "(" } }`,
];

const errors = [
  `new Error("boom")`, `new Error("")`, `new Error()`, `new TypeError("bad")`, `new (class MyError extends Error {})("mine")`, `new (class MyError extends TypeError {})("mine")`, `new (class ValidationFailure extends Error {})("x")`, `Object.assign(new Error("x"), { code: "E1" })`, `Object.assign(new Error("x"), { name: "Custom" })`, `Object.assign(new Error("x"), { name: "CustomError", extra: { a: 1 } })`,
  `(() => { class NamedError extends Error { constructor(m) { super(m); this.name = "NamedError" } } return new NamedError("n") })()`, `(() => { class E2 extends Error { get name() { return "Getter" } } return new E2("n") })()`, `new Error("outer", { cause: new Error("inner") })`, `new Error("outer", { cause: "text" })`, `new Error("outer", { cause: undefined })`, `new Error("outer", { cause: { a: 1 } })`, `new AggregateError([new Error("one"), 2], "many")`, `new AggregateError([])`,
  `(() => { const e = new Error("nostack"); e.stack = undefined; return e })()`, `(() => { const e = new Error("s"); e.stack = "custom stack"; return e })()`, `(() => { const e = new Error("s"); e.stack = "Error: s\\n    at a (b.js:1:1)\\n    at c"; return e })()`, `(() => { const e = new Error("multi\\nline"); return e })()`, `(() => { const e = new Error("s"); e.message = "changed"; return e })()`, `(() => { const e = new Error("s"); delete e.stack; return e })()`,
  `(() => { const e = new Error("s"); e.stack = "x"; e.name = null; return e })()`, `{ e: Object.assign(new Error("in"), { stack: "Error: in\\n    at f" }) }`, `[new RangeError("in array")]`, `{ a: { b: { c: new Error("deep") } } }`, `new Map([["e", new Error("in map")]])`, `Object.create(Error.prototype)`, `Object.setPrototypeOf(Object.assign(new Error("np"), { stack: "Error: np\\n    at x" }), null)`, `Object.assign(new Error("x"), { message: "enumerable now" })`,
  `(() => { const e = new Error("circ"); e.self = e; return e })()`, `(() => { const e = new Error("c"); e.cause = e; return e })()`, `(() => { try { null.x } catch (e) { return e } })()`, `(() => { try { undefinedName } catch (e) { return e } })()`, `(() => { function deep(n) { return n ? deep(n - 1) : new Error("frames") } return new Error("outer", { cause: deep(6) }) })()`, `(() => { const mk = () => { const inner = new Error("inner"); return new Error("outer", { cause: inner }) }; const f = () => mk(), g = () => f(), h = () => g(), i = () => h(); return i() })()`,
];

const circular = [
  `(() => { const a = {}; a.a = a; return a })()`, `(() => { const a = { x: 1 }; a.b = { a }; return a })()`, `(() => { const a = []; a.push(a); return a })()`, `(() => { const a = {}, b = { a }; a.b = b; return [a, b] })()`, `(() => { const m = new Map(); m.set("m", m); return m })()`, `(() => { const s = new Set(); s.add(s); return s })()`, `(() => { function f() {} f.f = f; return f })()`, `(() => { class C {} C.self = C; return C })()`,
  `(() => { const a = { n: 1 }, b = { n: 2, a }; a.b = b; return { a, b } })()`, `(() => { const o = {}; return [o, o] })()`, `(() => { const p = new Proxy({}, {}); return { p } })()`, `(() => { const a = {}; const p = Promise.resolve(a); a.p = p; return a })()`,
];

const custom = [
  `{ [Symbol.for("nodejs.util.inspect.custom")]() { return "custom!" } }`, `[{ [Symbol.for("nodejs.util.inspect.custom")]() { return { a: 1 } } }]`, `{ a: { [Symbol.for("nodejs.util.inspect.custom")](depth) { return "depth " + depth } } }`, `{ a: { [Symbol.for("nodejs.util.inspect.custom")]() { return "two\\nlines" } } }`, `{ [Symbol.for("nodejs.util.inspect.custom")](d, o, i) { return i({ x: 1 }) } }`, `{ [Symbol.for("nodejs.util.inspect.custom")]: 5 }`, `{ inspect() { return "no" } }`,
];

const formats = [
  `"a", "b"`, `"a", 1, true, null, undefined`, `1, "a"`, `"%s", "x"`, `"%s %s", "x"`, `"%s", 1, 2`, `"%s", -0`, `"%s", 5n`, `"%s", Symbol("q")`, `"%s", undefined`, `"%s", null`, `"%s", {}`, `"%s", { a: { b: { c: 1 } } }`, `"%s", [1, [2, [3]]]`, `"%s", () => 1`, `"%s", class A {}`, `"%s", new Date(0)`, `"%s", { toString() { return "own" } }`, `"%s", new (class A { toString() { return "cls" } })()`,
  `"%s", new (class A { x = 1 })()`, `"%s", Object.create(null)`, `"%d", 42`, `"%d", "42"`, `"%d", "x"`, `"%d", 5n`, `"%d", {}`, `"%d", Symbol("x")`, `"%d", -0`, `"%i", 42.9`, `"%i", "42px"`, `"%i", 5n`, `"%i", {}`, `"%f", "1.5x"`, `"%f", Symbol("x")`, `"%f", 3n`, `"%j", { a: [1] }`, `"%j", undefined`, `"%j", "s"`, `"%j", (() => { const a = {}; a.a = a; return a })()`,
  `"%o", { a: 1 }`, `"%o", [1, 2]`, `"%o", function foo() {}`, `"%O", { a: { b: { c: { d: 1 } } } }`, `"%c styled", "color: red"`, `"%%"`, `"%% %s", "x"`, `"100%", "x"`, `"%x", 1`, `"%s%", "a"`, `"%s %o %%s", "a", 1, 2`, `"a %s", "%s", "b"`, `{ a: 1 }, "text", [1]`, `"", "x"`, `" ", 1`, `"%s", "a\\nb"`, `"no args %s %d"`, `"%s", new String("boxed")`, `"%s", [new Error("in").message]`, `"%s", new Map([[1, { a: 1 }]])`,
  `"%s", new Proxy({ toString() { return "p" } }, {})`, `"%i %f", "0x1f", "1e3"`, `"%d", new Number(4)`, `"%s", Object(5n)`, `"%s", Object(Symbol("b"))`, `"%s", new (class E extends Error {})("err").message`,
];

// named are the differences we accept, each with its reason.
const named = new Map([
]);

const box = sandbox(source());
let wrong = 0, count = 0;
function check(code) {
  count += 1;
  const args = box.run(`[${code}]`);
  const expected = util.format(...args) + "\n";
  box.frames.length = 0;
  const log = box.run("(a) => console.log(...a)");
  log(args);
  const got = box.take("O");
  if (got === expected || named.has(code)) return;
  wrong += 1;
  process.stdout.write(`--- ${code.length > 300 ? code.slice(0, 300) + "…" : code}\nnode:\n${expected.slice(0, 1500)}reeve:\n${got.slice(0, 1500)}`);
}
for (const table of [primitives, objects, arrays, builtins, functions, errors, circular, custom]) {
  for (const code of table) {
    check(code);
    check(`{ k: (${code}) }`);
  }
}
for (const code of formats) check(code);
process.stdout.write(`${count} cases, ${wrong} differ\n`);
process.exitCode = wrong === 0 ? 0 : 1;
