// Run again, or for the first time.
import { ApiError } from "../api/http";
import * as api from "../api/processes";
import { ask } from "../ui/ask";
import { each, names, report, these } from "./bulk";

/** Runs processes again; those with outputs only after a question. */
export async function rerun(ids: number[]): Promise<void> {
  const first = await each(ids, "Running", (id) => api.run(id));
  const old = first.failed.filter((f) => f.error instanceof ApiError && f.error.code === "has_outputs").map((f) => f.id);
  const failed = first.failed.filter((f) => !old.includes(f.id));
  let started = first.done.map((d) => d.id);
  if (old.length > 0 && (await agreed(old))) {
    const second = await each(old, "Running", (id) => api.run(id, { force: true }));
    started = started.concat(second.done.map((d) => d.id));
    failed.push(...second.failed);
  }
  if (started.length + failed.length > 0) report(started.length > 0 ? `${these(started)} started` : "", failed);
}

function agreed(ids: number[]): Promise<boolean> {
  const text =
    ids.length === 1
      ? `Process ${ids[0]} has run before. What it gave then is kept as an earlier run.`
      : `${ids.length} processes have run before (${names(ids)}). What they gave then is kept as earlier runs.`;
  return ask(ids.length === 1 ? `Run ${ids[0]} again?` : `Run ${ids.length} processes again?`, text, "Run again", false);
}

/** Has agents go on from the last step they finished. */
export async function resumeAgent(ids: number[]): Promise<void> {
  const results = await each(ids, "Going on", (id) => api.run(id, { resume: true }));
  const going = results.done.map((d) => d.id);
  report(going.length > 0 ? `${these(going)} ${going.length === 1 ? "goes" : "go"} on from the last finished step` : "", results.failed);
}
