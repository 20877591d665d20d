// The difference between two texts, by lines.
import { diffArrays } from "diff";
import type { DiffPart } from "../output/protocol";

const patience = 5000; // ms
const mostEdits = 20_000;

/** What became of a when b was made; null if they differ too much to say. */
export function compare(a: string, b: string): DiffPart[] | null {
  const changes = diffArrays(lines(a), lines(b), { timeout: patience, maxEditLength: mostEdits });
  if (!changes) return null;
  return changes.map((c) => ({ kind: c.added ? "added" : c.removed ? "removed" : "same", lines: c.value }));
}

function lines(text: string): string[] {
  const all = text.split(/\r\n|\r|\n/);
  if (all.at(-1) === "") all.pop();
  return all;
}
