// A process as a row: in columns, or on a phone in two lines.
import { ago, bytes, count, duration, plainly, title } from "../format";
import type { ProcessRecord } from "../api/types";
import { go, href } from "../router";
import type { Row } from "../state/collection";
import { Badge } from "../ui/badge";
import { now } from "../ui/clock";
import { Elapsed } from "../ui/elapsed";
import { phone } from "../ui/media";
import { Meter } from "../ui/meter";
import type { Cursor } from "./cursor";

export interface RowProps {
  row: Row;
  index: number;
  cursor: Cursor;
  extend: (to: number) => void;
}

export const address = (id: number): string => href(`processes/${id}`);

/** A click puts the cursor there, two open it; on a phone one does. */
export function opening(id: number, cursor: Cursor) {
  const open = (): void => go(address(id));
  return {
    onClick: () => {
      cursor.at.value = id;
      if (phone.value) open();
    },
    onDblClick: open,
  };
}

export function ProcessRow({ row, index, cursor, extend }: RowProps) {
  const p = row.record;
  const selected = cursor.selected.value.has(p.id);
  const here = cursor.at.value === p.id;
  return (
    <div id={`row-${p.id}`} class={here ? "row here" : "row"} role="row" aria-rowindex={index + 2} aria-selected={selected} {...opening(p.id, cursor)}>
      <span role="gridcell" class="select">
        <Pick id={p.id} selected={selected} cursor={cursor} extend={extend} />
      </span>
      <span role="gridcell" class="id">
        {p.id}
      </span>
      <span role="gridcell" class="state">
        <Badge process={p} />
      </span>
      <span role="gridcell" class="name">
        <Name process={p} />
      </span>
      <span role="gridcell" class="environment">
        {p.environment}
      </span>
      <span role="gridcell" class="tags">
        <Tags tags={p.tags} />
      </span>
      <span role="gridcell" class="progress">
        <Meter process={p} />
      </span>
      <span role="gridcell" class="elapsed figure">
        <Elapsed row={row} />
      </span>
      <span role="gridcell" class="use figure">
        <Use process={p} />
      </span>
      <span role="gridcell" class="exit figure">
        {p.exit ? <span title={p.exit.reason}>{p.exit.code}</span> : <span class="quiet">–</span>}
      </span>
      <span role="gridcell" class="created figure quiet">
        <Created at={p.createdAt} />
      </span>
    </div>
  );
}

export function Pick({ id, selected, cursor, extend }: { id: number; selected: boolean; cursor: Cursor; extend: (to: number) => void }) {
  const click = (e: MouseEvent): void => {
    if (e.shiftKey) extend(id);
    else cursor.toggle(id);
    cursor.at.value = id;
    e.stopPropagation();
  };
  return <input type="checkbox" tabIndex={-1} aria-label={`Select process ${id}`} checked={selected} onClick={click} />;
}

export function Name({ process: p }: { process: ProcessRecord }) {
  const name = title(p);
  return (
    <>
      <a href={address(p.id)} tabIndex={-1} title={name} class={p.label ? "" : "mono"}>
        {name}
      </a>
      {p.ref && plainly(p.ref) !== name && (
        <span class="ref quiet" title="Reference">
          {plainly(p.ref)}
        </span>
      )}
      {p.parent !== null && (
        <a class="parent quiet" href={address(p.parent)} tabIndex={-1} title={`Started by process ${p.parent}`}>
          ↳ {p.parent}
        </a>
      )}
    </>
  );
}

export function Tags({ tags }: { tags: string[] }) {
  if (tags.length === 0) return null;
  return (
    <span title={plainly(tags.join(", "))}>
      {tags.slice(0, 3).map((t) => (
        <span key={t} class="tag">
          {plainly(t)}
        </span>
      ))}
      {tags.length > 3 && <span class="quiet">+{tags.length - 3}</span>}
    </span>
  );
}

/** Tokens of what has them, else CPU time. */
export function Use({ process: p }: { process: ProcessRecord }) {
  const { tokens, cpuMs, maxRssBytes } = p.usage;
  const hint = `CPU ${duration(cpuMs)}, memory at most ${bytes(maxRssBytes)}${tokens ? `, ${tokens} tokens` : ""}`;
  if (tokens > 0) return <span title={hint}>{count(tokens)} tok</span>;
  return p.startedAt ? <span title={hint}>{duration(cpuMs)}</span> : <span class="quiet">–</span>;
}

function Created({ at }: { at: string }) {
  return <time dateTime={at} title={new Date(at).toLocaleString()}>{ago(at, Math.max(now.value, Date.now() - 1000))}</time>;
}
