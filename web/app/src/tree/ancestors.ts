// A tree shows the way up from each process, also where the filters leave out
// what is above: that is fetched by its ids.
import { signal } from "@preact/signals";
import { byIds } from "../api/processes";
import { Coalescer } from "../state/coalescer";
import type { Collection, Row } from "../state/collection";
import { subscribe } from "../state/feed";

export class Ancestors {
  readonly rows = new Map<number, Row>();
  readonly version = signal(0);
  private asked = new Set<number>();
  private wanted = new Coalescer((ids) => this.fetch(ids));

  constructor(private of: Collection) {}

  open(): () => void {
    const again = (): void => this.wanted.add(this.rows.keys());
    const close = subscribe({
      events: (events) => this.wanted.add(events.map((e) => e.process).filter((id) => this.rows.has(id))),
      reload: again,
      vanished: again,
    });
    again();
    return () => {
      close();
      this.wanted.clear();
    };
  }

  /** Asks for parents that nobody has, and forgets those that are not needed. */
  need(): void {
    const needed = new Set<number>();
    const look = (row: Row | undefined): void => {
      for (let r = row; r && r.record.parent !== null && !needed.has(r.record.parent); r = this.get(r.record.parent)) needed.add(r.record.parent);
    };
    for (const row of this.of.rows.values()) look(row);
    for (const id of this.rows.keys()) if (!needed.has(id) || this.of.rows.has(id)) this.rows.delete(id);
    const missing = [...needed].filter((id) => !this.get(id) && !this.asked.has(id));
    for (const id of missing) this.asked.add(id);
    this.wanted.add(missing);
  }

  get(id: number): Row | undefined {
    return this.of.rows.get(id) ?? this.rows.get(id);
  }

  private async fetch(ids: number[]): Promise<void> {
    const asked = Date.now();
    const records = await byIds(ids);
    const at = Date.now();
    for (const id of ids) {
      this.rows.delete(id);
      this.asked.delete(id);
    }
    for (const record of records) this.rows.set(record.id, { record, at, asked });
    // One that is gone is not asked for again.
    const there = new Set(records.map((r) => r.id));
    for (const id of ids) if (!there.has(id)) this.asked.add(id);
    this.version.value++;
  }
}
