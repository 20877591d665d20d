// structuredClone.

const cannotClone = (what) => new DOMException(`${what} could not be cloned.`, "DataCloneError");
const errorNames = { __proto__: null, Error: 1, EvalError: 1, RangeError: 1, ReferenceError: 1, SyntaxError: 1, TypeError: 1, URIError: 1 };
const errorPrototypes = { __proto__: null };
for (const name of ["Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"]) errorPrototypes[name] = globalThis[name].prototype;

const arrayTypes = { __proto__: null };
for (const name of ["Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "BigInt64Array", "BigUint64Array", "Float16Array", "Float32Array", "Float64Array"]) {
  if (globalThis[name]) arrayTypes[name] = globalThis[name];
}
const elementSizes = { __proto__: null };
for (const name in arrayTypes) elementSizes[name] = arrayTypes[name].BYTES_PER_ELEMENT;

const put = (object, key, value) => defineProperty(object, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true });

function cloneValue(memory, value) {
  if (typeof value === "symbol") throw cannotClone(symbolToString(value));
  if (!isObject(value)) return value;
  if (mapHas(memory, value)) return mapGet(memory, value);
  if (typeof value === "function") throw cannotClone(functionToString(value));
  if (proxyOf(value) !== undefined) throw cannotClone("#<Object>");
  if (viewOf(value) !== undefined) throw cannotClone(`#<${engineName(value)}>`);
  const known = kindOf(value);
  const clone = cloners[known];
  if (clone === undefined) throw cannotClone(`#<${kindNames[known] ?? "Object"}>`);
  return clone(memory, value);
}

function remember(memory, value, copy) {
  mapSet(memory, value, copy);
  return copy;
}

// cloneProperties copies what is enumerable; getters run, as the standard says.
function cloneProperties(memory, value, copy) {
  const keys = enumerableKeys(value);
  for (let i = 0; i < keys.length; i += 1) {
    if (hasOwn(value, keys[i])) put(copy, keys[i], cloneValue(memory, value[keys[i]]));
  }
  return copy;
}

const boxed = (unbox) => (memory, value) => remember(memory, value, Object(unbox(value)));

const cloners = {
  __proto__: null,
  object: (memory, value) => cloneProperties(memory, value, remember(memory, value, {})),
  array(memory, value) {
    const copy = remember(memory, value, []);
    copy.length = value.length;
    return cloneProperties(memory, value, copy);
  },
  date: (memory, value) => remember(memory, value, new Date(dateGetTime(value))),
  regexp: (memory, value) => remember(memory, value, new RegExp(regexpSource(value), flagsOf(value))),
  number: boxed(numberValue),
  string: boxed(stringValue),
  boolean: boxed(booleanValue),
  bigint: boxed(bigintValue),
  map(memory, value) {
    const copy = remember(memory, value, new Map());
    const entries = list(); // as they were before any getter runs
    mapForEach(value, (element, key) => { push(entries, key); push(entries, element); });
    for (let i = 0; i < entries.length; i += 2) mapSet(copy, cloneValue(memory, entries[i]), cloneValue(memory, entries[i + 1]));
    return copy;
  },
  set(memory, value) {
    const copy = remember(memory, value, new Set());
    const entries = list();
    setForEach(value, (element) => push(entries, element));
    for (let i = 0; i < entries.length; i += 1) setAdd(copy, cloneValue(memory, entries[i]));
    return copy;
  },
  buffer(memory, value) {
    if (arrayBufferDetached !== undefined && arrayBufferDetached(value)) throw cannotClone("#<ArrayBuffer>");
    return remember(memory, value, copyBuffer(value));
  },
  shared(memory, value) { return value; },
  typed(memory, value) {
    const name = typedArrayTag(value);
    const buffer = cloneValue(memory, typedArrayBuffer(value));
    return remember(memory, value, new arrayTypes[name](buffer, typedArrayByteOffset(value), typedArrayLength(value)));
  },
  view(memory, value) {
    const buffer = cloneValue(memory, dataViewBuffer(value));
    return remember(memory, value, new DataView(buffer, dataViewByteOffset(value), dataViewByteLength(value)));
  },
  error: cloneError,
};

// copyBuffer does not ask the buffer's species.
function copyBuffer(value) {
  const copy = new ArrayBuffer(arrayBufferByteLength(value));
  typedArraySet(new Uint8Array(copy), new Uint8Array(value), 0);
  return copy;
}

function cloneError(memory, value) {
  const name = get(value, "name");
  const copy = remember(memory, value, new Error());
  setPrototypeOf(copy, errorPrototypes[typeof name === "string" && errorNames[name] ? name : "Error"]);
  const message = descriptorOf(value, "message");
  if (message !== undefined && "value" in message) define(copy, "message", `${message.value}`);
  else delete copy.message;
  define(copy, "stack", stackOf(value));
  const cause = descriptorOf(value, "cause");
  if (cause !== undefined && "value" in cause) define(copy, "cause", cloneValue(memory, cause.value));
  return copy;
}

// transferAll moves buffers: the copy gets the memory, the original is detached.
function transferAll(memory, transfer) {
  const given = [...transfer]; // the caller's iterable
  for (let i = 0; i < given.length; i += 1) {
    if (!isObject(given[i]) || kindOf(given[i]) !== "buffer") throw new DOMException("Value not transferable", "DataCloneError");
    if (mapHas(memory, given[i])) throw new DOMException("ArrayBuffer occurs in the transfer list twice", "DataCloneError");
    mapSet(memory, given[i], undefined);
  }
  for (let i = 0; i < given.length; i += 1) {
    mapSet(memory, given[i], arrayBufferTransfer === undefined ? copyBuffer(given[i]) : arrayBufferTransfer(given[i]));
  }
}

define(globalThis, "structuredClone", function structuredClone(value, options) {
  if (arguments.length === 0) throw new TypeError("structuredClone needs a value");
  const memory = new Map();
  if (isObject(options) && options.transfer !== undefined) transferAll(memory, options.transfer);
  return cloneValue(memory, value);
});
