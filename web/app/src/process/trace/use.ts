// The kernel calls of a process, as they are made. They are not kept anywhere:
// who was not there has missed them.
import { useEffect, useState } from "preact/hooks";
import { send, sentence } from "../../api/http";
import { MessageParser } from "../../api/sse";
import { sleep } from "../../api/stream";

export interface Call {
  number: number; // in this view
  at: string;
  call: string;
  args: Record<string, unknown>;
  durationMs: number;
  error: string | null;
  dropped: number;
}

export interface Calls {
  calls: Call[]; // the newest ones
  problem: string;
}

const held = 5000;
const redraw = 200; // ms between two drawings

/** Follows the calls of a run to its end, while the tab is seen. */
export function useCalls(id: number, run: number, active: boolean): Calls {
  const [seen, setSeen] = useState<Calls>({ calls: [], problem: "" });
  const [hidden, setHidden] = useState(document.hidden);
  useEffect(() => {
    const change = (): void => setHidden(document.hidden);
    document.addEventListener("visibilitychange", change);
    return () => document.removeEventListener("visibilitychange", change);
  }, []);
  useEffect(() => {
    if (!active || hidden) return;
    const stop = new AbortController();
    let fresh: Call[] = [];
    const draw = setInterval(() => {
      if (fresh.length === 0) return;
      const more = fresh;
      fresh = [];
      setSeen((old) => ({ calls: numbered(old.calls, more), problem: "" }));
    }, redraw);
    void follow(id, stop.signal, (c) => fresh.push(c), (problem) => setSeen((old) => ({ ...old, problem })));
    return () => {
      stop.abort();
      clearInterval(draw);
    };
  }, [id, run, hidden]); // not by active: the last calls come when the record says that it is over
  return seen;
}

function numbered(old: Call[], more: Call[]): Call[] {
  let next = (old.at(-1)?.number ?? 0) + 1;
  return [...old, ...more.map((c) => ({ ...c, number: next++ }))].slice(-held);
}

// follow reads the stream to its end; one that breaks off is asked for again.
async function follow(id: number, signal: AbortSignal, add: (c: Call) => void, fail: (why: string) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      const answer = await send("GET", `/processes/${id}/trace`, { headers: { Accept: "text/event-stream" }, signal });
      fail("");
      const parser = new MessageParser();
      const reader = answer.body!.getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        for (const m of parser.push(part.value)) add(JSON.parse(m.data) as Call);
      }
      return; // the run is over
    } catch (e) {
      if (signal.aborted) return;
      fail(sentence(e));
    }
    await sleep(2000, signal);
  }
}
