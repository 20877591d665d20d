// What the list cannot show by rows: that there are none, or more, or a failure.
import type { Collection } from "../state/collection";
import { count } from "../format";
import { href } from "../router";
import { clear } from "./filters";

interface Props {
  collection: Collection;
  shown: number;
  filtered: boolean;
  sorted: boolean;
}

export function Empty({ collection: c, shown, filtered, sorted }: Props) {
  if (c.failure.value) {
    return (
      <p class="error" role="alert">
        {c.failure.value}
      </p>
    );
  }
  if (shown > 0) return <Below collection={c} shown={shown} sorted={sorted} />;
  if (c.loading.value) return <p class="list-note quiet">Loading…</p>;
  if (filtered) {
    return (
      <div class="empty over">
        <p>No process matches the filters.</p>
        <button type="button" onClick={clear}>
          Clear the filters
        </button>
      </div>
    );
  }
  return (
    <div class="empty over">
      <p>There are no processes yet.</p>
      <p>
        <a class="button" href={href("new")}>
          Start one
        </a>{" "}
        or on the command line: <code>reeve run -- make build</code>
      </p>
    </div>
  );
}

function Below({ collection: c, shown, sorted }: { collection: Collection; shown: number; sorted: boolean }) {
  if (c.complete.value) return <p class="list-note quiet">{count(shown)} shown</p>;
  return (
    <p class="list-note quiet">
      {count(shown)} newest loaded{c.loading.value ? ", loading more…" : "; scroll to the end for older ones"}
      {sorted && ". The order is that of what is loaded"}
    </p>
  );
}
