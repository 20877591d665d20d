// The live list of processes.
import { useEffect, useMemo } from "preact/hooks";
import { hidden, useActionKeys } from "../actions";
import { useKeys } from "../keys";
import { go, href, route } from "../router";
import { Collection } from "../state/collection";
import { Titles } from "../state/titles";
import { phone } from "../ui/media";
import { Virtual } from "../ui/virtual";
import { Activity } from "./activity";
import { BulkBar } from "./bulkbar";
import { Counts } from "./counts";
import { Cursor, useCursorKeys } from "./cursor";
import { Empty } from "./empty";
import { FilterBar } from "./filterbar";
import { clear, filters } from "./filters";
import { Head } from "./head";
import { NewOnes } from "./newones";
import { parseOrder, sorted } from "./order";
import { ProcessRow } from "./row";

// They outlive the page: going back shows at once what was there, then what is.
const collection = new Collection();
const titles = new Titles(collection);
const cursor = new Cursor();

// Nothing is done to what is not shown.
const record = (id: number) => (hidden.value.has(id) ? undefined : collection.rows.get(id)?.record);

export function ListPage() {
  const f = filters();
  const key = JSON.stringify(f);
  useEffect(() => collection.open(f), [key]);
  const order = parseOrder(route.value.query.get("sort"));
  const ids = useIds(order.by, order.down);
  const places = useMemo(() => new Map(ids.map((id, i) => [id, i])), [ids]);
  const indexOf = useMemo(() => (id: number) => places.get(id) ?? -1, [places]);
  const keyOf = useMemo(() => (i: number) => ids[i], [ids]);
  useCursorKeys(cursor, ids);
  useActionKeys(() => cursor.target(record), () => cursor.leave(ids, hidden.value));
  useKeys([
    { keys: ["n"], label: "New process", group: "List", run: () => go(href("new")) },
    { keys: ["Escape"], label: "Clear the selection, then the filters", group: "List", run: () => (cursor.selected.value.size > 0 ? cursor.clear() : clear()) },
  ]);
  const at = cursor.at.value;
  return (
    <>
      <div class="list-top">
        <div>
          <h1>Processes</h1>
          <Counts filters={f} />
        </div>
        <Activity />
      </div>
      <FilterBar filters={f} />
      <BulkBar cursor={cursor} all={cursor.target(record)} />
      <div class="list">
        <NewOnes ids={ids} live={order.by === "id" && order.down} />
        <Virtual
          count={ids.length}
          rowHeight={phone.value ? 58 : 32}
          headerHeight={phone.value ? 0 : 32}
          role="grid"
          label="Processes"
          multiple
          header={<Head order={order} ids={ids} cursor={cursor} />}
          active={at !== null && places.has(at) ? `row-${at}` : undefined}
          reveal={at === null ? undefined : indexOf(at)}
          revealKey={at}
          resetKey={`${key} ${order.by} ${order.down}`}
          keyOf={keyOf}
          indexOf={indexOf}
          onEnd={() => collection.older()}
          onSeen={(first, last) => {
            collection.seen = ids.slice(first, last);
            titles.want(collection.seen);
          }}
          row={(i) => {
            const row = collection.rows.get(ids[i]!);
            return row && <ProcessRow key={ids[i]} row={row} index={i} cursor={cursor} extend={(to) => cursor.extend(ids, to)} />;
          }}
        />
      </div>
      <Empty collection={collection} shown={ids.length} filtered={key !== "{}"} sorted={order.by !== "id"} />
    </>
  );
}

// The ids in their order, without those that are being deleted.
function useIds(by: string, down: boolean): number[] {
  const version = collection.version.value;
  const gone = hidden.value;
  return useMemo(() => {
    const ids = collection.ids();
    return sorted(gone.size > 0 ? ids.filter((id) => !gone.has(id)) : ids, collection.rows, { by, down });
  }, [version, gone, by, down]);
}
