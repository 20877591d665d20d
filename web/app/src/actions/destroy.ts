// Delete. It is done only when its undo is no longer offered, or the page is
// left: until then the processes are just not shown.
import { signal } from "@preact/signals";
import { authorization } from "../api/session";
import * as api from "../api/processes";
import { ask } from "../ui/ask";
import { complain, regret, tell } from "../ui/toast";
import { each, names, report, these } from "./bulk";

/** The processes that are deleted, or about to be: nobody shows them. */
export const hidden = signal<ReadonlySet<number>>(new Set());

const hide = (ids: number[]): void => void (hidden.value = new Set([...hidden.value, ...ids]));
const show = (ids: number[]): void => void (hidden.value = new Set([...hidden.value].filter((id) => !ids.includes(id))));

// Those whose deletion was not yet asked for.
const pending = new Set<number>();

/** Deletes processes that are idle; the others stay, and it says so. It returns how many go. */
export async function destroy(ids: number[]): Promise<number> {
  const records = await api.byIds(ids).catch(complain);
  if (!records) return 0;
  const busy = records.filter((p) => p.state !== "idle").map((p) => p.id);
  const idle = ids.filter((id) => !busy.includes(id));
  if (busy.length > 0) report("", busy.map((id) => ({ id, error: new Error("It is active. Kill it first, then delete it.") })));
  if (idle.length === 0) return 0;
  if (idle.length > most) return atOnce(idle);
  for (const id of idle) pending.add(id);
  hide(idle);
  const timer = setTimeout(() => void carryOut(idle), regret);
  // By their names: a note takes the place of one that says the same, and its undo.
  tell(idle.length === 1 ? `${these(idle)} deleted` : `${these(idle)} deleted: ${names(idle)}`, () => {
    clearTimeout(timer);
    for (const id of idle) pending.delete(id);
    show(idle);
  });
  return idle.length;
}

// Of more than this a browser drops some when the page is left: it would have
// said that they are deleted, and they would not be.
const most = 100;

async function atOnce(ids: number[]): Promise<number> {
  if (!(await ask(`Delete ${ids.length} processes?`, `They are deleted at once: an undo is there for up to ${most}.`, "Delete"))) return 0;
  hide(ids);
  const { done, failed } = await each(ids, "Deleting", (id) => api.destroy(id));
  show(failed.map((f) => f.id));
  report(done.length > 0 ? `${these(done.map((d) => d.id))} deleted` : "", failed);
  return done.length;
}

async function carryOut(ids: number[]): Promise<void> {
  const now = ids.filter((id) => pending.delete(id));
  const { failed } = await each(now, "Deleting", (id) => api.destroy(id));
  if (failed.length === 0) return;
  show(failed.map((f) => f.id));
  report("", failed);
}

// These requests outlive the page that is left.
addEventListener("pagehide", () => {
  for (const id of pending) void fetch(`/processes/${id}`, { method: "DELETE", headers: authorization(), keepalive: true });
  pending.clear();
});
