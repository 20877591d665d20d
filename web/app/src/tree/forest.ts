// The forest of processes, flattened to the rows that are shown.
import type { Row } from "../state/collection";

export interface Sums {
  count: number; // of processes, itself too
  active: number;
  failed: number;
  tokens: number;
  cpuMs: number;
}

export interface Node {
  row: Row;
  depth: number;
  position: number; // among its siblings, from 1
  siblings: number;
  children: number;
  open: boolean;
  sums: Sums;
}

/** The rows in their order: newest trees first, children in the order they were made. */
export function flatten(all: Map<number, Row>, closed: ReadonlySet<number>): Node[] {
  const below = childrenOf(all);
  const sums = total(all, below);
  const nodes: Node[] = [];
  const stack: { id: number; depth: number; position: number; siblings: number }[] = [];
  const push = (ids: number[], depth: number): void => {
    for (let i = ids.length - 1; i >= 0; i--) stack.push({ id: ids[i]!, depth, position: i + 1, siblings: ids.length });
  };
  push(below.get(0)?.toReversed() ?? [], 0);
  for (let top = stack.pop(); top; top = stack.pop()) {
    const children = below.get(top.id) ?? [];
    const open = children.length > 0 && !closed.has(top.id);
    nodes.push({ row: all.get(top.id)!, depth: top.depth, position: top.position, siblings: top.siblings, children: children.length, open, sums: sums.get(top.id)! });
    if (open) push(children, top.depth + 1);
  }
  return nodes;
}

// childrenOf has the ids below each process, oldest first; below 0 the roots. A
// parent's id is lower than its children's, so no circle can be.
function childrenOf(all: Map<number, Row>): Map<number, number[]> {
  const below = new Map<number, number[]>();
  for (const id of [...all.keys()].sort((a, b) => a - b)) {
    const parent = all.get(id)!.record.parent;
    const under = parent !== null && parent < id && all.has(parent) ? parent : 0;
    const siblings = below.get(under);
    if (siblings) siblings.push(id);
    else below.set(under, [id]);
  }
  return below;
}

// total adds up from the youngest: children come after their parents.
function total(all: Map<number, Row>, below: Map<number, number[]>): Map<number, Sums> {
  const sums = new Map<number, Sums>();
  for (const id of [...all.keys()].sort((a, b) => b - a)) {
    const p = all.get(id)!.record;
    const bad = p.state === "idle" && (p.exitState === "failed" || p.exitState === "timeout");
    const s: Sums = { count: 1, active: p.state === "idle" ? 0 : 1, failed: bad ? 1 : 0, tokens: p.usage.tokens, cpuMs: p.usage.cpuMs };
    for (const child of below.get(id) ?? []) add(s, sums.get(child)!);
    sums.set(id, s);
  }
  return sums;
}

function add(to: Sums, s: Sums): void {
  to.count += s.count;
  to.active += s.active;
  to.failed += s.failed;
  to.tokens += s.tokens;
  to.cpuMs += s.cpuMs;
}
