// Every builtin the prelude uses is taken here, before any program runs. A
// program may overwrite whatever it can reach; it cannot reach these. Later
// files therefore call no method of a builtin object, use no for...of, spread
// or destructuring of iterables, and give their own records no prototype.

const {
  Array, ArrayBuffer, BigInt, Boolean, DataView, Date, Function, JSON, Map, Math, Number, Object,
  Promise, Proxy, Reflect, RegExp, Set, String, Symbol, Uint8Array, Uint16Array, Uint32Array, WeakMap, WeakSet,
} = globalThis;

const { apply, construct, defineProperty, getPrototypeOf, setPrototypeOf, ownKeys } = Reflect;
const { freeze, create, is: sameValue, keys: enumerableKeys } = Object;
const { isArray } = Array;
const { abs, ceil, floor, max, min, round, sqrt, trunc, imul } = Math;
const { isInteger, isSafeInteger } = Number;
const { fromCharCode, fromCodePoint } = String;
const { parse: jsonParse, stringify: jsonStringify } = JSON;
const { isView } = ArrayBuffer;
const { iterator: symbolIterator, toStringTag: symbolToStringTag, toPrimitive: symbolToPrimitive } = Symbol;
const symbolFor = Symbol.for;
const { parseInt, parseFloat } = globalThis;
const dateNow = Date.now;

const functionPrototype = Function.prototype;
const objectPrototype = Object.prototype;
const arrayPrototype = Array.prototype;

// uncurry makes a function of a method: its receiver becomes the first argument.
const uncurry = functionPrototype.bind.bind(functionPrototype.call);
const getterOf = (prototype, name) => uncurry(Object.getOwnPropertyDescriptor(prototype, name).get);

const hasOwn = uncurry(objectPrototype.hasOwnProperty);
const isEnumerable = uncurry(objectPrototype.propertyIsEnumerable);
const objectToString = uncurry(objectPrototype.toString);
const functionToString = uncurry(functionPrototype.toString);
const symbolToString = uncurry(Symbol.prototype.toString);
const symbolValue = uncurry(Symbol.prototype.valueOf);
const bigintToString = uncurry(BigInt.prototype.toString);
const bigintValue = uncurry(BigInt.prototype.valueOf);
const booleanValue = uncurry(Boolean.prototype.valueOf);
const numberValue = uncurry(Number.prototype.valueOf);
const numberToString = uncurry(Number.prototype.toString);
const toFixed = uncurry(Number.prototype.toFixed);
const regexpToString = uncurry(RegExp.prototype.toString);
const regexpExec = uncurry(RegExp.prototype.exec);
const regexpSource = getterOf(RegExp.prototype, "source");
const regexpFlags = getterOf(RegExp.prototype, "flags");

const stringValue = uncurry(String.prototype.valueOf);
const charCodeAt = uncurry(String.prototype.charCodeAt);
const codePointAt = uncurry(String.prototype.codePointAt);
const slice = uncurry(String.prototype.slice);
const indexOf = uncurry(String.prototype.indexOf);
const lastIndexOf = uncurry(String.prototype.lastIndexOf);
const startsWith = uncurry(String.prototype.startsWith);
const endsWith = uncurry(String.prototype.endsWith);
const includes = uncurry(String.prototype.includes);
const padStart = uncurry(String.prototype.padStart);
const padEnd = uncurry(String.prototype.padEnd);
const repeat = uncurry(String.prototype.repeat);
const toLowerCase = uncurry(String.prototype.toLowerCase);
const toUpperCase = uncurry(String.prototype.toUpperCase);
const normalize = uncurry(String.prototype.normalize);
const trim = uncurry(String.prototype.trim);

const dateGetTime = uncurry(Date.prototype.getTime);
const dateToISOString = uncurry(Date.prototype.toISOString);
const dateToString = uncurry(Date.prototype.toString);

const mapGet = uncurry(Map.prototype.get);
const mapSet = uncurry(Map.prototype.set);
const mapHas = uncurry(Map.prototype.has);
const mapDelete = uncurry(Map.prototype.delete);
const mapForEach = uncurry(Map.prototype.forEach);
const mapSize = getterOf(Map.prototype, "size");
const setAdd = uncurry(Set.prototype.add);
const setHas = uncurry(Set.prototype.has);
const setForEach = uncurry(Set.prototype.forEach);
const setSize = getterOf(Set.prototype, "size");
const weakMapGet = uncurry(WeakMap.prototype.get);
const weakMapSet = uncurry(WeakMap.prototype.set);
const weakMapHas = uncurry(WeakMap.prototype.has);
const weakSetHas = uncurry(WeakSet.prototype.has);

