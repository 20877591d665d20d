// reeve, and cyrnel, the same object under its other name.

const calls = { __proto__: null, next: 1, waiting: new Map() }; // id to what settles it

// request sends a call to the host. body is the rest of its JSON object, with a
// comma in front. The error that a failure becomes is made here, so that its
// stack shows the program's call.
function request(op, body) {
  const error = new Error();
  return new Promise((resolve, reject) => {
    const id = calls.next++;
    emit(frameCall, `{"id":${id},"op":"${op}"${body}}`);
    mapSet(calls.waiting, id, { __proto__: null, resolve, reject, error });
  });
}

// rejected is the outcome of a call that is not made.
const rejected = (error) => new Promise((_, reject) => reject(error));

// json writes a value of the program, or throws a TypeError that says what it is
// that cannot be written.
function json(value, what) {
  let text;
  try {
    text = jsonStringify(value);
  } catch (cause) {
    const error = new TypeError(`${what} cannot be written as JSON: ${safeText(get(isObject(cause) ? cause : {}, "message") ?? cause)}`);
    define(error, "cause", cause);
    throw error;
  }
  if (typeof text !== "string") throw new TypeError(`${what} cannot be written as JSON: it is ${typeof value === "function" ? "a function" : `a ${typeof value}`}`);
  if (deeperThan(text, maxDepth)) throw new TypeError(`${what} cannot be sent: it is nested deeper than ${maxDepth} levels`);
  return text;
}

// What the host reads of JSON is bounded in depth; see engine.MaxDepth.
const maxDepth = 250;

// deeperThan reports whether JSON text is nested deeper than a limit.
function deeperThan(text, limit) {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = charCodeAt(text, i);
    if (quoted) {
      if (c === 92) i++; // a backslash and what it protects
      else if (c === 34) quoted = false;
    } else if (c === 34) {
      quoted = true;
    } else if (c === 91 || c === 123) {
      if (++depth > limit) return true;
    } else if (c === 93 || c === 125) {
      depth--;
    }
  }
  return false;
}

function callTool(service, tool, params) {
  try {
    const text = json(params === undefined ? {} : params, `the parameters of ${service}/${tool}`);
    return request("tool", `,"service":${jsonStringify(service)},"tool":${jsonStringify(tool)},"params":${text}`);
  } catch (error) {
    return rejected(error);
  }
}

// settle is the host's answer to a call.
function settle(payload) {
  const answer = jsonParse(payload);
  const id = own(answer, "id");
  const call = mapGet(calls.waiting, id);
  if (call === undefined) return;
  mapDelete(calls.waiting, id);
  if (own(answer, "ok") === true) {
    call.resolve(own(answer, "value"));
    return;
  }
  const failure = own(answer, "error");
  const message = isObject(failure) ? own(failure, "message") : undefined;
  const code = isObject(failure) ? own(failure, "code") : undefined;
  define(call.error, "message", typeof message === "string" ? message : "the call failed");
  if (code !== undefined && code !== null && code !== "") put(call.error, "code", code);
  if (!sites) renewStack(call.error);
  call.reject(call.error);
}

const own = (object, key) => (hasOwn(object, key) ? object[key] : undefined);

// renewStack gives an error the header of its message, which came late.
function renewStack(error) {
  const frames = indexOf(error.stack, "\n    at");
  define(error, "stack", errorHeader(error) + (frames < 0 ? "" : slice(error.stack, frames)));
}

// nameless are the names that the language itself asks objects for.
const nameless = (key) => typeof key === "symbol" || key === "then" || key === "toJSON" || key === "toString" || key === "valueOf" || key === "constructor";

// open is an object that has a member of every name, made when asked for.
function open(make) {
  const made = new Map();
  return new Proxy(freeze({ __proto__: null }), freeze({
    __proto__: null,
    get(_, key) {
      if (nameless(key)) return undefined;
      if (!mapHas(made, key)) mapSet(made, key, make(key));
      return mapGet(made, key);
    },
    has: (_, key) => !nameless(key),
    set: () => false,
    defineProperty: () => false,
    deleteProperty: () => false,
    setPrototypeOf: () => false,
  }));
}

function toolFunction(service, tool) {
  const call = { [tool]: (params) => callTool(service, tool, params) }[tool];
  constant(call, "invoke", call);
  return freeze(call);
}

const services = open((service) => freeze({ __proto__: null, tools: open((tool) => toolFunction(service, tool)) }));

function checkOutput(data) {
  if (typeof data !== "object" || data === null || isArray(data)) {
    throw new TypeError(`reeve.output needs an object such as { result: 42 }, not ${isArray(data) ? "an array" : data === null ? "null" : `a ${typeof data}`}`);
  }
  const prototype = getPrototypeOf(data);
  if (prototype !== null && prototype !== objectPrototype) {
    throw new TypeError("reeve.output needs a plain object such as { result: 42 }, not an instance of a class");
  }
}

function outputText(data) {
  const keys = enumerableKeys(data);
  let text = "";
  for (let i = 0; i < keys.length; i += 1) {
    const value = data[keys[i]];
    if (value === undefined) continue;
    text += `${text === "" ? "" : ","}${jsonStringify(keys[i])}:${json(value, `the value of ${jsonStringify(keys[i])} given to reeve.output`)}`;
  }
  return `{${text}}`;
}

function childHandle(answer) {
  const id = isObject(answer) ? own(answer, "id") : answer;
  return freeze({
    id,
    wait: freeze(() => request("wait", `,"process":${jsonStringify(id)}`)),
    signal: freeze((name) => (typeof name === "string"
      ? request("signal", `,"process":${jsonStringify(id)},"signal":${jsonStringify(name)}`)
      : rejected(new TypeError('the signal of a child is a name such as "SIGTERM"')))),
    kill: freeze(() => request("signal", `,"process":${jsonStringify(id)},"signal":"SIGKILL"`)),
  });
}

function spawn(request_) {
  try {
    if (!isObject(request_) || isArray(request_)) throw new TypeError('reeve.spawn needs an object such as { environment: "command", code: "echo hi" }');
    const answer = request("spawn", `,"request":${json(request_, "the request given to reeve.spawn")}`);
    define(answer, "constructor", undefined);
    const handle = promiseThen(answer, childHandle);
    delete answer.constructor;
    return handle;
  } catch (error) {
    return rejected(error);
  }
}

const signal = { __proto__: null, made: undefined };

const reeve = {
  output(data) {
    checkOutput(data);
    emit(frameOutput, outputText(data));
  },
  services,
  spawn,
  get signal() {
    if (signal.made === undefined) {
      signal.made = newSignal();
      emit(frameAware, "");
    }
    return signal.made;
  },
  get id() { return program.id; },
  get run() { return program.run; },
};
defineProperty(reeve, symbolToStringTag, { __proto__: null, value: "reeve" });
freeze(reeve.output);
freeze(reeve.spawn);
freeze(reeve);
// QuickJS lets constants of the global object be redefined, but not accessors.
const asGlobal = sites
  ? { __proto__: null, value: reeve, writable: false, enumerable: true, configurable: false }
  : { __proto__: null, get: () => reeve, set: undefined, enumerable: true, configurable: false };
defineProperty(globalThis, "reeve", asGlobal);
defineProperty(globalThis, "cyrnel", asGlobal);
