// A process as a row of the tree.
import { count, duration, plural, title } from "../format";
import { address, opening, Pick } from "../list/row";
import type { Cursor } from "../list/cursor";
import { Badge } from "../ui/badge";
import { Elapsed } from "../ui/elapsed";
import { Meter } from "../ui/meter";
import type { Node } from "./forest";

interface Props {
  node: Node;
  index: number;
  cursor: Cursor;
  extend: (to: number) => void;
  toggle: (id: number) => void;
}

const deepest = 12; // levels that are indented

export function TreeRow({ node: n, index, cursor, extend, toggle }: Props) {
  const p = n.row.record;
  const selected = cursor.selected.value.has(p.id);
  return (
    <div
      id={`row-${p.id}`}
      class={cursor.at.value === p.id ? "row here" : "row"}
      role="row"
      aria-rowindex={index + 2}
      aria-level={n.depth + 1}
      aria-posinset={n.position}
      aria-setsize={n.siblings}
      aria-expanded={n.children > 0 ? n.open : undefined}
      aria-selected={selected}
      {...opening(p.id, cursor)}
    >
      <span role="gridcell" class="select">
        <Pick id={p.id} selected={selected} cursor={cursor} extend={extend} />
      </span>
      <span role="gridcell" class="node" style={{ "--depth": Math.min(n.depth, deepest) }}>
        <Twisty node={n} toggle={toggle} />
        <a href={address(p.id)} tabIndex={-1} class={p.label ? "" : "mono"} title={title(p)}>
          {title(p)}
        </a>
        {n.children > 0 && !n.open && <span class="below quiet">{below(n)}</span>}
        <span class="number quiet">{p.id}</span>
      </span>
      <span role="gridcell" class="state">
        <Badge process={p} />
      </span>
      <span role="gridcell" class="progress">
        <Meter process={p} />
      </span>
      <span role="gridcell" class="elapsed figure">
        <Elapsed row={n.row} />
      </span>
      <span role="gridcell" class="tokens figure">
        {p.usage.tokens + n.below.tokens > 0 ? <Sum own={p.usage.tokens} below={n.below.tokens} say={count} unit="tokens" /> : <span class="quiet">–</span>}
      </span>
      <span role="gridcell" class="cpu figure">
        {p.startedAt || n.below.cpuMs > 0 ? <Sum own={p.usage.cpuMs} below={n.below.cpuMs} say={duration} unit="CPU" /> : <span class="quiet">–</span>}
      </span>
    </div>
  );
}

function Twisty({ node: n, toggle }: { node: Node; toggle: (id: number) => void }) {
  if (n.children === 0) return <span class="twisty" aria-hidden="true" />;
  const id = n.row.record.id;
  return (
    <button
      type="button"
      class="plain twisty"
      tabIndex={-1}
      aria-label={`${n.open ? "Collapse" : "Expand"} ${id}`}
      onClick={(e) => {
        e.stopPropagation();
        toggle(id);
      }}
    >
      <span aria-hidden="true">{n.open ? "▾" : "▸"}</span>
    </button>
  );
}

function below({ below: b }: Node): string {
  const parts = [`${b.count} below`];
  if (b.active > 0) parts.push(`${b.active} active`);
  if (b.failed > 0) parts.push(`${b.failed} failed`);
  return parts.join(", ");
}

/** What a process used with all below it; by itself in the hint. */
function Sum({ own, below, say, unit }: { own: number; below: number; say: (n: number) => string; unit: string }) {
  return (
    <span title={below === 0 ? unit : `${unit}: ${say(own)} by itself, ${say(own + below)} with all below`}>
      {below > 0 && <span class="quiet">Σ </span>}
      {say(own + below)}
    </span>
  );
}

export const size = (n: number): string => plural(n, "process", "processes");