const promiseThen = uncurry(Promise.prototype.then);

const typedArray = getPrototypeOf(Uint8Array);
const typedArrayPrototype = typedArray.prototype;
const typedArrayTag = getterOf(typedArrayPrototype, symbolToStringTag); // undefined for all else
const typedArrayLength = getterOf(typedArrayPrototype, "length");
const typedArrayBuffer = getterOf(typedArrayPrototype, "buffer");
const typedArrayByteOffset = getterOf(typedArrayPrototype, "byteOffset");
const typedArrayByteLength = getterOf(typedArrayPrototype, "byteLength");
const typedArraySet = uncurry(typedArrayPrototype.set);
const arrayBufferByteLength = getterOf(ArrayBuffer.prototype, "byteLength");
const arrayBufferSlice = uncurry(ArrayBuffer.prototype.slice);
const arrayBufferTransfer = ArrayBuffer.prototype.transfer && uncurry(ArrayBuffer.prototype.transfer);
const arrayBufferDetached = rawGetter(ArrayBuffer.prototype, "detached");
const dataViewBuffer = getterOf(DataView.prototype, "buffer");
const dataViewByteOffset = getterOf(DataView.prototype, "byteOffset");
const dataViewByteLength = getterOf(DataView.prototype, "byteLength");
const sharedByteLength = globalThis.SharedArrayBuffer && getterOf(SharedArrayBuffer.prototype, "byteLength");

const iteratorPrototype = getPrototypeOf(getPrototypeOf([][symbolIterator]()));

// rawGetter is getterOf for what an engine may lack.
function rawGetter(prototype, name) {
  const property = Object.getOwnPropertyDescriptor(prototype, name);
  return property && uncurry(property.get);
}

// A list is an array without a prototype: no setter that a program puts on
// Array.prototype or Object.prototype sees what is stored in it.
const list = () => ({ __proto__: null, length: 0 });

function push(to, value) {
  to[to.length] = value;
  to.length += 1;
}

function join(from, separator) {
  let text = "";
  for (let i = 0; i < from.length; i += 1) text += i === 0 ? from[i] : separator + from[i];
  return text;
}

// descriptorOf returns an own property, itself without a prototype, or
// undefined.
const rawDescriptor = Object.getOwnPropertyDescriptor;
function descriptorOf(object, key) {
  const found = rawDescriptor(object, key);
  if (found !== undefined) setPrototypeOf(found, null);
  return found;
}

// define adds a property as builtins have theirs: writable and hidden.
function define(object, key, value) {
  defineProperty(object, key, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
}

// constant adds a property nobody can change.
function constant(object, key, value) {
  defineProperty(object, key, { __proto__: null, value, writable: false, enumerable: true, configurable: false });
}

// enumerate makes the named accessors and methods of a class enumerable, as
// those of web interfaces are.
function enumerate(prototype, ...names) {
  for (let i = 0; i < names.length; i += 1) defineProperty(prototype, names[i], { __proto__: null, enumerable: true });
}

// tag names a class for Object.prototype.toString.
function tag(target, name) {
  defineProperty(target.prototype, symbolToStringTag, { __proto__: null, value: name, configurable: true });
}

const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

// inherits says whether prototype stands in the chain of value, asking no
// Symbol.hasInstance.
function inherits(value, prototype) {
  for (let at = getPrototypeOf(value); at !== null; at = getPrototypeOf(at)) {
    if (at === prototype) return true;
  }
  return false;
}

const noop = () => {};

// What the engine gives; see the package comment. The program never sees it.
const { send, random, now } = native;
const nativeDetails = hasOwn(native, "details") ? native.details : undefined;
const nativeEncode = hasOwn(native, "encode") ? native.encode : undefined;
const nativeDecode = hasOwn(native, "decode") ? native.decode : undefined;

// detailsOf asks the engine what JavaScript cannot see.
const detailsOf = (value) => (nativeDetails === undefined ? undefined : nativeDetails(value));
