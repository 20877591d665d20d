// The life of a program: it is over when its main function has returned and no
// timer or call is left, or when anything fails that nobody handles.

const nothing = {};
const life = { __proto__: null, main: "pending", over: false, failure: nothing, unhandled: new Map() };

// fail ends the program with an error when its turn is over.
function fail(value) {
  if (life.failure === nothing) life.failure = value;
}

// finish sends the last frame.
function finish(type, payload) {
  if (life.over) return;
  life.over = true;
  send(type, payload);
}

const maxMessage = 64 << 10;

// messageOf is the error of the process's record.
function messageOf(value) {
  if (typeof value === "string") return value;
  if (isObject(value) && isErrorSafe(value)) {
    const name = get(value, "name"), message = get(value, "message");
    const nameText = typeof name === "string" && name !== "" ? name : "Error";
    const text = message === undefined ? "" : safeText(message);
    if (nameText === "Error") return text === "" ? "Error" : text;
    return text === "" ? nameText : `${nameText}: ${text}`;
  }
  if (typeof value === "symbol") return symbolToString(value);
  try {
    const text = jsonStringify(value);
    if (typeof text === "string") return text;
  } catch {
    // Said by its name then.
  }
  return safeText(value);
}

const isErrorSafe = (value) => {
  try {
    return isError(value);
  } catch {
    return false;
  }
};

// uncaught ends the program because of a value that nobody caught.
function uncaught(value) {
  if (life.over) return;
  try {
    state.group = "";
    writeLine(frameStderr, `Uncaught ${typeof value === "string" ? quoteText(value) : inspect(value)}`);
  } catch {
    // The record's error says it, too.
  }
  let message = "Error";
  try {
    message = messageOf(value);
  } catch {
    // What throws while it is asked its name has none.
  }
  finish(frameError, errorPayload(slice(message, 0, maxMessage), ""));
}

const errorPayload = (message, kindOfError) => `{"message":${jsonStringify(message)},"kind":"${kindOfError}"}`;

function begin(main, meta) {
  const given = jsonParse(meta);
  program.id = own(given, "id") ?? 0;
  program.run = own(given, "run") ?? 0;
  program.mappings = own(given, "mappings") ?? "";
  program.lines = own(given, "lines") ?? 0;
  program.columns = own(given, "columns") ?? 0;
  origin.at = now();
  origin.wall = dateNow();
  tick();
  const promise = apply(main, undefined, []);
  define(promise, "constructor", undefined); // so that then asks nobody
  promiseThen(promise, () => { life.main = "returned"; }, fail);
}

function dispatch(type, payload) {
  tick();
  switch (type) {
    case 82: // R
      settle(payload);
      break;
    case 71: // G
      if (signal.made !== undefined) abortSignal(signal.made, new DOMException(payload, "AbortError"));
      break;
    case 67: // C
      postpone(+payload);
      break;
  }
}

// rejection is told of promises that are rejected while nobody handles them
// (0), and of those that are handled later after all (1).
function rejection(event, promise, value) {
  if (event === 0) mapSet(life.unhandled, promise, value);
  else if (event === 1) mapDelete(life.unhandled, promise);
}


function turn() {
  if (life.over) return -2;
  mapForEach(life.unhandled, fail);
  if (life.failure !== nothing) {
    uncaught(life.failure);
    return -2;
  }
  const working = mapSize(calls.waiting) > 0 || timers.referenced > 0 || immediates.referenced > 0;
  if (!working && life.main === "returned") {
    finish(frameDone, "");
    return -2;
  }
  const wait = untilNext();
  const heard = signal.made !== undefined && isHeard(signal.made);
  if (!working && wait < 0 && !heard) {
    finish(frameError, errorPayload("the program awaits something that never settles", "unsettled"));
    return -2;
  }
  return wait;
}

delete globalThis.WebAssembly;

return freeze({
  __proto__: null, start: begin, compileError: uncaught, dispatch, rejection, turn, fire, uncaught,
});
