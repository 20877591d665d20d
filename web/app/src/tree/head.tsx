import { href } from "../router";
import type { Collection } from "../state/collection";
import { set } from "../list/filters";
import { size } from "./row";

const columns = [
  { name: "Process", class: "node" },
  { name: "State", class: "state" },
  { name: "Progress", class: "progress" },
  { name: "Elapsed", class: "elapsed figure" },
  { name: "Tokens", class: "tokens figure" },
  { name: "CPU", class: "cpu figure" },
];

export function Head() {
  return (
    <div class="row head" role="row" aria-rowindex={1}>
      <span role="columnheader" class="select">
        <span class="unseen">Selected</span>
      </span>
      {columns.map((c) => (
        <span key={c.name} role="columnheader" class={c.class}>
          {c.name}
        </span>
      ))}
    </div>
  );
}

interface Props {
  collection: Collection;
  shown: number;
  all: boolean;
}

/** What the tree cannot show by rows. */
export function TreeNote({ collection: c, shown, all }: Props) {
  if (c.failure.value) {
    return (
      <p class="error" role="alert">
        {c.failure.value}
      </p>
    );
  }
  if (shown > 0) return <p class="list-note quiet">{c.complete.value ? `${size(shown)} shown` : `${size(shown)}: the newest; scroll to the end for older ones`}</p>;
  if (c.loading.value) return <p class="list-note quiet">Loading…</p>;
  return (
    <div class="empty over">
      <p>{all ? "There is no process to show." : "Nothing is active."}</p>
      {all ? (
        <a class="button" href={href("new")}>
          Start one
        </a>
      ) : (
        <button type="button" onClick={() => set("all", "1")}>
          Show all
        </button>
      )}
    </div>
  );
}
