// The calls about processes.
import { get, post, remove } from "./http";
import type { Overview, ProcessRecord, RunRecord, Tree } from "./types";

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

export interface KillOptions {
  now?: boolean;
  grace?: number;
  tree?: boolean;
}

/** Asks for the end, and does not wait for it. */
export const kill = (id: number, o: KillOptions = {}): Promise<ProcessRecord> => post(path(id, "/signals/kill"), o);
