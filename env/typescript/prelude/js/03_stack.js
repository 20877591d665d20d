// Stack traces: the client's own lines, without the prelude's frames. Engines
// with call sites (V8) are asked by Error.prepareStackTrace. In others
// (QuickJS) the text of the stack is rewritten, and the constructors of errors
// are wrapped so that a program, too, reads `stack` as it would elsewhere.

const NativeError = globalThis.Error;
const errorPrototype = NativeError.prototype;
const errorToString = uncurry(errorPrototype.toString);
// isErrorNative says whether the engine made a value as an error.
const isErrorNative = NativeError.isError ?? ((value) =>
  isObject(value) && (objectToString(value) === "[object Error]" || (hasOwn(value, "stack") && inherits(value, errorPrototype))));

// errorHeader is the first line of a stack: "TypeError: no".
function errorHeader(error) {
  try {
    return errorToString(error);
  } catch {
    return "Error";
  }
}

const sites = probeCallSites();
const preludeFile = sites ? sites.file : fileOfLine(new NativeError("probe").stack);

// probeCallSites takes the methods of a call site, where there are any.
function probeCallSites() {
  const before = descriptorOf(NativeError, "prepareStackTrace");
  NativeError.prepareStackTrace = (error, frames) => frames;
  const frames = new NativeError("probe").stack;
  if (before) defineProperty(NativeError, "prepareStackTrace", before);
  else delete NativeError.prepareStackTrace;
  if (typeof frames !== "object" || frames === null || frames.length === 0) return undefined;
  const found = { __proto__: null, file: frames[0].getFileName() };
  const names = [
    "getFileName", "getLineNumber", "getColumnNumber", "getFunctionName", "getTypeName", "getMethodName",
    "isNative", "isToplevel", "isConstructor", "isAsync", "isEval", "isPromiseAll", "getPromiseIndex",
  ];
  const prototype = getPrototypeOf(frames[0]);
  for (let i = 0; i < names.length; i += 1) {
    const method = prototype[names[i]];
    found[names[i]] = typeof method === "function" ? uncurry(method) : () => undefined;
  }
  return found;
}

// fileOfLine takes the file out of the first line of a stack's text.
function fileOfLine(stack) {
  const place = placeOfLine(stack);
  return place === undefined ? undefined : place.file;
}

// placeOfLine takes a line such as "    at f (program.ts:3:7)" apart.
function placeOfLine(line) {
  const end = indexOf(line, "\n");
  const text = trim(end < 0 ? line : slice(line, 0, end));
  if (!startsWith(text, "at ")) return undefined;
  let name = "", where = slice(text, 3);
  const open = lastIndexOf(text, " (");
  if (open >= 0 && endsWith(text, ")")) {
    name = slice(text, 3, max(open, 3));
    where = slice(text, open + 2, -1);
  }
  const byColumn = lastIndexOf(where, ":");
  const byLine = byColumn < 0 ? -1 : lastIndexOf(where, ":", byColumn - 1);
  if (byLine < 0) return { __proto__: null, name, file: where, line: 0, column: 0 };
  return {
    __proto__: null, name, file: slice(where, 0, byLine),
    line: +slice(where, byLine + 1, byColumn), column: +slice(where, byColumn + 1),
  };
}

// rewriteStack maps the text of a stack.
function rewriteStack(text) {
  const lines = list();
  let from = 0;
  while (from < text.length) {
    let to = indexOf(text, "\n", from);
    if (to < 0) to = text.length;
    const place = placeOfLine(slice(text, from, to));
    from = to + 1;
    if (place === undefined || place.file === preludeFile) continue;
    if (place.file === "native" && lines.length === 0) continue;
    const anonymous = place.name === "" || place.name === "<anonymous>" || place.name === "<eval>";
    const where = place.line > 0 ? `${place.file}:${originalPosition(place.line, place.column)}` : place.file;
    push(lines, anonymous ? `    at ${where}` : `    at ${place.name} (${where})`);
  }
  return join(lines, "\n");
}

