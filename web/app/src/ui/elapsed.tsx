import type { Row } from "../state/collection";
import { duration, elapsed } from "../format";
import { now } from "./clock";

/** Elapsed time without pauses; only what runs is painted again each second. */
export function Elapsed({ row }: { row: Row }) {
  const { record: p, at } = row;
  if (!p.startedAt) return <span class="quiet">–</span>;
  const runs = p.state !== "idle" && !p.paused;
  const ms = elapsed(p, at, runs ? now.value : at);
  return <span title={p.paused ? "Elapsed; it stands still while paused" : undefined}>{runs && ms >= 1000 ? duration(Math.floor(ms / 1000) * 1000).replace(".0", "") : duration(ms)}</span>;
}
