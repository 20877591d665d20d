// Runs programs by isolated-vm, each in a fresh isolate, as fast as it can. It
// reads one JSON request a line and answers with one: how long each run took.
//
//   {"code": "…", "runs": 10, "workers": 2}  →  {"total": ms, "each": [ms, …]}
const ivm = require("isolated-vm");
const lines = require("readline").createInterface({ input: process.stdin });

// once is a fresh isolate, its context with a console, the program, its output.
async function once(code) {
  const isolate = new ivm.Isolate({ memoryLimit: 128 });
  try {
    const context = await isolate.createContext();
    let printed = "";
    await context.global.set("print", new ivm.Callback((line) => { printed += line + "\n"; }));
    const script = await isolate.compileScript(`const console = { log: (...a) => print(a.join(" ")) };\n(async () => {${code}\n})()`);
    await script.run(context, { promise: true });
    return printed;
  } finally {
    isolate.dispose();
  }
}

async function answer({ code, runs, workers }) {
  const each = [];
  const begin = performance.now();
  await Promise.all(Array.from({ length: workers }, async () => {
    while (each.length < runs) {
      const at = each.push(0) - 1;
      const start = performance.now();
      await once(code);
      each[at] = performance.now() - start;
    }
  }));
  return { total: performance.now() - begin, each };
}

(async () => {
  for await (const line of lines) console.log(JSON.stringify(await answer(JSON.parse(line))));
})();
