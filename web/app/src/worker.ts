// The worker: it holds the output of the process that is looked at, and compares
// runs, so that the page stays free however much there is.
import { compare } from "./process/runs/compare";
import { Engine } from "./process/output/engine/engine";
import type { FromWorker, ToWorker } from "./process/output/protocol";

const say = (message: FromWorker): void => postMessage(message);

let engine: Engine | null = null;

addEventListener("message", (e: MessageEvent<ToWorker>) => {
  const m = e.data;
  if (m.kind === "open") {
    engine?.close();
    engine = new Engine(m.path, m.headers, say);
    void engine.open(m.run, m.shown);
  } else if (m.kind === "diff") {
    say({ kind: "diff", ticket: m.ticket, parts: compare(m.a, m.b) });
  } else {
    void engine?.handle(m);
  }
});
