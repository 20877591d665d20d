// The least that a prelude must be, for tests of the engine alone.
(function (native) {
  const O = 79, M = 77, K = 75, D = 68, X = 88;
  let state = "new", calls = 0, lastTimer = 0;
  const waiting = new Map(), timers = [], rejected = new Map();

  const text = (e) => (e instanceof Error ? `${e.name}: ${e.message}` : String(e));
  const finish = (type, payload) => {
    if (state === "over") return;
    state = "over";
    native.send(type, payload);
  };
  const fail = (e) => finish(X, JSON.stringify({ message: text(e), kind: "" }));

  globalThis.print = (...values) => native.send(O, values.join(" ") + "\n");
  globalThis.output = (value) => native.send(M, JSON.stringify(value));
  globalThis.call = (params) => new Promise((resolve, reject) => {
    waiting.set(++calls, { resolve, reject });
    native.send(K, JSON.stringify({ id: calls, op: "tool", service: "s", tool: "t", params }));
  });
  globalThis.setTimeout = (f, ms = 0) => {
    timers.push({ id: ++lastTimer, f, due: native.now() + ms });
    timers.sort((a, b) => a.due - b.due || a.id - b.id);
    return lastTimer;
  };
  globalThis.native = native; // tests look at it; a real prelude keeps it to itself
  globalThis.console = { log: globalThis.print, error: globalThis.print };
  globalThis.reeve = { services: { warm: { tools: { up: globalThis.call } } }, output: globalThis.output };

  return {
    start(main, meta) {
      state = "running";
      JSON.parse(meta || "{}");
      main().then(() => { state = "returned"; }, fail);
    },
    compileError: fail,
    uncaught: fail,
    dispatch(type, payload) {
      if (type !== 82) return globalThis.onframe?.(type, payload);
      const { id, ok, value, error } = JSON.parse(payload);
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      ok ? resolve(value) : reject(new Error(error.message));
    },
    rejection(event, promise, value) {
      event === 0 ? rejected.set(promise, value) : rejected.delete(promise);
    },
    turn() {
      if (state === "over") return -2;
      for (const value of rejected.values()) { fail(value); return -2; }
      if (timers.length > 0) return Math.max(0, timers[0].due - native.now());
      if (waiting.size > 0 || state === "running" && globalThis.onframe) return -1;
      if (state === "returned") finish(D, "");
      else finish(X, '{"message":"unsettled","kind":"unsettled"}');
      return -2;
    },
    fire() {
      if (timers.length > 0 && timers[0].due <= native.now()) timers.shift().f();
    },
  };
})
