// Timers, in the order Node has: those due by their time and then their age,
// then what setImmediate has queued, microtasks in between (the engine's loop
// drains them after each callback).

const longest = 2 ** 31 - 1;
// at: when the current callback began; round: when the round of timers that is
// being run began, 0 between two.
const clock = { __proto__: null, at: 0, round: 0 };
const heap = list(); // of entries, the next one due first
const active = new Map(); // id to entry, armed or not
const immediates = { __proto__: null, queue: list(), batch: list(), next: 0, referenced: 0 };
const timers = { __proto__: null, ids: 0, age: 0, referenced: 0, inImmediates: false };

const tick = () => { clock.at = floor(now()); };

function before(a, b) {
  return a.due < b.due || (a.due === b.due && a.age < b.age);
}

function place(entry, at) {
  heap[at] = entry;
  entry.at = at;
}

function rise(entry) {
  let at = entry.at;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!before(entry, heap[parent])) break;
    place(heap[parent], at);
    at = parent;
  }
  place(entry, at);
}

function sink(entry) {
  let at = entry.at;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1], heap[child])) child += 1;
    if (!before(heap[child], entry)) break;
    place(heap[child], at);
    at = child;
  }
  place(entry, at);
}

function arm(entry) {
  if (entry.at >= 0) disarm(entry);
  entry.due = clock.at + entry.delay;
  entry.age = timers.age++;
  entry.at = heap.length;
  push(heap, entry);
  rise(entry);
  if (entry.referenced) timers.referenced += 1;
}

function disarm(entry) {
  if (entry.at < 0) return;
  const at = entry.at;
  entry.at = -1;
  if (entry.referenced) timers.referenced -= 1;
  heap.length -= 1;
  const last = heap[heap.length];
  heap[heap.length] = undefined;
  if (last === entry) return;
  place(last, at);
  rise(last);
  sink(last);
}

function refer(entry, referenced) {
  if (entry.referenced === referenced) return;
  entry.referenced = referenced;
  if (entry.at >= 0) timers.referenced += referenced ? 1 : -1;
}

function delayOf(value) {
  const delay = value * 1;
  if (delay > longest) {
    writeLine(frameStderr, `TimeoutOverflowWarning: ${numberText(delay)} does not fit into a 32-bit signed integer.\nTimeout duration was set to 1.`);
  }
  return delay >= 1 && delay <= longest ? trunc(delay) : 1;
}

function requireCallback(callback) {
  if (typeof callback === "function") return;
  const error = new TypeError(`The "callback" argument must be of type function. Received ${inspect(callback, shallow)}`);
  define(error, "code", "ERR_INVALID_ARG_TYPE");
  throw error;
}

class Timeout {
  #entry;
  constructor(entry) { this.#entry = entry; }
  ref() { refer(this.#entry, true); return this; }
  unref() { refer(this.#entry, false); return this; }
  hasRef() { return this.#entry.referenced; }
  refresh() {
    if (!this.#entry.cleared) arm(this.#entry);
    return this;
  }
  close() { clear(this.#entry); return this; }
  [symbolToPrimitive]() { return this.#entry.id; }
  static entryOf(value) { return isObject(value) && #entry in value ? value.#entry : undefined; }
}
const { entryOf } = Timeout;
delete Timeout.entryOf;

function startTimer(callback, delay, args, repeats) {
  requireCallback(callback);
  const entry = {
    __proto__: null, id: ++timers.ids, callback, args, delay: delayOf(delay), repeats, due: 0, age: 0, at: -1,
    referenced: true, cleared: false, handle: undefined,
  };
  entry.handle = new Timeout(entry);
  mapSet(active, entry.id, entry);
  arm(entry);
  return entry.handle;
}

function clear(entry) {
  entry.cleared = true;
  disarm(entry);
  mapDelete(active, entry.id);
}

function clearTimer(handle) {
  let entry = entryOf(handle);
  if (entry === undefined && (typeof handle === "number" || typeof handle === "string")) entry = mapGet(active, +handle);
  if (entry !== undefined) clear(entry);
}

// fireTimer runs the first timer if it is due at the given time.
function fireTimer(at) {
  if (heap.length === 0 || heap[0].due > at) return false;
  const entry = heap[0];
  disarm(entry);
  try {
    apply(entry.callback, entry.handle, entry.args);
  } finally {
    if (entry.repeats && !entry.cleared) arm(entry);
    else if (entry.at < 0) mapDelete(active, entry.id);
  }
  return true;
}
