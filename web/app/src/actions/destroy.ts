// Delete. It is done only when its undo is no longer offered, or the page is
// left: until then the processes are just not shown.
import { signal } from "@preact/signals";
import { authorization } from "../api/session";
import * as api from "../api/processes";
import { regret, tell } from "../ui/toast";
import { each, report, these } from "./bulk";

/** The processes that are deleted, or about to be: nobody shows them. */
export const hidden = signal<ReadonlySet<number>>(new Set());

const hide = (ids: number[]): void => void (hidden.value = new Set([...hidden.value, ...ids]));
const show = (ids: number[]): void => void (hidden.value = new Set([...hidden.value].filter((id) => !ids.includes(id))));

// Those whose deletion was not yet asked for.
const pending = new Set<number>();

/** Deletes processes that are idle; the others stay, and it says so. It returns how many go. */
export async function destroy(ids: number[]): Promise<number> {
  const busy = (await api.byIds(ids)).filter((p) => p.state !== "idle").map((p) => p.id);
  const idle = ids.filter((id) => !busy.includes(id));
  if (busy.length > 0) report("", busy.map((id) => ({ id, error: new Error("It is active. Kill it first, then delete it.") })));
  if (idle.length === 0) return 0;
  for (const id of idle) pending.add(id);
  hide(idle);
  const timer = setTimeout(() => void carryOut(idle), regret);
  tell(`${these(idle)} deleted`, () => {
    clearTimeout(timer);
    for (const id of idle) pending.delete(id);
    show(idle);
  });
  return idle.length;
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
