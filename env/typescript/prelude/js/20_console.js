// console: log, info and debug go to stdout, error, warn and trace to stderr.

const frameStdout = 79, frameStderr = 69, frameOutput = 77, frameCall = 75, frameAware = 65, frameDone = 68, frameError = 88;
const pieceUnits = 256 << 10; // UTF-16 units of a frame: below 1 MiB as UTF-8

// emit sends a frame unless the last one is sent: a program that has failed may
// run on until its turn is over.
function emit(type, payload) {
  if (!life.over) send(type, payload);
}

// write sends text as one or more frames, never splitting a code point.
function write(type, text) {
  if (text.length <= pieceUnits) {
    emit(type, text);
    return;
  }
  for (let from = 0; from < text.length;) {
    let to = min(from + pieceUnits, text.length);
    if (to < text.length && pairAt(text, to - 1)) to -= 1;
    emit(type, slice(text, from, to));
    from = to;
  }
}

const state = { __proto__: null, group: "", counts: new Map(), timers: new Map() };

function writeLine(type, text) {
  if (state.group !== "") text = state.group + (includes(text, "\n") ? join(splitLines(text), `\n${state.group}`) : text);
  write(type, `${text}\n`);
}

const labelOf = (label) => (label === undefined ? "default" : safeText(label));
const warn = (text) => writeLine(frameStderr, `Warning: ${text}`);

// timeText is a duration as Node shows it.
function timeText(ms) {
  if (ms < 1000) return `${+toFixed(ms, 3)}ms`;
  if (ms < 60000) return `${toFixed(ms / 1000, 3)}s`;
  const seconds = ms / 1000, minutes = floor(seconds / 60) % 60, hours = floor(seconds / 3600);
  const rest = padStart(toFixed(seconds % 60, hours > 0 ? 0 : 3), hours > 0 ? 2 : 6, "0");
  return hours > 0 ? `${hours}:${padStart(`${minutes}`, 2, "0")}:${rest} (h:mm:ss)` : `${minutes}:${rest} (m:ss.mmm)`;
}

function elapsed(label, method) {
  const started = mapGet(state.timers, label);
  if (started === undefined) warn(`No such label '${label}' for console.${method}()`);
  return started === undefined ? undefined : timeText(now() - started);
}

const consoleMethods = {
  __proto__: null,
  log(...args) { writeLine(frameStdout, format(args)); },
  warn(...args) { writeLine(frameStderr, format(args)); },
  error(...args) { writeLine(frameStderr, format(args)); },
  dir(value, options) {
    const ctx = contextOf(options);
    if (!isObject(options) || get(options, "customInspect") === undefined) ctx.customInspect = false;
    writeLine(frameStdout, inspectIn(ctx, value));
  },
  trace(...args) {
    const error = new Error();
    const stack = stackOf(error);
    const frames = indexOf(stack, "\n    at");
    const text = format(args);
    writeLine(frameStderr, (text === "" ? "Trace" : `Trace: ${text}`) + (frames < 0 ? "" : slice(stack, frames)));
  },
  assert(condition, ...args) {
    if (condition) return;
    if (args.length > 0 && typeof args[0] === "string") args[0] = `Assertion failed: ${args[0]}`;
    const text = format(args);
    writeLine(frameStderr, args.length > 0 && typeof args[0] === "string" ? text : `Assertion failed${text === "" ? "" : ` ${text}`}`);
  },
  count(label) {
    const name = labelOf(label);
    const count = (mapGet(state.counts, name) ?? 0) + 1;
    mapSet(state.counts, name, count);
    writeLine(frameStdout, `${name}: ${count}`);
  },
  countReset(label) {
    const name = labelOf(label);
    if (!mapDelete(state.counts, name)) warn(`Count for '${name}' does not exist`);
  },
  group(...args) {
    if (args.length > 0) writeLine(frameStdout, format(args));
    if (state.group.length < 2000) state.group += "  ";
  },
  groupEnd() { state.group = slice(state.group, 0, max(state.group.length - 2, 0)); },
  time(label) {
    const name = labelOf(label);
    if (mapHas(state.timers, name)) warn(`Label '${name}' already exists for console.time()`);
    else mapSet(state.timers, name, now());
  },
  timeEnd(label) {
    const name = labelOf(label);
    const text = elapsed(name, "timeEnd");
    if (text === undefined) return;
    writeLine(frameStdout, `${name}: ${text}`);
    mapDelete(state.timers, name);
  },
  timeLog(label, ...args) {
    const name = labelOf(label);
    const text = elapsed(name, "timeLog");
    if (text === undefined) return;
    const rest = format(args);
    writeLine(frameStdout, rest === "" ? `${name}: ${text}` : `${name}: ${text} ${rest}`);
  },
  table(data, columns) { writeLine(frameStdout, tableText(data, columns) ?? format([data])); },
};

const consoleObject = {};
for (const name of ["log", "warn", "error", "dir", "trace", "assert", "count", "countReset", "group", "groupEnd", "time", "timeEnd", "timeLog", "table"]) {
  consoleObject[name] = consoleMethods[name];
}
consoleObject.info = consoleObject.log;
consoleObject.debug = consoleObject.log;
consoleObject.dirxml = consoleObject.log;
consoleObject.groupCollapsed = consoleObject.group;
defineProperty(consoleObject, symbolToStringTag, { __proto__: null, value: "console", configurable: true });
define(globalThis, "console", consoleObject);
