// A kill with proof: it is over when everything that was named, and all below,
// has been seen to be dead.
import { ApiError, get } from "../api/http";
import { byIds, kill, tree, type KillOptions } from "../api/processes";
import type { ProcessEvent, ProcessRecord, Survivor, Tree } from "../api/types";
import { plural } from "../format";
import { subscribe } from "../state/feed";
import { each, type Failure } from "./bulk";

export interface Ended {
  ended: number; // processes of the operating system, or of Reeve where there are none
  left: (Survivor & { process: number })[];
  failed: Failure[];
}

export const proof = (e: Ended): string => `${e.ended} ${e.ended === 1 ? "process" : "processes"} ended, ${e.left.length} left`;

/** Kills, waits until all are dead, and says what ended and what is left. */
export async function end(ids: number[], o: KillOptions, say: (text: string) => void): Promise<Ended> {
  const before = (await get<{ next: string }>("/events")).next || "0";
  const looked = await each(ids, "Looking", (id) => tree(id), say);
  const named = looked.done.map((d) => d.result).filter((t) => t.state !== "idle");
  const killed = await each(named.map((t) => t.id), "Killing", (id) => kill(id, o).catch(unlessOver), say);
  const refused = new Set(killed.failed.map((f) => f.id));
  const active = new Map<number, number>();
  for (const t of named) if (!refused.has(t.id)) note(t, o.tree !== false, active);
  await allOver(new Map(active), say);
  return { ...(await count([...active.keys()], before)), failed: [...looked.failed, ...killed.failed] };
}

// note remembers which run of which process has to end.
function note(t: Tree, below: boolean, active: Map<number, number>): void {
  if (t.state !== "idle") active.set(t.id, t.run);
  if (below) for (const child of t.children) note(child, below, active);
}

// That it ended meanwhile is what was asked for.
function unlessOver(e: unknown): void {
  if (!(e instanceof ApiError && (e.code === "already_idle" || e.code === "not_found"))) throw e;
}

async function allOver(left: Map<number, number>, say: (text: string) => void): Promise<void> {
  const changes = new Changes();
  try {
    while (left.size > 0) {
      const now = new Map((await byIds([...left.keys()])).map((p) => [p.id, p]));
      for (const [id, run] of left) if (over(now.get(id), run)) left.delete(id);
      say(`Killing: ${plural(left.size, "process is", "processes are")} not over yet`);
      if (left.size > 0) await changes.next();
    }
  } finally {
    changes.close();
  }
}

const over = (p: ProcessRecord | undefined, run: number): boolean => !p || p.state === "idle" || p.run > run;

/** The next time something ended: an event says so, or a second has passed. */
class Changes {
  private wake: (() => void) | null = null;
  private missed = false;
  readonly close = subscribe({
    events: (events) => events.some((e) => e.kind === "finalized") && this.fire(),
    reload: () => this.fire(),
  });

  private fire(): void {
    if (this.wake) this.wake();
    else this.missed = true;
  }

  async next(): Promise<void> {
    if (!this.missed) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        setTimeout(resolve, 1000);
      });
    }
    this.wake = null;
    this.missed = false;
  }
}

async function count(active: number[], after: string): Promise<Omit<Ended, "failed">> {
  const of = new Map<number, number>();
  for (let cursor = after; ; ) {
    const page = await get<{ events: ProcessEvent[]; next: string }>("/events", { kind: "cancelled", after: cursor, limit: 1000 });
    for (const e of page.events) of.set(e.process, Number(e.processes ?? 0));
    if (page.events.length === 0 || page.next === cursor) break;
    cursor = page.next;
  }
  const left = (await byIds(active)).flatMap((r) => (r.outcome?.survivors ?? []).map((s) => ({ ...s, process: r.id })));
  let ended = -left.length;
  for (const id of active) ended += Math.max(1, of.get(id) ?? 0);
  return { ended: Math.max(0, ended), left };
}
