// The forest of processes, live.
import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { hidden, useActionKeys } from "../actions";
import { useKeys } from "../keys";
import { BulkBar } from "../list/bulkbar";
import { Cursor, useCursorKeys } from "../list/cursor";
import { FilterBar } from "../list/filterbar";
import { clear, filters, set } from "../list/filters";
import { route } from "../router";
import { Collection } from "../state/collection";
import { Titles } from "../state/titles";
import { phone } from "../ui/media";
import { Virtual } from "../ui/virtual";
import { Ancestors } from "./ancestors";
import { flatten, type Node } from "./forest";
import { Head, TreeNote } from "./head";
import { TreeRow } from "./row";

const collection = new Collection();
const ancestors = new Ancestors(collection);
const titles = [new Titles(collection), new Titles(ancestors)];
const cursor = new Cursor();
const closed = signal<ReadonlySet<number>>(new Set());

const record = (id: number) => (hidden.value.has(id) ? undefined : ancestors.get(id)?.record);
const active = "queued,running,terminating";

export function TreePage() {
  const all = route.value.query.get("all") === "1";
  const f = { ...filters(), ...(all ? {} : { state: active }) };
  const key = JSON.stringify(f);
  useEffect(() => collection.open(f), [key]);
  useEffect(() => ancestors.open(), []);
  const nodes = useNodes();
  const ids = useMemo(() => nodes.map((n) => n.row.record.id), [nodes]);
  const places = useMemo(() => new Map(ids.map((id, i) => [id, i])), [ids]);
  const indexOf = useMemo(() => (id: number) => places.get(id) ?? -1, [places]);
  const keyOf = useMemo(() => (i: number) => ids[i], [ids]);
  const at = cursor.at.value;
  useTreeKeys(nodes, indexOf, all);
  useCursorKeys(cursor, ids);
  // The cursor may be on one that was folded away: nothing is done to what is not shown.
  const target = () => cursor.target((id) => (cursor.selected.value.has(id) || places.has(id) ? record(id) : undefined));
  useActionKeys(target, () => cursor.leave(ids, hidden.value));
  return (
    <>
      <div class="tree-top">
        <h1>Tree</h1>
        <div class="toggle" role="group" aria-label="What is shown">
          <button type="button" aria-pressed={!all} title="Only active ones (a)" onClick={() => set("all", "")}>
            Active
          </button>
          <button type="button" aria-pressed={all} title="All (a)" onClick={() => set("all", "1")}>
            All
          </button>
        </div>
        <FilterBar filters={filters()} only={["environment", "tag", "text"]} />
      </div>
      <BulkBar cursor={cursor} all={cursor.target(record)} />
      <div class="list tree">
        <Virtual
          count={nodes.length}
          rowHeight={phone.value ? 54 : 30}
          headerHeight={phone.value ? 0 : 32}
          role="treegrid"
          label="Tree of processes"
          multiple
          header={<Head />}
          active={at !== null && places.has(at) ? `row-${at}` : undefined}
          reveal={at === null ? undefined : indexOf(at)}
          revealKey={at}
          resetKey={key}
          keyOf={keyOf}
          indexOf={indexOf}
          onEnd={() => collection.older()}
          onSeen={(first, last) => {
            collection.seen = ids.slice(first, last);
            for (const t of titles) t.want(collection.seen);
          }}
          row={(i) => <TreeRow key={ids[i]} node={nodes[i]!} index={i} cursor={cursor} extend={(to) => cursor.extend(ids, to)} toggle={toggle} />}
        />
      </div>
      <TreeNote collection={collection} shown={nodes.length} all={all} />
    </>
  );
}

function useNodes(): Node[] {
  const version = collection.version.value;
  const above = ancestors.version.value;
  const gone = hidden.value;
  const shut = closed.value;
  return useMemo(() => {
    ancestors.need();
    const rows = new Map([...ancestors.rows, ...collection.rows]);
    for (const id of gone) rows.delete(id);
    return flatten(rows, shut);
  }, [version, above, gone, shut]);
}

function toggle(id: number): void {
  const all = new Set(closed.value);
  if (!all.delete(id)) all.add(id);
  closed.value = all;
}

// Arrows to the sides, as in every tree: right opens, then goes in; left closes,
// then goes out.
function useTreeKeys(nodes: Node[], indexOf: (id: number) => number, all: boolean): void {
  const here = (): { node: Node; index: number } | null => {
    const index = cursor.at.value === null ? -1 : indexOf(cursor.at.value);
    return index < 0 ? null : { node: nodes[index]!, index };
  };
  const right = (): void => {
    const h = here();
    if (!h || h.node.children === 0) return;
    if (!h.node.open) toggle(h.node.row.record.id);
    else cursor.at.value = nodes[h.index + 1]!.row.record.id;
  };
  const left = (): void => {
    const h = here();
    if (!h) return;
    const { id, parent } = h.node.row.record;
    if (h.node.open) toggle(id);
    else if (parent !== null && indexOf(parent) >= 0) cursor.at.value = parent;
  };
  const group = "Tree";
  useKeys([
    { keys: ["ArrowRight"], label: "Expand, then go in", group, run: right },
    { keys: ["ArrowLeft"], label: "Collapse, then go out", group, run: left },
    { keys: ["+"], label: "Expand all", group, run: () => (closed.value = new Set()) },
    { keys: ["-"], label: "Collapse all", group, run: () => (closed.value = new Set(nodes.filter((n) => n.children > 0).map((n) => n.row.record.id))) },
    { keys: ["a"], label: "Only active ones, or all", group, run: () => set("all", all ? "" : "1") },
    { keys: ["Escape"], label: "Clear the selection, then the filters", group, run: () => (cursor.selected.value.size > 0 ? cursor.clear() : clear()) },
  ]);
}
