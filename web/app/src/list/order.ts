// The order of the list. The daemon gives the newest first; any other order is
// one of what is loaded, and the page says so.
import type { ProcessRecord } from "../api/types";
import { elapsed, status, title } from "../format";
import type { Row } from "../state/collection";

export interface Order {
  by: string;
  down: boolean;
}

export const newest: Order = { by: "id", down: true };

/** "-elapsed" is the longest first. */
export function parseOrder(text: string | null): Order {
  if (!text) return newest;
  const by = text.replace(/^-/, "");
  return Object.hasOwn(keys, by) ? { by, down: text.startsWith("-") } : newest;
}

export const orderText = (o: Order): string => (o.by === "id" && o.down ? "" : `${o.down ? "-" : ""}${o.by}`);

/** What a click on a column's head makes of the order. */
export function turned(o: Order, by: string): Order {
  return o.by === by ? { by, down: !o.down } : { by, down: by !== "title" && by !== "state" };
}

const keys: Record<string, (row: Row, now: number) => number | string> = {
  id: (r) => r.record.id,
  state: (r) => status(r.record),
  title: (r) => title(r.record).toLowerCase(),
  environment: (r) => r.record.environment,
  elapsed: (r, now) => (r.record.startedAt ? elapsed(r.record, r.at, now) : -1),
  use: (r) => use(r.record),
  exit: (r) => r.record.exit?.code ?? -1,
};

const use = (p: ProcessRecord): number => p.usage.tokens * 1e6 + p.usage.cpuMs;

export function sorted(ids: number[], rows: Map<number, Row>, o: Order): number[] {
  if (o.by === "id") return o.down ? ids : ids.toReversed();
  const now = Date.now();
  const key = keys[o.by]!;
  const with_ = ids.map((id) => ({ id, key: key(rows.get(id)!, now) }));
  const sign = o.down ? -1 : 1;
  with_.sort((a, b) => (a.key < b.key ? -sign : a.key > b.key ? sign : b.id - a.id));
  return with_.map((w) => w.id);
}
