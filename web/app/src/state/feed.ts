// The one stream of what happens to all processes. Views subscribe to it; an
// event tells them which record to fetch again. Output lines are left out.
import { signal } from "@preact/signals";
import { overview as fetchOverview } from "../api/processes";
import { authorization, loginNeeded } from "../api/session";
import { Deletions } from "./deletions";
import { follow, sleep, type Link } from "../api/stream";
import { ApiError, get } from "../api/http";
import type { Overview, ProcessEvent } from "../api/types";

/** How the stream is. While a tab is hidden it has none: browsers allow few. */
export const link = signal<Link | "hidden">("connecting");

/** Counts and activity, kept fresh while things happen. */
export const overview = signal<Overview | null>(null);

export interface Subscriber {
  events: (events: ProcessEvent[]) => void;
  reload: () => void; // what was shown may be old: fetch it anew
  vanished?: () => void; // something was deleted: see what is still there
}

const subscribers = new Set<Subscriber>();

export function subscribe(s: Subscriber): () => void {
  subscribers.add(s);
  return () => subscribers.delete(s);
}

const quiet = "output_appended,output_elided,output_merged,reaped,label_updated";

let position = "";
let stop: AbortController | null = null;

/** Starts the stream, or starts it again, as after a login. */
export function start(): void {
  stop?.abort();
  stop = new AbortController();
  void run(stop.signal);
}

export function hide(hidden: boolean): void {
  if (hidden) {
    stop?.abort();
    stop = null;
    link.value = "hidden";
  } else if (!stop) {
    start();
  }
}

async function run(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    let fresh = position === ""; // the place is one that this daemon has just told
    if (!(await begin(signal))) return;
    let refused = false;
    await follow(
      {
        path: `/events?except=${quiet}`,
        after: position,
        headers: authorization(),
        onEvents: passOn,
        onLink: (l, status) => {
          if (signal.aborted) return;
          refused = l === "refused";
          if (l === "live") {
            if (!fresh) void sameData(position);
            fresh = false;
          }
          if (status === 401) loginNeeded.value ||= "This daemon wants a token.";
          link.value = l;
        },
      },
      signal,
    );
    if (!refused || loginNeeded.value) return;
    position = ""; // not a number of this daemon, perhaps: begin anew
    await sleep(1000, signal);
  }
}

// A place beyond the last one is none of this daemon's: it has other data now,
// and nothing that is shown is true any more.
async function sameData(at: string): Promise<void> {
  const { next } = await get<{ next: string }>("/events", { after: at, limit: 1 }).catch(() => ({ next: at }));
  if (Number(next) < Number(at)) location.reload();
}

// begin finds the place to start from. A daemon that is away is waited for.
async function begin(signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted && position === "") {
    try {
      const now = await fetchOverview(signal);
      deletions = new Deletions();
      count(now);
      position = now.cursor || "0";
      for (const s of subscribers) s.reload();
    } catch (e) {
      if (signal.aborted) return false;
      if (e instanceof ApiError && e.status === 401) return false;
      link.value = "away";
      await sleep(1000, signal);
    }
  }
  return !signal.aborted;
}

function passOn(events: ProcessEvent[]): void {
  for (const e of events) if (e.cursor) position = e.cursor;
  deletions.note(events);
  for (const s of subscribers) s.events(events);
  freshen();
}

// Counts are fetched a second after something happened, and from time to time:
// minutes pass, and deletions are not told.
const soon = 1_000;
const seldom = 5_000;
let freshening = false;
let deletions = new Deletions();

function count(now: Overview): void {
  overview.value = now;
  if (deletions.found(now)) for (const s of subscribers) s.vanished?.();
}

function freshen(): void {
  if (freshening) return;
  freshening = true;
  setTimeout(async () => {
    try {
      count(await fetchOverview());
    } catch {
      // the stream says that the daemon is away
    } finally {
      freshening = false;
    }
  }, soon);
}

setInterval(() => {
  if (stop && link.value === "live") freshen();
}, seldom);
