// setImmediate, the rounds of callbacks, and the global functions.

class Immediate {
  #entry;
  constructor(entry) { this.#entry = entry; }
  ref() { referImmediate(this.#entry, true); return this; }
  unref() { referImmediate(this.#entry, false); return this; }
  hasRef() { return this.#entry.referenced; }
  static immediateOf(value) { return isObject(value) && #entry in value ? value.#entry : undefined; }
}
const { immediateOf } = Immediate;
delete Immediate.immediateOf;

function referImmediate(entry, referenced) {
  if (entry.referenced === referenced || entry.over) return;
  entry.referenced = referenced;
  immediates.referenced += referenced ? 1 : -1;
}

function endImmediate(entry) {
  referImmediate(entry, false);
  entry.over = true;
}

// fireImmediate runs the next of those queued before the round began.
function fireImmediate() {
  if (immediates.next >= immediates.batch.length) {
    immediates.batch = immediates.queue;
    immediates.queue = list();
    immediates.next = 0;
  }
  while (immediates.next < immediates.batch.length) {
    const entry = immediates.batch[immediates.next];
    immediates.batch[immediates.next++] = undefined;
    if (entry.over) continue;
    endImmediate(entry);
    apply(entry.callback, entry.handle, entry.args);
    return;
  }
}

const immediatesWait = () => immediates.next < immediates.batch.length || immediates.queue.length > 0;

// fire runs one callback that is due: all timers of a round come before its
// immediates. A timer that a callback starts belongs to the next round.
function fire() {
  tick();
  if (!timers.inImmediates) {
    if (clock.round === 0) clock.round = clock.at;
    if (fireTimer(clock.round)) return;
    clock.round = 0;
  }
  fireImmediate();
  timers.inImmediates = immediates.next < immediates.batch.length;
}

// untilNext is how long the loop may wait, in milliseconds; -1: for ever.
function untilNext() {
  if (immediatesWait()) return 0;
  if (heap.length === 0) return -1;
  return max(heap[0].due - now(), 0);
}

// postpone moves all timers, after the program stood still for some time.
function postpone(ms) {
  for (let i = 0; i < heap.length; i += 1) heap[i].due += ms;
  clock.round = 0;
}

const timerFunctions = {
  setTimeout(callback, delay, ...args) { return startTimer(callback, delay, args, false); },
  setInterval(callback, delay, ...args) { return startTimer(callback, delay, args, true); },
  setImmediate(callback, ...args) {
    requireCallback(callback);
    const entry = { __proto__: null, callback, args, referenced: true, over: false, handle: undefined };
    entry.handle = new Immediate(entry);
    immediates.referenced += 1;
    push(immediates.queue, entry);
    return entry.handle;
  },
  clearTimeout(handle) { clearTimer(handle); },
  clearInterval(handle) { clearTimer(handle); },
  clearImmediate(handle) {
    const entry = immediateOf(handle);
    if (entry !== undefined) endImmediate(entry);
  },
  queueMicrotask(callback) {
    requireCallback(callback);
    promiseThen(resolved, () => {
      try {
        callback();
      } catch (error) {
        fail(error);
      }
    });
  },
};
for (const name of ["setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "clearImmediate", "queueMicrotask"]) {
  define(globalThis, name, timerFunctions[name]);
}

// resolved is a promise that no tampering reaches: then asks its constructor.
const resolved = new Promise((resolve) => resolve());
define(resolved, "constructor", undefined);
