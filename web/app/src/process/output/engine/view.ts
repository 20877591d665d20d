// Which rows there are, and what is in them: all output or that of one run, both
// streams or one.
import { parse } from "../ansi";
import type { LineRow, Row, Shown } from "../protocol";
import { jump, mark } from "./errors";
import type { Block } from "./outline";
import type { Search } from "./search";
import type { Session } from "./session";
import { type Line, Numbers } from "./store";

const longest = 4000; // characters of a line that are shown at once

export class View {
  run: number | null = null; // null: all runs
  shown: Shown = { stdout: true, stderr: true };
  private picked: Numbers | null = null; // the seqs of the rows, if not all are shown

  constructor(private s: Session) {}

  get filtered(): boolean {
    return !this.shown.stdout || !this.shown.stderr;
  }

  /** The seqs that are looked at. */
  range(): [number, number] {
    const o = this.s.outline;
    if (this.run === null) return [1, o.end];
    const [from, to] = o.rowsOf(this.run);
    if (from === to) return [1, 0];
    const last = o.blockAt(to - 1)!;
    return [o.seqAt(from), last.to];
  }

  /** Picks the rows anew; all lines in the range are marked. */
  pick(): void {
    this.picked = null;
    if (!this.filtered) return;
    const picked = new Numbers();
    const [from, to] = this.range();
    for (const b of this.s.outline.blocks) {
      if (b.to < from || b.from > to) continue;
      if (b.kind !== "lines") picked.push(b.from);
      else for (let seq = b.from; seq <= b.to; seq++) if (this.shows(seq)) picked.push(seq);
    }
    this.picked = picked;
  }

  /** Adds lines that came at the end. */
  add(lines: Line[]): void {
    if (!this.picked) return;
    for (const l of this.visible(lines)) this.picked.push(l.seq);
  }

  /** Those lines that are shown. */
  visible(lines: Line[]): Line[] {
    return lines.filter((l) => this.shown[l.stream] && this.inRun(l.seq));
  }

  private inRun(seq: number): boolean {
    return this.run === null || this.s.outline.blockOf(seq)?.run === this.run;
  }

  private shows(seq: number): boolean {
    const bits = this.s.marks.get(seq);
    return (bits & mark.known) > 0 && this.shown[bits & mark.stderr ? "stderr" : "stdout"];
  }

  private partials(): Line[] {
    if (this.run !== null && this.run !== this.s.run) return [];
    return [...this.s.partials.values()].filter((l) => this.shown[l.stream]);
  }

  private get whole(): number {
    if (this.picked) return this.picked.length;
    if (this.run === null) return this.s.outline.rows;
    const [from, to] = this.s.outline.rowsOf(this.run);
    return to - from;
  }

  get rows(): number {
    return this.whole + this.partials().length;
  }

  /** The row of a seq, or that of the next one there is. */
  rowOf(seq: number): number {
    if (this.picked) return this.picked.below(seq);
    const first = this.run === null ? 0 : this.s.outline.rowsOf(this.run)[0];
    return Math.max(0, this.s.outline.rowOf(seq) - first);
  }

  /** Rows as they are shown; null for a line that is not held. */
  slice(from: number, to: number, search: Search | null, missing: (seq: number) => void): (Row | null)[] {
    const whole = this.whole;
    const first = this.run === null ? 0 : this.s.outline.rowsOf(this.run)[0];
    const partials = this.partials();
    const rows: (Row | null)[] = [];
    for (let i = from; i < to; i++) {
      const partial = partials[i - whole];
      if (i >= whole) {
        if (partial) rows.push(this.line(partial, 0, this.s.run, search, true));
        continue;
      }
      const seq = this.picked ? this.picked.at(i) : this.s.outline.seqAt(first + i);
      const b = this.s.outline.blockOf(seq);
      rows.push(b ? this.row(b, seq, search, missing) : null);
    }
    return rows;
  }

  private row(b: Block, seq: number, search: Search | null, missing: (seq: number) => void): Row | null {
    if (b.kind === "run") return { kind: "run", seq, run: b.run, at: b.at };
    if (b.kind === "elided") return { kind: "elided", seq, run: b.run, lines: b.to - b.from + 1, bytes: b.bytes, stream: b.stream };
    const line = this.s.store.get(seq);
    if (!line) {
      missing(seq);
      return null;
    }
    this.s.store.touch(seq);
    return this.line(line, b.line + seq - b.from, b.run, search, false);
  }

  private line(l: Line, line: number, run: number, search: Search | null, partial: boolean): LineRow {
    const { text, spans } = parse(l.text.length > 4 * longest ? l.text.slice(0, 4 * longest) : l.text);
    const cut = text.length > longest;
    const shown = cut ? text.slice(0, longest) : text;
    return {
      kind: "line", seq: l.seq, run, line, stream: l.stream, at: l.at, partial,
      text: shown,
      spans: spans && cut ? spans.filter((_, i) => i === 0 || spans[i - 1]!.to < longest).map((s) => ({ ...s, to: Math.min(s.to, longest) })) : spans,
      hits: search ? search.places(shown) : [],
      error: !partial && (this.s.marks.get(l.seq) & jump) > 0,
      more: cut || l.text.length > 4 * longest ? l.text.length - longest : 0,
    };
  }
}