// describeSite is one line of a stack; undefined hides it.
function describeSite(site) {
  const file = sites.getFileName(site);
  if (file === preludeFile && !sites.isNative(site) && !sites.isEval(site)) return undefined;
  if (sites.isAsync(site) && sites.isPromiseAll(site)) return `async Promise.all (index ${sites.getPromiseIndex(site)})`;
  const where = placeOfSite(site, file);
  const what = nameOfSite(site);
  const prefix = sites.isAsync(site) ? "async " : "";
  return what === "" ? prefix + where : `${prefix}${what} (${where})`;
}

function placeOfSite(site, file) {
  if (sites.isNative(site)) return "native";
  const line = sites.getLineNumber(site), column = sites.getColumnNumber(site);
  if (typeof file !== "string" || file === "") {
    return typeof line === "number" && line > 0 ? `<anonymous>:${line}:${column}` : "<anonymous>";
  }
  if (typeof line !== "number") return file;
  return `${file}:${originalPosition(line, column)}`;
}

function nameOfSite(site) {
  const name = sites.getFunctionName(site) || "";
  if (sites.isConstructor(site)) return `new ${name || "<anonymous>"}`;
  if (sites.isToplevel(site) || sites.isAsync(site)) return name;
  const type = sites.getTypeName(site) || "", method = sites.getMethodName(site) || "";
  if (name === "") return type === "" ? "" : `${type}.${method || "<anonymous>"}`;
  const full = type === "" || startsWith(name, type) ? name : `${type}.${name}`;
  return method !== "" && name !== method && !endsWith(name, `.${method}`) ? `${full} [as ${method}]` : full;
}

function prepareStackTrace(error, frames) {
  let text = errorHeader(error);
  try {
    for (let i = 0; i < frames.length; i += 1) {
      const line = describeSite(frames[i]);
      if (line !== undefined) text += `\n    at ${line}`;
    }
  } catch {
    // What there is of it is shown.
  }
  return text;
}

// mapStackOf gives an error of an engine without call sites the stack it would
// have elsewhere, when somebody looks.
function mapStackOf(error) {
  const own = descriptorOf(error, "stack");
  if (own === undefined || typeof own.value !== "string") return;
  const header = errorHeader(error);
  let stack;
  const get = () => {
    stack ??= withFrames(header, rewriteStack(own.value));
    return stack;
  };
  const set = function (value) {
    defineProperty(this, "stack", { __proto__: null, value, writable: true, configurable: true, enumerable: false });
  };
  defineProperty(error, "stack", { __proto__: null, get, set, enumerable: false, configurable: true });
}

const withFrames = (header, frames) => (frames === "" ? header : `${header}\n${frames}`);

// wrapErrors replaces the constructors of errors by ones that map.
function wrapErrors() {
  const names = ["Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError", "InternalError", "AggregateError"];
  let base;
  for (let i = 0; i < names.length; i += 1) {
    const Native = globalThis[names[i]];
    if (Native === undefined) continue;
    const Wrapped = function (...args) {
      const error = construct(Native, args, new.target === undefined ? Wrapped : new.target);
      mapStackOf(error);
      return error;
    };
    const keys = ownKeys(Native);
    for (let k = 0; k < keys.length; k += 1) defineProperty(Wrapped, keys[k], descriptorOf(Native, keys[k]));
    setPrototypeOf(Wrapped, base ?? functionPrototype);
    base ??= Wrapped;
    define(Native.prototype, "constructor", Wrapped);
    define(globalThis, names[i], Wrapped);
  }
}

if (sites) {
  define(NativeError, "prepareStackTrace", prepareStackTrace);
} else {
  wrapErrors();
  // QuickJS makes template strings by this method: one that a program overwrote
  // would be called by the prelude.
  defineProperty(String.prototype, "concat", { __proto__: null, writable: false, configurable: false });
}

const { Error, TypeError, RangeError, SyntaxError } = globalThis;

// isError says whether value is an error or passes for one.
function isError(value) {
  return isErrorNative(value) || inherits(value, errorPrototype);
}

// stackOf returns the stack of an error for people: whatever a program made of
// it, the result is a string.
function stackOf(error) {
  let stack;
  try {
    stack = error.stack;
  } catch {
    stack = undefined;
  }
  if (typeof stack !== "string" || stack === "") return errorHeader(error);
  if (!sites && (startsWith(stack, "    at ") || stack === "\n")) return withFrames(errorHeader(error), rewriteStack(stack));
  return stack;
}
