// What a value is, asked of the engine and not of the value: by internal slots,
// never by names or tags that a program can forge.

function passes(check, value) {
  try {
    check(value);
    return true;
  } catch {
    return false;
  }
}

const mapIteratorPrototype = getPrototypeOf(new Map()[symbolIterator]());
const setIteratorPrototype = getPrototypeOf(new Set()[symbolIterator]());
const asyncFunctionPrototype = getPrototypeOf(async function () {});
const generatorFunctionPrototype = getPrototypeOf(function* () {});
const asyncGeneratorFunctionPrototype = getPrototypeOf(async function* () {});

function isPromise(value) {
  if (nativeDetails === undefined) return inherits(value, Promise.prototype);
  const found = detailsOf(value);
  return found !== undefined && found[0] === "promise";
}

const kindChecks = list();
const kindsByPrototype = new Map();

function kind(name, prototype, check) {
  if (prototype === undefined) return;
  const entry = { __proto__: null, name, check };
  push(kindChecks, entry);
  mapSet(kindsByPrototype, prototype, entry);
}

const brand = (check) => (value) => passes(check, value);
kind("map", Map.prototype, brand(mapSize));
kind("set", Set.prototype, brand(setSize));
kind("date", Date.prototype, brand(dateGetTime));
kind("regexp", RegExp.prototype, (value) => value !== RegExp.prototype && passes(regexpOwnSource, value));
kind("promise", Promise.prototype, isPromise);
kind("buffer", ArrayBuffer.prototype, brand(arrayBufferByteLength));
kind("shared", globalThis.SharedArrayBuffer?.prototype, brand(sharedByteLength));
kind("weakmap", WeakMap.prototype, brand((value) => weakMapHas(value, functionPrototype)));
kind("weakset", WeakSet.prototype, brand((value) => weakSetHas(value, functionPrototype)));
kind("mapiterator", mapIteratorPrototype, (value) => value !== mapIteratorPrototype);
kind("setiterator", setIteratorPrototype, (value) => value !== setIteratorPrototype);
kind("number", Number.prototype, brand(numberValue));
kind("string", String.prototype, brand(stringValue));
kind("boolean", Boolean.prototype, brand(booleanValue));
kind("bigint", BigInt.prototype, brand(bigintValue));
kind("symbol", Symbol.prototype, brand(symbolValue));

// regexpOwnSource throws for what is no regular expression.
function regexpOwnSource(value) {
  regexpSource(value);
}

// kindOf names what an object is; "object" if nothing special.
function kindOf(value) {
  if (typeof value === "function") return "function";
  if (isArray(value)) return "array";
  let at = getPrototypeOf(value);
  if (at === objectPrototype) return "object";
  if (typedArrayTag(value) !== undefined) return "typed";
  if (isView(value)) return "view";
  if (isErrorNative(value)) return "error";
  for (; at !== null; at = getPrototypeOf(at)) {
    if (at === objectPrototype) return "object";
    const entry = mapGet(kindsByPrototype, at);
    if (entry !== undefined && entry.check(value)) return entry.name;
  }
  return kindWithoutPrototype(value);
}

// kindWithoutPrototype asks for each kind in turn: the chain gives no hint. The
// iterators are told by their prototypes only.
function kindWithoutPrototype(value) {
  for (let i = 0; i < kindChecks.length; i += 1) {
    const entry = kindChecks[i];
    if (entry.name !== "mapiterator" && entry.name !== "setiterator" && entry.check(value)) return entry.name;
  }
  return "object";
}
