// A host for the prelude in Node: what an engine gives, and its loop.
"use strict";
const fs = require("fs");
const vm = require("vm");
const crypto = require("crypto");
const { internalBinding } = require("internal/test/binding");
const { getPromiseDetails, getProxyDetails, previewEntries } = internalBinding("util");
const { types } = require("util");

function details(value) {
  if (types.isProxy(value)) return ["proxy", ...getProxyDetails(value, true)];
  if (types.isPromise(value)) {
    const [state, result] = getPromiseDetails(value);
    return ["promise", ["pending", "fulfilled", "rejected"][state], result];
  }
  if (types.isMapIterator(value)) return ["mapiterator", ...previewEntries(value, true)];
  if (types.isSetIterator(value)) return ["setiterator", ...previewEntries(value, true)];
  return undefined;
}

// sandbox evaluates the prelude in a fresh realm. Frames are kept as
// [letter, payload].
exports.sandbox = function sandbox(source) {
  const context = vm.createContext({});
  const frames = [];
  const native = {
    send: (type, payload) => { frames.push([String.fromCharCode(type), payload]); },
    random: (bytes) => {
      const from = crypto.randomBytes(65536);
      for (let i = 0; bytes[i] !== undefined; i += 1) bytes[i] = from[i];
    },
    now: () => performance.now(),
    details,
  };
  const hooks = vm.runInContext(source, context, { filename: "reeve:prelude" })(native);
  const run = (code, filename = "program.ts") => vm.runInContext(code, context, { filename });
  const take = (letter) => {
    const text = frames.filter((f) => f[0] === letter).map((f) => f[1]).join("");
    frames.length = 0;
    return text;
  };
  return { context, hooks, frames, run, take };
};

exports.source = () => fs.readFileSync(process.argv[2], "utf8");
