// The calls about processes.
import { ApiError, get, post, remove } from "./http";
import type { Overview, ProcessEvent, ProcessRecord, RunRecord, Survivor, Tree } from "./types";

export interface Filters {
  state?: string; // comma lists
  status?: string;
  environment?: string;
  tag?: string;
  text?: string;
  paused?: string;
  parent?: number;
}

export interface Page {
  processes: ProcessRecord[];
  nextCursor: string | null;
}

export const overview = (signal?: AbortSignal): Promise<Overview> => get("/overview", {}, signal);

export const list = (f: Filters, cursor?: string, limit = 200, signal?: AbortSignal): Promise<Page> =>
  get("/processes", { ...f, cursor, limit }, signal);

/** Those of the processes that the filters select. */
export async function byIds(ids: number[], f: Filters = {}, signal?: AbortSignal): Promise<ProcessRecord[]> {
  const all: ProcessRecord[] = [];
  for (let i = 0; i < ids.length; i += 500) {
    const part = ids.slice(i, i + 500);
    const page = await get<Page>("/processes", { ...f, ids: part.join(","), limit: part.length }, signal);
    all.push(...page.processes);
  }
  return all;
}

const path = (id: number, rest = ""): string => `/processes/${id}${rest}`;

export const one = (id: number, signal?: AbortSignal): Promise<ProcessRecord> => get(path(id), {}, signal);
export const tree = (id: number, signal?: AbortSignal): Promise<Tree> => get(path(id, "/tree"), {}, signal);
export const runs = async (id: number, signal?: AbortSignal): Promise<RunRecord[]> =>
  (await get<{ runs: RunRecord[] }>(path(id, "/runs"), {}, signal)).runs;

export interface Signaled {
  affected: number;
  process: ProcessRecord;
}

export const pause = (id: number, tree = true): Promise<Signaled> => post(path(id, "/signals/pause"), { tree });
export const resume = (id: number, tree = true): Promise<Signaled> => post(path(id, "/signals/resume"), { tree });
export const signal = (id: number, name: "term" | "int", tree = false): Promise<Signaled> => post(path(id, `/signals/${name}`), { tree });
export const run = (id: number, body: { force?: boolean; resume?: boolean } = {}): Promise<ProcessRecord> =>
  post(path(id, "/signals/run"), body);
export const destroy = (id: number): Promise<ProcessRecord> => remove(path(id));

export interface Ended {
  ended: number; // processes of the operating system, or of Reeve where there are none
  left: (Survivor & { process: number })[];
}

export interface KillOptions {
  now?: boolean;
  grace?: number;
  tree?: boolean;
}

/** Kills, waits until all are dead, and says what ended and what is left. */
export async function kill(ids: number[], o: KillOptions = {}): Promise<Ended> {
  const before = (await get<{ next: string }>("/events")).next || "0";
  const named = (await Promise.all(ids.map((id) => tree(id)))).filter((t) => t.state !== "idle");
  const active = new Set<number>();
  const note = (t: Tree): void => {
    if (t.state !== "idle") active.add(t.id);
    if (o.tree !== false) t.children.forEach(note);
  };
  named.forEach(note);
  await Promise.all(named.map((t) => post<ProcessRecord>(path(t.id, "/signals/kill"), { ...o, block: true }).catch(unlessOver)));
  return count(active, before);
}

// That it ended meanwhile is what was asked for.
function unlessOver(e: unknown): void {
  if (!(e instanceof ApiError && (e.code === "already_idle" || e.code === "not_found"))) throw e;
}

async function count(active: Set<number>, after: string): Promise<Ended> {
  const of = new Map<number, number>();
  for (let cursor = after; ; ) {
    const page = await get<{ events: ProcessEvent[]; next: string }>("/events", { kind: "cancelled", after: cursor, limit: 1000 });
    for (const e of page.events) of.set(e.process, Number(e.processes ?? 0));
    if (page.events.length === 0 || page.next === cursor) break;
    cursor = page.next;
  }
  const left = (await byIds([...active])).flatMap((r) => (r.outcome?.survivors ?? []).map((s) => ({ ...s, process: r.id })));
  let ended = -left.length;
  for (const id of active) ended += Math.max(1, of.get(id) ?? 0);
  return { ended: Math.max(0, ended), left };
}

export const proof = (e: Ended): string => `${e.ended} ${e.ended === 1 ? "process" : "processes"} ended, ${e.left.length} left`;
