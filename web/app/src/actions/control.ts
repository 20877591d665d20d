// Pause, resume, signals: what a program goes on after.
import * as api from "../api/processes";
import { each, report, these, type Results } from "./bulk";

/** Pauses processes with all below them. */
export async function pause(ids: number[]): Promise<void> {
  const results = await each(ids, "Pausing", (id) => api.pause(id));
  const paused = results.done.map((d) => d.id);
  report(said(results, "paused"), results.failed, paused.length > 0 ? () => void resume(paused) : undefined, still(paused));
}

/** Lets paused processes go on, with all below them. */
export async function resume(ids: number[]): Promise<void> {
  const results = await each(ids, "Resuming", (id) => api.resume(id));
  const resumed = results.done.map((d) => d.id);
  report(said(results, "resumed"), results.failed, resumed.length > 0 ? () => void pause(resumed) : undefined, still(resumed));
}

// Of pausing and resuming the same ones only the last can be undone.
const still = (ids: number[]): string => `pause ${ids.toSorted((a, b) => a - b).join()}`;

/** Sends SIGTERM or SIGINT, which leave the verdict to the program. */
export async function signal(ids: number[], name: "term" | "int"): Promise<void> {
  const results = await each(ids, "Signaling", (id) => api.signal(id, name));
  report(said(results, `got SIG${name.toUpperCase()}`), results.failed);
}

function said(results: Results<api.Signaled>, what: string): string {
  const ids = results.done.map((d) => d.id);
  if (ids.length === 0) return "";
  const below = results.done.reduce((n, d) => n + Math.max(0, d.result.affected - 1), 0);
  return `${these(ids)} ${what}${below > 0 ? `, and ${below} below` : ""}`;
}
