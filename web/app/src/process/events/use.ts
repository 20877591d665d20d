// Events of a process, kept as they come: the newest ones first read, then what
// follows; older ones when they are asked for.
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../../api/http";
import type { ProcessEvent } from "../../api/types";
import { subscribe } from "../../state/feed";
import { complain } from "../../ui/toast";

interface Page {
  events: ProcessEvent[];
  next: number;
  last: number;
}

export interface Kinds {
  kind?: string; // comma lists
  except?: string;
}

export interface Held {
  events: ProcessEvent[]; // ascending
  loading: boolean;
  whole: boolean; // there are no older ones
  older: () => void;
}

const pageSize = 500;
const most = 20_000; // events that are held; older ones are read again when wanted
const gather = 150; // ms
const newest = Number.MAX_SAFE_INTEGER;

/** Events of some kinds; `deep` is how many are read without being asked for. */
export function useEvents(id: number, kinds: Kinds, deep = pageSize): Held {
  const [held, setHeld] = useState<{ events: ProcessEvent[]; whole: boolean } | null>(null);
  const reader = useRef<Reader | null>(null);
  const key = `${kinds.kind ?? ""}|${kinds.except ?? ""}`;
  useEffect(() => {
    setHeld(null);
    const r = new Reader(id, kinds, deep, setHeld);
    reader.current = r;
    const leave = subscribe({ events: (all) => all.some((e) => e.process === id) && r.soon(), reload: () => r.soon() });
    return () => {
      leave();
      r.close();
    };
  }, [id, key, deep]);
  return { events: held?.events ?? [], loading: held === null, whole: held?.whole ?? false, older: () => void reader.current?.older() };
}

class Reader {
  private events: ProcessEvent[] = [];
  private last = 0; // all up to here is known
  private whole = false;
  private busy = false;
  private again = false;
  private timer = 0;
  private stop = new AbortController();

  constructor(
    private id: number,
    private kinds: Kinds,
    deep: number,
    private tell: (held: { events: ProcessEvent[]; whole: boolean }) => void,
  ) {
    void this.alone(async () => {
      await this.before(newest);
      while (!this.whole && this.events.length < deep) await this.before(this.events[0]!.seq!);
    });
  }

  close(): void {
    this.stop.abort();
    clearTimeout(this.timer);
  }

  soon(): void {
    this.timer ||= window.setTimeout(() => {
      this.timer = 0;
      void this.alone(() => this.after());
    }, gather);
  }

  older(): Promise<void> {
    const first = this.events[0]?.seq;
    if (this.whole || this.busy || !first) return Promise.resolve();
    return this.alone(() => this.before(first));
  }

  // One request at a time, so that nothing comes twice.
  private async alone(work: () => Promise<void>): Promise<void> {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    try {
      await work();
      while (this.again) {
        this.again = false;
        await this.after();
      }
    } catch (e) {
      if (!this.stop.signal.aborted && this.last === 0) complain(e);
    } finally {
      this.busy = false;
    }
  }

  private page(query: Record<string, number>): Promise<Page> {
    return get<Page>(`/processes/${this.id}/events`, { ...this.kinds, ...query, limit: pageSize }, this.stop.signal);
  }

  private async before(seq: number): Promise<void> {
    const page = await this.page({ before: seq });
    if (seq === newest) this.last = page.last;
    this.whole = page.events.length < pageSize;
    this.set([...page.events, ...this.events]);
  }

  private async after(): Promise<void> {
    for (;;) {
      const page = await this.page({ after: this.last });
      if (page.events.length === pageSize && page.last - page.next > most) return this.anew(); // a flood: its end is what matters
      if (page.events.length > 0) this.set([...this.events, ...page.events]);
      this.last = Math.max(this.last, page.next);
      if (page.events.length < pageSize) return;
    }
  }

  private anew(): Promise<void> {
    this.events = [];
    return this.before(newest);
  }

  private set(events: ProcessEvent[]): void {
    // Whoever goes back far holds more, and lets it go when new ones come.
    const much = events.length > most && events[0] === this.events[0];
    this.events = much ? events.slice(-most) : events;
    this.whole &&= !much;
    this.tell({ events: this.events, whole: this.whole });
  }
}
