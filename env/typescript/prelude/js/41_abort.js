// AbortController and AbortSignal.

let signalState, newSignal;
const making = { __proto__: null, allowed: false }; // AbortSignal is not for programs to construct

class AbortSignal extends EventTarget {
  #state = { __proto__: null, aborted: false, reason: undefined, steps: list(), handler: null };
  constructor() {
    if (!making.allowed) throw new TypeError("Illegal constructor");
    making.allowed = false;
    super();
  }
  get aborted() { return this.#state.aborted; }
  get reason() { return this.#state.reason; }
  get onabort() { return this.#state.handler; }
  set onabort(value) {
    const s = this.#state;
    const had = s.handler !== null;
    s.handler = typeof value === "function" ? value : null;
    if (!had && s.handler !== null) listen(listenersOf(this), "abort", s.call ??= (event) => s.handler === null ? undefined : apply(s.handler, this, [event]), false, false, false);
    if (had && s.handler === null) unlisten(listenersOf(this), "abort", s.call, false);
  }
  throwIfAborted() { if (this.#state.aborted) throw this.#state.reason; }

  static abort(reason) {
    const signal = newSignal();
    abortSignal(signal, reason);
    return signal;
  }
  static timeout(ms) {
    if (typeof ms !== "number" || !(ms >= 0) || !isSafeInteger(ms)) throw new RangeError("AbortSignal.timeout needs a number of milliseconds");
    const signal = newSignal();
    const expire = () => abortSignal(signal, new DOMException("The operation was aborted due to timeout", "TimeoutError"));
    refer(entryOf(startTimer(expire, min(ms, longest), [], false)), false);
    return signal;
  }
  static any(signals) {
    const sources = [...signals]; // the caller's iterable, so the caller's iterator
    const signal = newSignal();
    for (let i = 0; i < sources.length; i += 1) {
      if (!isSignal(sources[i])) throw new TypeError("AbortSignal.any needs AbortSignals");
    }
    for (let i = 0; i < sources.length; i += 1) {
      if (signalState(sources[i]).aborted) {
        abortSignal(signal, signalState(sources[i]).reason);
        return signal;
      }
    }
    for (let i = 0; i < sources.length; i += 1) onAbort(sources[i], () => abortSignal(signal, signalState(sources[i]).reason));
    return signal;
  }
  static {
    signalState = (value) => value.#state;
    newSignal = () => {
      making.allowed = true;
      return new AbortSignal();
    };
    push(viewers, (value) => (#state in value ? { __proto__: null, aborted: value.#state.aborted } : undefined));
    this.isSignal = (value) => isObject(value) && #state in value;
  }
}
const { isSignal } = AbortSignal;
delete AbortSignal.isSignal;
tag(AbortSignal, "AbortSignal");
enumerate(AbortSignal.prototype, "aborted", "reason", "onabort", "throwIfAborted");

// onAbort runs a step of the prelude's own when a signal is aborted.
function onAbort(signal, step) {
  push(signalState(signal).steps, step);
}

function abortSignal(signal, reason) {
  const s = signalState(signal);
  if (s.aborted) return;
  s.aborted = true;
  s.reason = reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason;
  const steps = s.steps;
  s.steps = list();
  for (let i = 0; i < steps.length; i += 1) steps[i]();
  const event = new Event("abort");
  dispatchTo(signal, listenersOf(signal), event, eventState(event));
}

// isHeard says whether somebody would hear of it.
function isHeard(signal) {
  const s = signalState(signal);
  const ofType = mapGet(listenersOf(signal), "abort");
  return !s.aborted && (s.steps.length > 0 || (ofType !== undefined && ofType.length > 0));
}

class AbortController {
  #signal = newSignal();
  get signal() { return this.#signal; }
  abort(reason) { abortSignal(this.#signal, reason); }
  static { push(viewers, (value) => (#signal in value ? { __proto__: null, signal: value.#signal } : undefined)); }
}
tag(AbortController, "AbortController");
enumerate(AbortController.prototype, "signal", "abort");

define(globalThis, "AbortSignal", AbortSignal);
define(globalThis, "AbortController", AbortController);
