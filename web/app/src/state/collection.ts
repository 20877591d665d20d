// The records that some filters select, newest first, kept as the daemon has
// them: an event says that one changed, and it is fetched again.
import { signal } from "@preact/signals";
import { ApiError } from "../api/http";
import { byIds, list, type Filters, type Page } from "../api/processes";
import type { ProcessEvent, ProcessRecord } from "../api/types";
import { Coalescer } from "./coalescer";
import { subscribe } from "./feed";

export interface Row {
  record: ProcessRecord;
  at: number; // when it was answered: elapsed time goes on from here
  asked: number; // when it was asked for: of two answers the later asked one counts
}

const firstPage = 200;
const page = 1000;
const ahead = 20_000; // so many are loaded without being asked for
const pulse = 4_000; // how often what is in sight is fetched though nothing happened

export class Collection {
  readonly rows = new Map<number, Row>();
  /** Counts changes, for those who show the rows. */
  readonly version = signal(0);
  readonly complete = signal(false);
  readonly loading = signal(true);
  readonly failure = signal("");
  /** The rows that a person sees: their use of resources is kept fresh. */
  seen: number[] = [];
  private filters: Filters = {};
  private key = "";
  private next: string | null = null;
  private lowest = Infinity;
  private stop = new AbortController();
  private changed = new Coalescer((ids) => this.refetch(ids));

  /** Begins to keep the records of these filters; the result ends it. */
  open(filters: Filters): () => void {
    const key = JSON.stringify(filters);
    const other = key !== this.key;
    this.filters = filters;
    this.key = key;
    void this.load(other);
    const close = subscribe({
      events: (events) => this.note(events),
      reload: () => void this.load(false),
      vanished: () => this.changed.add(this.rows.keys()),
    });
    const timer = setInterval(() => this.freshen(), pulse);
    return () => {
      close();
      clearInterval(timer);
      this.stop.abort();
      this.changed.clear();
    };
  }

  /** The ids, newest first. */
  ids(): number[] {
    return [...this.rows.keys()].sort((a, b) => b - a);
  }

  /** Loads older ones than were loaded by themselves. */
  older(): void {
    if (!this.loading.value && this.next) void this.pages(false, this.rows.size + page);
  }

  private load(other: boolean): Promise<void> {
    this.stop.abort();
    this.stop = new AbortController();
    this.next = null;
    this.changed.clear();
    return this.pages(other, ahead, true);
  }

  // pages loads from where it stands until there are enough.
  private async pages(other: boolean, enough: number, anew = false): Promise<void> {
    const signal = this.stop.signal;
    this.loading.value = true;
    try {
      let above = anew ? Infinity : this.lowest;
      for (let first = anew; first || (this.next && this.rows.size < enough); first = false) {
        const asked = Date.now();
        const got = await list(this.filters, this.next ?? undefined, first ? firstPage : page, signal);
        if (other && first) this.rows.clear();
        above = this.merge(got, above, asked);
        this.next = got.nextCursor;
        this.complete.value = !this.next;
        this.lowest = this.next ? above : -1;
        this.failure.value = "";
        this.version.value++;
      }
    } catch (e) {
      if (signal.aborted) return;
      this.failure.value = e instanceof ApiError && e.status === 0 ? "" : (e as Error).message;
    }
    this.loading.value = false;
  }

  // merge takes a page, and drops what should be on it and is not.
  private merge(got: Page, above: number, asked: number): number {
    const lowest = got.nextCursor ? (got.processes.at(-1)?.id ?? above) : 0;
    const there = new Set(got.processes.map((p) => p.id));
    for (const [id, row] of this.rows) if (id < above && id >= lowest && row.asked < asked && !there.has(id)) this.rows.delete(id);
    this.put(got.processes, asked);
    return lowest;
  }

  private put(records: ProcessRecord[], asked: number): void {
    const at = Date.now();
    for (const record of records) {
      const old = this.rows.get(record.id);
      if (!old || old.asked <= asked) this.rows.set(record.id, { record: slim(record, old), at, asked });
    }
  }

  // note remembers which of the records are old now. Those older than what was
  // loaded come when a person scrolls there.
  private note(events: ProcessEvent[]): void {
    this.changed.add(events.map((e) => e.process).filter((id) => id >= this.lowest || this.rows.has(id)));
  }

  private freshen(): void {
    if (document.hidden) return;
    this.changed.add(this.seen.filter((id) => (this.rows.get(id)?.record.state ?? "idle") !== "idle"));
  }

  // refetch asks for records again: those that are not answered do not match
  // the filters any more, or are gone.
  private async refetch(ids: number[]): Promise<void> {
    const signal = this.stop.signal;
    const asked = Date.now();
    const records = await byIds(ids, this.filters, signal);
    if (signal.aborted) return;
    const there = new Set(records.map((p) => p.id));
    for (const id of ids) if (!there.has(id)) this.rows.delete(id);
    this.put(records, asked);
    this.version.value++;
  }
}

const nothing = {};

// slim leaves out what lists do not show, as there may be many of them.
function slim(p: ProcessRecord, old?: Row): ProcessRecord {
  return { ...p, options: nothing, enforced: null, outcome: p.outcome && { ...p.outcome, findings: [] }, code: p.code?.slice(0, 200) ?? old?.record.code };
}
