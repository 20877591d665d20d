// The same for many processes: a few at a time, as a browser has few
// connections to one daemon, and others need some too.
import { ApiError, sentence } from "../api/http";
import { busy, complain, tell } from "../ui/toast";

const atOnce = 3;

export interface Failure {
  id: number;
  error: unknown;
}

export interface Results<T> {
  done: { id: number; result: T }[];
  failed: Failure[];
}

/** Does something for each, and says how far it is when they are many: in a note, or to who wants to know. */
export async function each<T>(ids: number[], doing: string, work: (id: number) => Promise<T>, say?: (text: string) => void): Promise<Results<T>> {
  const results: Results<T> = { done: [], failed: [] };
  const note = ids.length <= atOnce ? null : say ? { say, end: () => {} } : busy(doing);
  const waiting = [...ids];
  const worker = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        results.done.push({ id, result: await work(id) });
      } catch (error) {
        results.failed.push({ id, error });
      }
      note?.say(`${doing}: ${results.done.length + results.failed.length} of ${ids.length}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  note?.end();
  return results;
}

/** Tells in one note what became of all: "37 paused, 2 failed: …". */
export function report(done: string, failed: Failure[], undo?: () => void, about?: string): void {
  if (failed.length === 0) return tell(done, undo, about);
  const why = [...byReason(failed)].map(([reason, ids]) => `${ids.length === 1 ? "Process " : ""}${names(ids)}: ${reason}`).join(" ");
  if (!done) return complain(new Error(why));
  tell(`${done}, ${failed.length} failed. ${why}`, undo, about);
}

function byReason(failed: Failure[]): Map<string, number[]> {
  const reasons = new Map<string, number[]>();
  for (const { id, error } of failed) {
    const reason = because(id, error);
    reasons.set(reason, [...(reasons.get(reason) ?? []), id]);
  }
  return reasons;
}

function because(id: number, error: unknown): string {
  const scope = error instanceof ApiError && error.status === 403 ? /needs "(\w+)"/.exec(error.message)?.[1] : undefined;
  if (scope) return `Your token may not do that: it lacks the scope ${scope}. Log in with one that has it.`;
  return withStop(sentence(error).replace(new RegExp(`\\bprocess ${id}\\b`), "it"));
}

const withStop = (s: string): string => (/[.!?]$/.test(s) ? s : `${s}.`);

/** "12", "12, 13 and 14", "12, 13, 14 and 34 more". */
export function names(ids: number[]): string {
  const shown = ids.length > 4 ? ids.slice(0, 3).map(String) : ids.map(String);
  if (ids.length > 4) shown.push(`${ids.length - 3} more`);
  const last = shown.pop();
  return shown.length > 0 ? `${shown.join(", ")} and ${last}` : (last ?? "");
}

/** "12" or "37 processes". */
export const these = (ids: number[]): string => (ids.length === 1 ? `Process ${ids[0]}` : `${ids.length} processes`);
