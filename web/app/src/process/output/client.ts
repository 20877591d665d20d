// The page's side of the conversation about output. It holds the rows around
// what is in sight, nothing else.
import { signal } from "@preact/signals";
import { authorization } from "../../api/session";
import type { Link } from "../../api/stream";
import type { FromWorker, Query, Row, Shown, Stream, Target, ToWorker, Window } from "./protocol";

declare const WORKER: string; // where the built worker is

export interface Size {
  epoch: number;
  total: number;
  runs: number; // the newest run
  anchor: number; // where the row is now that should stay in sight; -1: nowhere
}

export interface Hits {
  count: number;
  over: boolean;
  problem: string;
}

type Found = Extract<FromWorker, { kind: "found" }>;

const held = 4000; // rows
const patience = 5000; // ms for an expression to get through some lines

const none: Size = { epoch: -1, total: 0, runs: 0, anchor: -1 };

export class OutputClient {
  readonly size = signal<Size>(none);
  readonly ready = signal(false);
  readonly link = signal<Link>("connecting");
  readonly refused = signal("");
  readonly reading = signal(0); // per cent; 0: it is not
  readonly hits = signal<Hits | null>(null);
  onFound: (f: Found) => void = () => {};
  onText: (b: Blob) => void = () => {};
  onWhole: (seq: number, text: string) => void = () => {};
  private rows = new Map<number, Row>();
  private worker: Worker | null = null;
  private asked = "";
  private watch = 0;

  constructor(
    readonly id: number,
    private run: number | null,
    private shown: Shown,
  ) {}

  start(): () => void {
    this.open();
    const seen = (): void => this.post({ kind: document.hidden ? "rest" : "go on" });
    document.addEventListener("visibilitychange", seen);
    return () => {
      document.removeEventListener("visibilitychange", seen);
      clearTimeout(this.watch);
      this.worker?.terminate();
      this.worker = null;
    };
  }

  private open(): void {
    this.worker = new Worker(WORKER, { type: "module" });
    this.worker.onmessage = (e: MessageEvent<FromWorker>) => this.take(e.data);
    this.post({ kind: "open", path: `/processes/${this.id}`, headers: authorization(), run: this.run, shown: this.shown });
    if (document.hidden) this.post({ kind: "rest" }); // a tab may be opened behind another one
  }

  row(i: number): Row | undefined {
    return this.rows.get(i);
  }

  look(window: Window, anchor: number): void {
    const key = JSON.stringify(window);
    if (key === this.asked) return;
    this.asked = key;
    this.post({ kind: "window", window, anchor });
  }

  scope(run: number | null): void {
    if (run === this.run) return;
    this.run = run;
    this.post({ kind: "scope", run });
  }

  show(shown: Shown): void {
    if (shown.stdout === this.shown.stdout && shown.stderr === this.shown.stderr) return;
    this.shown = shown;
    this.post({ kind: "show", shown });
  }

  search(query: Query | null): void {
    this.hits.value = query ? { count: 0, over: false, problem: "" } : null;
    this.post({ kind: "search", query });
    if (query?.regex) this.guard();
  }

  step(target: Target, from: number, back: boolean): void {
    this.post({ kind: "step", target, from, back });
  }

  goTo(run: number, line: number): void {
    this.post({ kind: "line", run, line });
  }

  wholeLine(seq: number): void {
    this.post({ kind: "whole line", seq });
  }

  text(run: number | null, stream: Stream | null): void {
    this.post({ kind: "text", run, stream });
  }

  /** Says that the process runs, again perhaps. */
  goOn(): void {
    if (!document.hidden) this.post({ kind: "go on" });
  }

  private post(m: ToWorker): void {
    this.worker?.postMessage(m);
  }

  // An expression can take for ever on some line: then the worker is replaced.
  private guard(): void {
    clearTimeout(this.watch);
    this.watch = setTimeout(() => {
      this.worker?.terminate();
      this.asked = "";
      this.rows.clear();
      this.open();
      this.hits.value = { count: 0, over: true, problem: "This expression takes too long. Try a simpler one." };
    }, patience) as unknown as number;
  }

  private take(m: FromWorker): void {
    if (this.hits.value?.over === false && this.watch) this.guard();
    if (m.kind === "rows") this.takeRows(m);
    else if (m.kind === "ready") this.ready.value = true;
    else if (m.kind === "link") this.link.value = m.link;
    else if (m.kind === "refused") this.refused.value = m.message;
    else if (m.kind === "reading") this.reading.value = m.of ? Math.max(1, Math.floor((100 * m.done) / m.of)) : 0;
    else if (m.kind === "found") this.onFound(m);
    else if (m.kind === "text") this.onText(m.blob);
    else if (m.kind === "whole line") this.onWhole(m.seq, m.text);
    else if (m.kind === "hits") this.takeHits(m);
  }

  private takeHits(m: Hits): void {
    this.hits.value = { count: m.count, over: m.over, problem: m.problem };
    if (!m.over) return;
    clearTimeout(this.watch);
    this.watch = 0;
  }

  private takeRows(m: Extract<FromWorker, { kind: "rows" }>): void {
    if (m.epoch !== this.size.value.epoch) this.rows.clear();
    else if (this.rows.size > held) this.forget(m.from);
    for (let i = 0; i < m.rows.length; i++) {
      const row = m.rows[i];
      if (row) this.rows.set(m.from + i, row);
    }
    this.size.value = { epoch: m.epoch, total: m.total, runs: m.runs, anchor: m.anchor };
  }

  private forget(around: number): void {
    for (const i of this.rows.keys()) if (Math.abs(i - around) > held / 4) this.rows.delete(i);
  }
}
