// What can be done to all selected processes.
import { destroy, kill, pause, rerun, resume } from "../actions";
import type { ProcessRecord } from "../api/types";
import { plural } from "../format";
import type { Cursor } from "./cursor";

export function BulkBar({ cursor, all }: { cursor: Cursor; all: ProcessRecord[] }) {
  if (cursor.selected.value.size === 0) return null;
  const those = (which: (p: ProcessRecord) => boolean): number[] => all.filter(which).map((p) => p.id);
  const running = those((p) => p.state === "running" && !p.paused);
  const paused = those((p) => p.paused);
  const active = those((p) => p.state !== "idle");
  const idle = those((p) => p.state === "idle");
  const button = (name: string, ids: number[], act: (ids: number[]) => unknown, kind = "") => (
    <button type="button" class={kind} disabled={ids.length === 0} onClick={() => void act(ids)}>
      {name} {ids.length > 0 && <span class="quiet-count">{ids.length}</span>}
    </button>
  );
  return (
    <div class="bulk" role="group" aria-label="Selected processes">
      <strong>{plural(all.length, "process", "processes")} selected</strong>
      {button("Pause", running, pause)}
      {button("Resume", paused, resume)}
      {button("Run again", idle, rerun)}
      {button("Delete", idle, (ids) => destroy(ids).then((n) => n > 0 && cursor.clear()))}
      {button("Kill", active, (ids) => kill(ids), "danger")}
      <button type="button" class="plain" onClick={() => cursor.clear()}>
        Clear
      </button>
    </div>
  );
}
