// The output of one process, as the worker holds it: it reads the outline and
// the end first, then follows what comes; older lines are fetched when wanted.
import { follow, type Link } from "../../../api/stream";
import type { ProcessEvent } from "../../../api/types";
import type { Stream } from "../protocol";
import { bitsOf, evidence, mark } from "./errors";
import { type Landmark, Outline } from "./outline";
import { lineKinds, pageSize, Source } from "./source";
import { type Line, chunkOf, chunkSize, lineOf, Marks, Store } from "./store";

export interface Listener {
  grew: () => void; // more lines, at the end
  moved: () => void; // rows are elsewhere: lines turned out not to be kept
  arrived: () => void; // lines that were missing are there
  link: (link: Link, status: number) => void;
  lines: (lines: Line[]) => void; // at the end, as they come
}

const landmarks = `except=${lineKinds}`;

export class Session {
  readonly outline = new Outline();
  readonly store = new Store();
  readonly marks = new Marks();
  readonly partials = new Map<Stream, Line>();
  run = 0; // the newest
  private fetching = new Set<number>();
  private opened = false; // the stream begins where the outline ends
  private following = false;
  private again = false;
  private pause: AbortController | null = null;
  private resting = false;
  private completed = 0; // lines that came
  private lastStream: Stream = "stdout";

  constructor(
    readonly source: Source,
    private listener: Listener,
    private signal: AbortSignal,
  ) {}

  /** Reads what there is of the outline, and the last lines. */
  async open(): Promise<void> {
    let page = await this.source.page(`${landmarks}&after=0&limit=${pageSize}`);
    const end = page.last;
    for (;;) {
      for (const e of page.events) if ((e.seq ?? 0) <= end) this.landmark(e);
      if (page.events.length < pageSize || page.next >= end) break;
      page = await this.source.page(`${landmarks}&after=${page.next}&limit=${pageSize}`);
    }
    this.outline.linesTo(end, this.run);
    this.take(await this.source.page(`kind=${lineKinds}&before=${end + 1}&limit=${chunkSize}`));
    this.opened = true;
    if (!this.resting) void this.goOn();
  }

  /** Follows what comes, until the newest run is over. */
  async goOn(): Promise<void> {
    this.resting = false;
    this.again = true; // also if the stream of the run before is just ending
    if (!this.opened || this.following) return;
    this.following = true;
    while (this.again && !this.signal.aborted) {
      this.again = false;
      this.pause = new AbortController();
      await this.follow(AbortSignal.any([this.signal, this.pause.signal]));
    }
    this.following = false;
  }

  /** Gives the connection up until goOn: a browser has few for all its tabs. */
  rest(): void {
    this.resting = true;
    this.again = false;
    this.pause?.abort();
  }

  private follow(signal: AbortSignal): Promise<void> {
    return follow(
      {
        path: `${this.source.path}/events`,
        after: String(this.outline.end),
        headers: this.source.headers,
        over: async () => (await this.source.record()).state === "idle",
        onEvents: (events) => this.came(events),
        onLink: (link, status) => {
          if (link === "connecting") this.partials.clear();
          if (link === "live") void this.unfinished().catch(() => {}); // the stream says what is wrong
          this.listener.link(link, status);
        },
      },
      signal,
    );
  }

  // A line without an end is only told of when it grows: what there is of it now
  // is in the record.
  private async unfinished(): Promise<void> {
    const before = this.completed;
    const r = await this.source.record();
    if (this.completed !== before || r.state === "idle") return;
    for (const stream of ["stdout", "stderr"] as const) {
      const text = /[^\r\n]*$/.exec((r[stream] ?? "").slice(-8192))![0];
      if (text && !this.partials.has(stream)) this.partials.set(stream, { seq: this.outline.end + 1, stream, text, at: new Date().toISOString() });
    }
    this.listener.grew();
  }

  private came(events: ProcessEvent[]): void {
    const lines: Line[] = [];
    let elided = false;
    for (const e of events) {
      if (e.kind === "output_appended") {
        const line = lineOf(e);
        if (e.partial) this.partials.set(line.stream, line);
        else {
          this.partials.delete(line.stream);
          this.completed++;
          this.outline.linesTo(line.seq, e.run);
          this.hold(line);
          lines.push(line);
        }
      } else if (e.kind === "output_elided") {
        this.outline.linesTo(e.seq ?? 0, e.run);
        elided = this.elide(e) || elided;
      } else if (e.seq) this.landmark(e);
    }
    if (lines.length > 0) this.listener.lines(lines);
    if (elided) this.listener.moved();
    this.listener.grew();
  }

  private landmark(e: ProcessEvent): void {
    if (e.run > this.run) this.run = e.run;
    if (evidence.has(e.kind)) this.markBefore(e.seq ?? 0);
    this.outline.landmark(e as Landmark);
  }

  // What was noticed is told right after the line it was noticed in.
  private markBefore(seq: number): void {
    this.outline.linesTo(seq - 1, this.run);
    const b = this.outline.blocks.at(-1);
    if (b?.kind === "lines") this.marks.add(b.to, mark.evidence);
  }

  private elide(e: ProcessEvent): boolean {
    return this.outline.elide(Number(e.fromSeq), Number(e.toSeq), Number(e.bytes ?? 0), String(e.stream ?? ""));
  }

  private hold(line: Line): void {
    this.store.put(line);
    this.note(line, this.lastStream);
    this.lastStream = line.stream;
  }

  /** Notes what is worth jumping to; before is the stream of the line before. */
  note(line: Line, before: Stream): void {
    if (!(this.marks.get(line.seq) & mark.known)) this.marks.add(line.seq, bitsOf(line, before));
  }

  /** Takes a page of lines in; it reports whether rows have moved. */
  take(page: { events: ProcessEvent[] }): boolean {
    let moved = false;
    for (const e of page.events) {
      if (e.kind === "output_elided") moved = this.elide(e) || moved;
      else if (!e.partial) this.store.put(lineOf(e));
    }
    return moved;
  }

  /** Fetches the chunk of a seq, unless that is under way. */
  fetch(seq: number): void {
    const chunk = chunkOf(seq);
    if (this.fetching.has(chunk)) return;
    this.fetching.add(chunk);
    void this.source
      .page(`kind=${lineKinds}&after=${chunk * chunkSize}&limit=${chunkSize}`)
      .then((page) => {
        this.fetching.delete(chunk);
        if (this.take(page)) this.listener.moved();
        this.listener.arrived();
      })
      .catch(() => {}); // the session is over, or its process is
  }
}
