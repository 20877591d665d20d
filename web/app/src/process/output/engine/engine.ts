// The worker's side of the conversation about the output of one process.
import type { FromWorker, Query, Row, Shown, Stream, Target, ToWorker, Window } from "../protocol";
import { nextError, nextHit } from "./jump";
import { scan } from "./scan";
import { problemOf, Search } from "./search";
import { Session } from "./session";
import { Refused, Source } from "./source";
import type { Line } from "./store";
import { View } from "./view";

const beat = 80; // ms between two looks at what came

export class Engine {
  private session: Session;
  private view: View;
  private window: Window = { tail: 100 };
  private anchor = 0; // the seq that should stay in sight
  private epoch = 0; // counts when rows are elsewhere
  private search: Search | null = null;
  private timer = 0;
  private marked: Promise<void> | null = null;
  private stop = new AbortController();

  constructor(
    path: string,
    headers: Record<string, string>,
    private say: (message: FromWorker) => void,
  ) {
    this.session = new Session(
      new Source(path, headers, this.stop.signal),
      {
        grew: () => this.soon(),
        arrived: () => this.soon(),
        moved: () => this.moved(),
        link: (link, status) => say({ kind: "link", link, status }),
        lines: (lines) => this.came(lines),
      },
      this.stop.signal,
    );
    this.view = new View(this.session);
  }

  async open(run: number | null, shown: Shown): Promise<void> {
    try {
      await this.session.open();
      this.view.run = run;
      this.say({ kind: "ready" });
      await this.show(shown);
    } catch (e) {
      if (e instanceof Refused) this.say({ kind: "refused", status: e.status, message: e.message });
      else if (!this.stop.signal.aborted) throw e;
    }
  }

  close(): void {
    this.stop.abort();
    clearTimeout(this.timer);
  }

  async handle(m: ToWorker): Promise<void> {
    if (m.kind === "go on") return this.session.goOn();
    if (m.kind === "rest") return this.session.rest();
    if (m.kind === "window") return this.look(m.window, m.anchor);
    if (m.kind === "scope") return this.scope(m.run);
    if (m.kind === "show") return this.show(m.shown);
    if (m.kind === "search") return this.find(m.query);
    if (m.kind === "step") return this.step(m.target, m.from, m.back);
    if (m.kind === "line") return this.locate(m.run, m.line);
    if (m.kind === "whole line") return this.say({ kind: "whole line", seq: m.seq, text: this.session.store.get(m.seq)?.text ?? "" });
    if (m.kind === "text") return this.text(m.run, m.stream);
  }

  private look(window: Window, anchor: number): void {
    this.window = window;
    this.anchor = anchor;
    this.send();
  }

  private soon(): void {
    this.timer ||= setTimeout(() => this.send(), beat) as unknown as number;
  }

  private moved(): void {
    this.epoch++;
    this.view.pick();
    this.soon();
  }

  private send(): void {
    clearTimeout(this.timer);
    this.timer = 0;
    const total = this.view.rows;
    const [from, to] = "tail" in this.window ? [Math.max(0, total - this.window.tail), total] : [this.window.from, Math.min(total, this.window.to)];
    const missing = new Set<number>();
    const rows: (Row | null)[] = this.view.slice(from, to, this.search, (seq) => missing.add(seq));
    this.say({ kind: "rows", epoch: this.epoch, total, from, rows, anchor: this.anchor ? this.view.rowOf(this.anchor) : -1, runs: this.session.run });
    for (const seq of missing) this.session.fetch(seq);
  }

  private came(lines: Line[]): void {
    this.view.add(lines);
    if (!this.search) return;
    this.search.pass(this.view.visible(lines));
    this.tellHits();
  }

  private async scope(run: number | null): Promise<void> {
    this.view.run = run;
    await this.show(this.view.shown);
    if (this.search) await this.find(this.search.query);
  }

  private async show(shown: Shown): Promise<void> {
    this.view.shown = shown;
    if (this.view.filtered) await this.markAll();
    this.moved();
    this.send();
  }

  // markAll reads every line once; what comes later is marked as it comes.
  private markAll(): Promise<void> {
    this.marked ??= this.readAll();
    return this.marked;
  }

  private async readAll(): Promise<void> {
    const { session: s } = this;
    const end = s.outline.end;
    let before: Stream = "stdout";
    await scan(s, 1, end, (lines, at) => {
      for (const l of lines) {
        s.note(l, before);
        before = l.stream;
      }
      this.say({ kind: "reading", done: at, of: end });
      return true;
    });
    this.say({ kind: "reading", done: 0, of: 0 });
  }

  private async find(query: Query | null): Promise<void> {
    this.search = null;
    if (query) {
      try {
        this.search = new Search(query);
      } catch (e) {
        this.say({ kind: "hits", count: 0, over: true, problem: problemOf(e) });
      }
    }
    this.send();
    if (this.search) await this.readFor(this.search);
  }

  private async readFor(search: Search): Promise<void> {
    // Lines that come meanwhile are searched when they come, so hits up to now
    // are gathered apart and put before them.
    const [from, to] = this.view.range();
    const older = new Search(search.query);
    await scan(this.session, from, to, (lines) => {
      if (this.search !== search) return false;
      older.pass(lines.filter((l) => this.view.shown[l.stream]));
      this.say({ kind: "hits", count: older.hits.length + search.hits.length, over: false, problem: "" });
      return true;
    });
    if (this.search !== search) return;
    for (let i = 0; i < search.hits.length; i++) older.hits.push(search.hits.at(i));
    older.over = true;
    this.search = older;
    this.tellHits();
  }

  private tellHits(): void {
    if (this.search?.over) this.say({ kind: "hits", count: this.search.hits.length, over: true, problem: "" });
  }

  private async step(target: Target, from: number, back: boolean): Promise<void> {
    if (target === "error") await this.markAll();
    const at = target === "hit" ? nextHit(this.search, from, back) : nextError(this.session.marks, this.view, from, back);
    const row = at.seq ? this.view.rowOf(at.seq) : -1;
    if (at.seq) this.anchor = at.seq;
    this.say({ kind: "found", target, row, ...at });
  }

  private locate(run: number, line: number): void {
    const seq = this.session.outline.seqOfLine(run, line);
    if (seq) this.anchor = seq;
    this.say({ kind: "found", target: "line", row: seq ? this.view.rowOf(seq) : -1, seq, index: 0, of: 0 });
  }

  /** All lines as text, for a file. */
  private async text(run: number | null, stream: Stream | null): Promise<void> {
    const parts: string[] = [];
    const view = new View(this.session);
    view.run = run;
    const [from, to] = view.range();
    await scan(this.session, from, to, (lines) => {
      const wanted = stream ? lines.filter((l) => l.stream === stream) : lines;
      if (wanted.length > 0) parts.push(wanted.map((l) => l.text + "\n").join(""));
      return true;
    });
    this.say({ kind: "text", blob: new Blob(parts, { type: "text/plain;charset=utf-8" }) });
  }
}
