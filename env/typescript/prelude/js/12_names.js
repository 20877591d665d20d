// How an object is introduced: its constructor, its tag, its size.

// nameOf is the name of a function as far as it is plain data.
function nameOf(fn) {
  const own = descriptorOf(fn, "name");
  if (own === undefined || own.value === undefined || isObject(own.value)) return "";
  return typeof own.value === "symbol" ? symbolToString(own.value) : `${own.value}`;
}

// makes says whether value was made by a constructor, going by prototypes only.
function makes(constructor, value) {
  const own = descriptorOf(constructor, "prototype");
  return own !== undefined && isObject(own.value) && inherits(value, own.value);
}

// prototypeNames are those of the language's own constructors, whatever a
// program makes of their properties.
const prototypeNames = new Map();
for (const name of Object.getOwnPropertyNames(globalThis)) {
  const own = descriptorOf(globalThis, name).value;
  if (typeof own === "function" && isObject(own.prototype) && own.prototype.constructor === own) mapSet(prototypeNames, own.prototype, name);
}

// constructorName finds the nearest constructor that is named; null means that
// the object has no prototype.
function constructorName(ctx, value, level) {
  let first;
  for (let at = value; at !== null;) {
    if (at !== value && mapHas(prototypeNames, at)) return mapGet(prototypeNames, at);
    const own = descriptorOf(at, "constructor");
    if (own !== undefined && typeof own.value === "function") {
      const name = nameOf(own.value);
      if (name !== "" && makes(own.value, value)) return name;
    }
    at = getPrototypeOf(at);
    if (first === undefined) first = at;
  }
  if (first === null) return null;
  const base = engineName(value);
  if (level > ctx.depth) return `${base} <Complex prototype>`;
  const above = constructorName(ctx, first, level + 1);
  if (above !== null) return `${base} <${above}>`;
  return `${base} <${inspectAt(ctx, first, ctx.depth + 1)}>`;
}

// engineName is what the engine itself would call an object that names nothing.
function engineName(value) {
  const known = kindOf(value);
  if (known === "typed") return typedArrayTag(value);
  return kindNames[known] ?? "Object";
}

const kindNames = {
  __proto__: null, array: "Array", function: "Function", map: "Map", set: "Set", date: "Date", regexp: "RegExp",
  promise: "Promise", buffer: "ArrayBuffer", shared: "SharedArrayBuffer", weakmap: "WeakMap", weakset: "WeakSet",
  error: "Error", view: "DataView", number: "Number", string: "String", boolean: "Boolean", bigint: "BigInt", symbol: "Symbol",
};

// tagOf is the Symbol.toStringTag of an object unless its own properties show it.
function tagOf(ctx, value) {
  let found;
  try {
    found = value[symbolToStringTag];
  } catch {
    return "";
  }
  if (typeof found !== "string" || found === "") return "";
  return (ctx.showHidden ? hasOwn : isEnumerable)(value, symbolToStringTag) ? "" : found;
}

// prefixOf is what stands in front of the brace, with the space after it.
function prefixOf(constructor, tagText, fallback, size = "") {
  if (constructor === null) {
    const name = `[${fallback}${size}: null prototype] `;
    return tagText !== "" && tagText !== fallback ? `${name}[${tagText}] ` : name;
  }
  return tagText !== "" && tagText !== constructor ? `${constructor}${size} [${tagText}] ` : `${constructor}${size} `;
}

// functionText shows a function or a class without its properties.
function functionText(value, constructor, tagText) {
  const source = functionToString(value);
  if (startsWith(source, "class") && endsWith(source, "}") && isClassSource(source)) return classText(value, constructor, tagText);
  let type = "Function";
  if (inherits(value, generatorFunctionPrototype)) type = "GeneratorFunction";
  else if (inherits(value, asyncGeneratorFunctionPrototype)) type = "AsyncGeneratorFunction";
  else if (inherits(value, asyncFunctionPrototype)) type = "AsyncFunction";
  const name = nameOf(value);
  let text = `[${type}${constructor === null ? " (null prototype)" : ""}${name === "" ? " (anonymous)" : `: ${name}`}]`;
  if (constructor !== type && constructor !== null) text += ` ${constructor}`;
  if (tagText !== "" && tagText !== constructor) text += ` [${tagText}]`;
  return text;
}

// isClassSource tells a class from a method that is called class.
function isClassSource(source) {
  const brace = indexOf(source, "{");
  const head = slice(source, 5, brace);
  return !includes(head, "(") || includes(head, " extends ") || includes(head, "/*");
}

function classText(value, constructor, tagText) {
  let text = `class ${nameOf(value) || "(anonymous)"}`;
  if (constructor !== "Function" && constructor !== null) text += ` [${constructor}]`;
  if (tagText !== "" && tagText !== constructor) text += ` [${tagText}]`;
  if (constructor === null) return `[${text} extends [null prototype]]`;
  const parent = getPrototypeOf(value);
  const name = typeof parent === "function" ? nameOf(parent) : "";
  return name === "" ? `[${text}]` : `[${text} extends ${name}]`;
}

// boxedText shows new Number(1) and its like.
function boxedText(ctx, value, known, constructor, tagText, keys) {
  const type = kindNames[known];
  let inner = unboxed[known](value);
  if (known === "string") dropIndexes(keys, inner.length);
  inner = known === "string" ? quoteText(inner) : primitiveText(ctx, inner);
  let text = `[${type}`;
  if (constructor === null) text += " (null prototype)";
  else if (constructor !== type) text += ` (${constructor})`;
  text += `: ${inner}]`;
  return tagText !== "" && tagText !== constructor ? `${text} [${tagText}]` : text;
}

const unboxed = { __proto__: null, number: numberValue, string: stringValue, boolean: booleanValue, bigint: bigintValue, symbol: symbolValue };

// dropIndexes removes the first keys, which are the characters of a string.
function dropIndexes(keys, count) {
  let kept = 0;
  for (let i = count; i < keys.length; i += 1) keys[kept++] = keys[i];
  keys.length = kept;
}
