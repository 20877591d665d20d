// The forest of processes, flattened to the rows that are shown.
import type { ProcessRecord } from "../api/types";
import type { Row } from "../state/collection";

/** What is below a process, added up. */
export interface Sums {
  count: number;
  active: number;
  failed: number;
  tokens: number;
  cpuMs: number;
}

const none: Sums = { count: 0, active: 0, failed: 0, tokens: 0, cpuMs: 0 };

export interface Node {
  row: Row;
  depth: number;
  position: number; // among its siblings, from 1
  siblings: number;
  children: number;
  open: boolean;
  below: Sums;
}

/** The rows in their order: newest trees first, children in the order they were made. */
export function flatten(all: Map<number, Row>, closed: ReadonlySet<number>): Node[] {
  const ids = [...all.keys()].sort((a, b) => a - b);
  const below = childrenOf(ids, all);
  const sums = total(ids, all);
  const nodes: Node[] = [];
  const stack: { id: number; depth: number; position: number; siblings: number }[] = [];
  const push = (ids: number[], depth: number): void => {
    for (let i = ids.length - 1; i >= 0; i--) stack.push({ id: ids[i]!, depth, position: i + 1, siblings: ids.length });
  };
  push(below.get(0)?.toReversed() ?? [], 0);
  for (let top = stack.pop(); top; top = stack.pop()) {
    const row = all.get(top.id)!;
    const children = below.get(top.id);
    const open = children !== undefined && !closed.has(top.id);
    nodes.push({ row, depth: top.depth, position: top.position, siblings: top.siblings, children: children?.length ?? 0, open, below: sums.get(top.id) ?? none });
    if (open) push(children, top.depth + 1);
  }
  return nodes;
}

// Under which one a process is shown; 0 is none. A parent's id is lower than its
// children's, so no circle can be.
function parentOf(id: number, all: Map<number, Row>): number {
  const parent = all.get(id)!.record.parent;
  return parent !== null && parent < id && all.has(parent) ? parent : 0;
}

// childrenOf has the ids below each process, oldest first; below 0 the roots.
function childrenOf(ids: number[], all: Map<number, Row>): Map<number, number[]> {
  const below = new Map<number, number[]>();
  for (const id of ids) {
    const parent = parentOf(id, all);
    const siblings = below.get(parent);
    if (siblings) siblings.push(id);
    else below.set(parent, [id]);
  }
  return below;
}

// total adds up from the youngest: children come after their parents.
function total(ids: number[], all: Map<number, Row>): Map<number, Sums> {
  const sums = new Map<number, Sums>();
  for (const id of ids.toReversed()) {
    const parent = parentOf(id, all);
    if (parent === 0) continue;
    let s = sums.get(parent);
    if (!s) sums.set(parent, (s = { ...none }));
    add(s, all.get(id)!.record, sums.get(id) ?? none);
  }
  return sums;
}

function add(to: Sums, p: ProcessRecord, below: Sums): void {
  to.count += 1 + below.count;
  to.active += (p.state === "idle" ? 0 : 1) + below.active;
  to.failed += (p.exitState === "failed" || p.exitState === "timeout" ? 1 : 0) + below.failed;
  to.tokens += p.usage.tokens + below.tokens;
  to.cpuMs += p.usage.cpuMs + below.cpuMs;
}
