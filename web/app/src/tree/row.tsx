// A process as a row of the tree.
import { count, duration, plural, title } from "../format";
import { address, Pick } from "../list/row";
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
      onClick={() => (cursor.at.value = p.id)}
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
        {n.sums.tokens > 0 ? <Sum own={p.usage.tokens} all={n.sums.tokens} say={count} unit="tokens" /> : <span class="quiet">–</span>}
      </span>
      <span role="gridcell" class="cpu figure">
        {p.startedAt || n.sums.cpuMs > 0 ? <Sum own={p.usage.cpuMs} all={n.sums.cpuMs} say={duration} unit="CPU" /> : <span class="quiet">–</span>}
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

function below(n: Node): string {
  const parts = [`${n.sums.count - 1} below`];
  const own = n.row.record;
  const active = n.sums.active - (own.state === "idle" ? 0 : 1);
  const failed = n.sums.failed - (own.exitState === "failed" || own.exitState === "timeout" ? 1 : 0);
  if (active > 0) parts.push(`${active} active`);
  if (failed > 0) parts.push(`${failed} failed`);
  return parts.join(", ");
}

/** What a process used with all below it; by itself in the hint. */
function Sum({ own, all, say, unit }: { own: number; all: number; say: (n: number) => string; unit: string }) {
  return (
    <span title={own === all ? unit : `${unit}: ${say(own)} by itself, ${say(all)} with all below`}>
      {own !== all && <span class="quiet">Σ </span>}
      {say(all)}
    </span>
  );
}

export const size = (n: number): string => plural(n, "process", "processes");
