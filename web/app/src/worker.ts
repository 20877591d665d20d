// The worker: it follows the output of a process and cuts it into batches, so
// that the page stays free however fast lines come.
import { follow } from "./api/stream";
import type { Incoming, Line, Outgoing } from "./process/output/protocol";
import type { ProcessEvent } from "./api/types";

let stop: AbortController | null = null;

const say = (message: Outgoing): void => postMessage(message);

addEventListener("message", (e: MessageEvent<Incoming>) => {
  stop?.abort();
  if (e.data.kind !== "follow") return;
  stop = new AbortController();
  const { path, after, headers } = e.data;
  void follow(
    {
      path: `${path}/events?kind=output_appended,output_elided,process_started`,
      after,
      headers,
      over: async () => ((await (await fetch(path, { headers })).json()) as { state: string }).state === "idle",
      onEvents: (events) => say({ kind: "lines", lines: events.map(line) }),
      onLink: (link) => say({ kind: "link", link }),
    },
    stop.signal,
  );
});

function line(e: ProcessEvent): Line {
  return { seq: e.seq ?? 0, run: e.run, stream: String(e.stream ?? ""), text: String(e.line ?? ""), partial: e.partial === true };
}
