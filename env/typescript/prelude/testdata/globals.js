// Prints the globals that the prelude adds to those of the language.
"use strict";
const vm = require("vm");
const { sandbox, source } = require("./harness.js");
const before = new Set(vm.runInContext("Object.getOwnPropertyNames(globalThis)", vm.createContext({})));
const after = sandbox(source()).run("Object.getOwnPropertyNames(globalThis)");
console.log([...after].filter((name) => !before.has(name) || name === "console").join(" "));
