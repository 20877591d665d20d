// Ending and deleting supervisors.
import { end as endAll, proof } from "../actions/ending";
import { endSupervisor, type Supervisor } from "../api/tools";
import { ask } from "../ui/ask";
import { attempt, complain, tell } from "../ui/toast";

/** Ends one with all below it, and proves it. */
export async function end(s: Supervisor): Promise<void> {
  if (!(await ask(`End ${s.name}?`, "Its processes are ended in the reverse of their order, each within its own time. It can be run again.", "End it"))) return;
  await attempt(async () => {
    const ended = await endAll([s.id], {}, () => {});
    for (const f of ended.failed) complain(f.error);
    if (ended.failed.length === 0) tell(proof(ended));
  });
}

/** Deletes one that has ended, with what is left of its processes. */
export async function destroy(s: Supervisor): Promise<void> {
  if (!(await ask(`Delete ${s.name}?`, "Its record, and those of the processes below it, are deleted with their output. This cannot be undone.", "Delete"))) return;
  await attempt(async () => {
    await endSupervisor(s.id);
    tell(`${s.name} was deleted.`);
  });
}
