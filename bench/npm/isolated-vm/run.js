// Runs programs by isolated-vm, each in a fresh isolate, as fast as it can. It
// reads one JSON request a line and answers with one:
//
//   {"code": "…", "runs": 10, "workers": 2}  →  {"total": ms, "each": [ms, …]}
//   {"code": "…", "suspend": 100}            →  {"waiting": 100}: programs that stay, with those before
const ivm = require("isolated-vm");
const lines = require("readline").createInterface({ input: process.stdin });

// begin makes a fresh isolate, its context with a console, and the
// program's promise.
async function begin(code) {
  const isolate = new ivm.Isolate({ memoryLimit: 128 });
  const context = await isolate.createContext();
  let printed = "";
  await context.global.set("print", new ivm.Callback((line) => { printed += line + "\n"; }));
  const script = await isolate.compileScript(`const console = { log: (...a) => print(a.join(" ")) };\n(async () => {${code}\n})()`);
  return { isolate, ended: script.run(context, { promise: true }), printed: () => printed };
}

async function once(code) {
  const program = await begin(code);
  try {
    await program.ended;
    return program.printed();
  } finally {
    program.isolate.dispose();
  }
}

async function run({ code, runs, workers }) {
  const each = [];
  const start = performance.now();
  await Promise.all(Array.from({ length: workers }, async () => {
    while (each.length < runs) {
      const at = each.push(0) - 1;
      const begun = performance.now();
      await once(code);
      each[at] = performance.now() - begun;
    }
  }));
  return { total: performance.now() - start, each };
}

const waiting = [];

async function suspend({ code, suspend: n }) {
  for (let i = 0; i < n; i++) waiting.push(await begin(code));
  while (waiting.some((program) => program.printed() === "")) await new Promise(setImmediate);
  return { waiting: n };
}

(async () => {
  for await (const line of lines) {
    const request = JSON.parse(line);
    try {
      console.log(JSON.stringify(await (request.suspend ? suspend : run)(request)));
    } catch (error) {
      console.log(JSON.stringify({ error: String(error) }));
    }
  }
  process.exit(); // whatever waits
})();
