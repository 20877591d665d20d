// The heads of the columns; most of them turn the order.
import type { Cursor } from "./cursor";
import { type Order, orderText, turned } from "./order";
import { set } from "./filters";

const columns = [
  { by: "id", name: "Id", class: "id" },
  { by: "state", name: "State", class: "state" },
  { by: "title", name: "Process", class: "name" },
  { by: "environment", name: "Environment", class: "environment" },
  { by: "", name: "Tags", class: "tags" },
  { by: "", name: "Progress", class: "progress" },
  { by: "elapsed", name: "Elapsed", class: "elapsed figure" },
  { by: "use", name: "CPU/tokens", class: "use figure" },
  { by: "exit", name: "Exit", class: "exit figure" },
  { by: "", name: "Created", class: "created figure" },
];

export function Head({ order, ids, cursor }: { order: Order; ids: number[]; cursor: Cursor }) {
  const some = cursor.selected.value.size > 0;
  const all = some && cursor.selected.value.size >= ids.length;
  return (
    <div class="row head" role="row" aria-rowindex={1}>
      <span role="columnheader" class="select">
        <input
          type="checkbox"
          aria-label="Select all"
          disabled={ids.length === 0}
          checked={all}
          ref={(box) => {
            if (box) box.indeterminate = some && !all;
          }}
          onClick={() => cursor.toggleAll(ids)}
        />
      </span>
      {columns.map((c) => (
        <span key={c.name} role="columnheader" class={c.class} aria-sort={sortOf(c.by, order)}>
          {c.by ? (
            <button type="button" class="plain" onClick={() => set("sort", orderText(turned(order, c.by)))}>
              {c.name}
              {order.by === c.by && <span aria-hidden="true">{order.down ? " ↓" : " ↑"}</span>}
            </button>
          ) : (
            c.name
          )}
        </span>
      ))}
    </div>
  );
}

function sortOf(by: string, order: Order): "ascending" | "descending" | undefined {
  if (by !== order.by) return undefined;
  return order.down ? "descending" : "ascending";
}
