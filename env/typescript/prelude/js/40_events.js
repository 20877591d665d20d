// DOMException, Event, CustomEvent and EventTarget.

const exceptionCodes = {
  __proto__: null, IndexSizeError: 1, HierarchyRequestError: 3, WrongDocumentError: 4, InvalidCharacterError: 5,
  NoModificationAllowedError: 7, NotFoundError: 8, NotSupportedError: 9, InUseAttributeError: 10, InvalidStateError: 11,
  SyntaxError: 12, InvalidModificationError: 13, NamespaceError: 14, InvalidAccessError: 15, TypeMismatchError: 17,
  SecurityError: 18, NetworkError: 19, AbortError: 20, URLMismatchError: 21, QuotaExceededError: 22, TimeoutError: 23,
  InvalidNodeTypeError: 24, DataCloneError: 25,
};

class DOMException extends Error {
  #name = "Error";
  constructor(message = "", options = "Error") {
    super(`${message}`);
    if (isObject(options)) {
      const name = options.name;
      this.#name = name === undefined ? "Error" : `${name}`;
      if ("cause" in options) define(this, "cause", options.cause);
    } else {
      this.#name = `${options}`;
    }
  }
  get name() { return #name in this ? this.#name : "Error"; }
  get code() { return exceptionCodes[this.name] ?? 0; }
}
tag(DOMException, "DOMException");
for (const [name, code] of [["ABORT_ERR", 20], ["TIMEOUT_ERR", 23], ["DATA_CLONE_ERR", 25], ["INVALID_CHARACTER_ERR", 5], ["SYNTAX_ERR", 12], ["NOT_SUPPORTED_ERR", 9], ["QUOTA_EXCEEDED_ERR", 22]]) {
  constant(DOMException, name, code);
  constant(DOMException.prototype, name, code);
}

// eventState lets the dispatcher into an event.
let eventState;

class Event {
  #state;
  constructor(type, init) {
    if (arguments.length === 0) throw new TypeError("Event needs a type");
    this.#state = {
      __proto__: null, type: `${type}`, bubbles: !!init?.bubbles, cancelable: !!init?.cancelable, composed: !!init?.composed,
      prevented: false, stopped: false, halted: false, dispatching: false, passive: false, target: null, current: null,
      phase: 0, at: now(),
    };
  }
  get type() { return this.#state.type; }
  get bubbles() { return this.#state.bubbles; }
  get cancelable() { return this.#state.cancelable; }
  get composed() { return this.#state.composed; }
  get defaultPrevented() { return this.#state.prevented; }
  get target() { return this.#state.target; }
  get srcElement() { return this.#state.target; }
  get currentTarget() { return this.#state.current; }
  get eventPhase() { return this.#state.phase; }
  get timeStamp() { return this.#state.at; }
  get isTrusted() { return false; }
  get returnValue() { return !this.#state.prevented; }
  get cancelBubble() { return this.#state.stopped; }
  set cancelBubble(value) { if (value) this.#state.stopped = true; }
  composedPath() { return this.#state.current === null ? [] : [this.#state.current]; }
  preventDefault() { if (this.#state.cancelable && !this.#state.passive) this.#state.prevented = true; }
  stopPropagation() { this.#state.stopped = true; }
  stopImmediatePropagation() { this.#state.stopped = true; this.#state.halted = true; }
  static { eventState = (value) => (isObject(value) && #state in value ? value.#state : undefined); }
}
tag(Event, "Event");
for (const [name, value] of [["NONE", 0], ["CAPTURING_PHASE", 1], ["AT_TARGET", 2], ["BUBBLING_PHASE", 3]]) {
  constant(Event, name, value);
  constant(Event.prototype, name, value);
}
push(viewers, (value) => {
  const s = eventState(value);
  return s && { __proto__: null, type: s.type, defaultPrevented: s.prevented, cancelable: s.cancelable, timeStamp: s.at };
});

class CustomEvent extends Event {
  #detail;
  constructor(type, init) {
    super(type, init);
    this.#detail = init?.detail ?? null;
  }
  get detail() { return this.#detail; }
}
tag(CustomEvent, "CustomEvent");

// listenersOf lets the prelude into a target.
let listenersOf;

class EventTarget {
  #listeners = new Map(); // type to a list of listeners
  addEventListener(type, callback, options) {
    if (callback === null || callback === undefined) return;
    if (!isObject(callback)) throw new TypeError("an event listener is a function or an object with handleEvent");
    const capture = typeof options === "boolean" ? options : !!options?.capture;
    const signal = isObject(options) ? options.signal : undefined;
    if (signal !== undefined && !isSignal(signal)) throw new TypeError("the signal of an event listener must be an AbortSignal");
    if (signal !== undefined && signalState(signal).aborted) return;
    listen(this.#listeners, `${type}`, callback, capture, !!(isObject(options) && options.once), !!(isObject(options) && options.passive));
    if (signal !== undefined) onAbort(signal, () => unlisten(this.#listeners, `${type}`, callback, capture));
  }
  removeEventListener(type, callback, options) {
    const capture = typeof options === "boolean" ? options : !!options?.capture;
    unlisten(this.#listeners, `${type}`, callback, capture);
  }
  dispatchEvent(event) {
    const at = eventState(event);
    if (at === undefined) throw new TypeError("dispatchEvent needs an Event");
    if (at.dispatching) throw new DOMException("the event is being dispatched already", "InvalidStateError");
    return dispatchTo(this, this.#listeners, event, at);
  }
  static { listenersOf = (target) => target.#listeners; }
}
tag(EventTarget, "EventTarget");
enumerate(EventTarget.prototype, "addEventListener", "removeEventListener", "dispatchEvent");

function listen(listeners, type, callback, capture, once, passive) {
  let ofType = mapGet(listeners, type);
  if (ofType === undefined) mapSet(listeners, type, ofType = list());
  for (let i = 0; i < ofType.length; i += 1) {
    if (ofType[i].callback === callback && ofType[i].capture === capture) return;
  }
  push(ofType, { __proto__: null, callback, capture, once, passive, removed: false });
}

// unlisten leaves the list that a dispatch may be going through alone.
function unlisten(listeners, type, callback, capture) {
  const ofType = mapGet(listeners, type);
  if (ofType === undefined) return;
  const kept = list();
  for (let i = 0; i < ofType.length; i += 1) {
    const one = ofType[i];
    if (one.callback === callback && one.capture === capture) one.removed = true;
    else push(kept, one);
  }
  mapSet(listeners, type, kept);
}

function dispatchTo(target, listeners, event, at) {
  at.dispatching = true;
  at.target = target;
  at.current = target;
  at.phase = 2;
  const ofType = mapGet(listeners, at.type);
  const count = ofType === undefined ? 0 : ofType.length;
  for (let i = 0; i < count && !at.halted; i += 1) {
    const one = ofType[i];
    if (one.removed) continue;
    if (one.once) unlisten(listeners, at.type, one.callback, one.capture);
    at.passive = one.passive;
    invoke(one.callback, target, event);
  }
  at.passive = false;
  at.dispatching = false;
  at.current = null;
  at.phase = 0;
  return !at.prevented;
}

// invoke calls a listener; what it throws fails the program, not the dispatch.
function invoke(callback, target, event) {
  try {
    if (typeof callback === "function") return apply(callback, target, [event]);
    const handle = callback.handleEvent;
    if (typeof handle !== "function") throw new TypeError("the event listener has no method handleEvent");
    return apply(handle, callback, [event]);
  } catch (error) {
    fail(error);
    return undefined;
  }
}

define(globalThis, "DOMException", DOMException);
define(globalThis, "Event", Event);
define(globalThis, "CustomEvent", CustomEvent);
define(globalThis, "EventTarget", EventTarget);
