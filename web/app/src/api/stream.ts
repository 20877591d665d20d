// An event stream that outlives its connections: it goes on after the last
// number it has passed on, so nothing is lost and nothing comes twice.
import { type Message, MessageParser } from "./sse";
import type { ProcessEvent } from "./types";

export type Link = "connecting" | "live" | "away" | "ended" | "refused";

export interface StreamOptions {
  path: string; // with its filters
  after: string; // the number to go on after; "0" is the beginning
  headers: Record<string, string>;
  over?: () => Promise<boolean>; // asked when the daemon has closed it; absent: it has no end
  onEvents: (events: ProcessEvent[]) => void;
  onLink: (link: Link, status: number) => void;
}

// The daemon says something at least every 15 s.
const silence = 40_000;
const pauses = [250, 500, 1000, 2000, 3000];

/** Follows a stream until the signal is aborted, or it has ended. */
export async function follow(o: StreamOptions, signal: AbortSignal): Promise<void> {
  const at = { position: o.after };
  for (let failures = 0; !signal.aborted; ) {
    o.onLink("connecting", 0);
    const result = await connection(o, at, signal).catch((): Result => ({ end: "broken", moved: false }));
    if (signal.aborted) return;
    if (result.end === "refused") return o.onLink("refused", result.status ?? 0);
    if (result.end === "lagged") continue; // what was missed is stored: fetch it
    if (result.end === "closed" && (await over(o, result))) return o.onLink("ended", 200);
    if (result.moved) failures = 0;
    if (result.end === "closed" && result.moved) continue;
    o.onLink("away", 0);
    await sleep(pauses[Math.min(failures++, pauses.length - 1)]!, signal);
  }
}

interface Result {
  end: "broken" | "closed" | "lagged" | "refused";
  moved: boolean; // something came
  last?: string; // the kind of the last event
  status?: number;
}

// A stream ends with the last event of a run. One that a stopping daemon closed
// is asked again, and is over if nothing more comes.
async function over(o: StreamOptions, result: Result): Promise<boolean> {
  if (!o.over) return false;
  if (result.last === "finalized") return true;
  return !result.moved && (await o.over().catch(() => false));
}

// A proxy or a stopping daemon answers these; the next attempt may be luckier.
const passing = [429, 500, 502, 503, 504];

async function connection(o: StreamOptions, at: { position: string }, signal: AbortSignal): Promise<Result> {
  const result: Result = { end: "broken", moved: false };
  const quiet = new AbortController();
  let timer = setTimeout(() => quiet.abort(), silence);
  try {
    const separator = o.path.includes("?") ? "&" : "?";
    const answer = await fetch(`${o.path}${separator}after=${at.position}`, {
      headers: { Accept: "text/event-stream", ...o.headers },
      signal: AbortSignal.any([signal, quiet.signal]),
    });
    if (passing.includes(answer.status)) return result;
    if (answer.status === 204) return { ...result, end: "closed" };
    if (!answer.ok || !answer.body) return { ...result, end: "refused", status: answer.status };
    o.onLink("live", answer.status);
    const parser = new MessageParser();
    const reader = answer.body.getReader();
    while (result.end !== "lagged") {
      const { done, value } = await reader.read();
      if (done) return { ...result, end: "closed" };
      clearTimeout(timer);
      timer = setTimeout(() => quiet.abort(), silence);
      const events = take(parser.push(value), at, result);
      if (events.length > 0) o.onEvents(events);
    }
    return result;
  } finally {
    clearTimeout(timer);
    quiet.abort();
  }
}

// take decodes the messages that are new, up to a notice that some were missed.
function take(messages: Message[], at: { position: string }, result: Result): ProcessEvent[] {
  const events: ProcessEvent[] = [];
  for (const { id, data } of messages) {
    if (id && Number(id) <= Number(at.position)) continue;
    const event = JSON.parse(data) as ProcessEvent;
    if (event.kind === "lagged") {
      if (!result.moved) continue; // nothing to go back to
      result.end = "lagged";
      break;
    }
    events.push(event);
    if (!id) continue; // live only
    at.position = id;
    result.last = event.kind;
    result.moved = true;
  }
  return events;
}

export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
    function done(): void {
      clearTimeout(timer);
      resolve();
    }
  });
}
