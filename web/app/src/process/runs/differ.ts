// Comparing in a worker of its own, so that the page stays free.
import type { DiffPart, FromWorker } from "../output/protocol";

declare const WORKER: string; // where the built worker is

/** What became of a in b; null: they differ too much. */
export function diff(a: string, b: string, signal: AbortSignal): Promise<DiffPart[] | null> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(WORKER, { type: "module" });
    const end = (): void => worker.terminate();
    signal.addEventListener("abort", () => (end(), reject(new Error("Nobody waits for it."))), { once: true });
    worker.onerror = (e) => (end(), reject(new Error(e.message)));
    worker.onmessage = (e: MessageEvent<FromWorker>) => {
      if (e.data.kind !== "diff") return;
      end();
      resolve(e.data.parts);
    };
    worker.postMessage({ kind: "diff", ticket: 0, a, b });
  });
}
