// Where output is among the events of a process. All events but lines are known
// from the start; what lies between them are lines. So the number of rows, the
// number of any line and the seq behind any row are known without the lines.

export interface Block {
  kind: "lines" | "elided" | "run";
  from: number; // seqs, both included
  to: number;
  run: number;
  row: number; // of its first
  line: number; // of its first, counted in its run
  bytes: number;
  stream: string;
  at: string;
}

export interface Landmark {
  seq: number;
  run: number;
  kind: string;
  at: string;
}

type Part = Pick<Block, "kind" | "from" | "to" | "run"> & Partial<Block>;

const lines = (b: Block): number => (b.kind === "run" ? 0 : b.to - b.from + 1);
const height = (b: Block): number => (b.kind === "lines" ? b.to - b.from + 1 : 1);

export class Outline {
  blocks: Block[] = [];
  end = 0; // the last seq that is placed

  get rows(): number {
    const last = this.blocks.at(-1);
    return last ? last.row + height(last) : 0;
  }

  /** Places an event that is no line; what lies before it are lines of its run. */
  landmark(e: Landmark): void {
    if (e.seq <= this.end) return;
    this.linesTo(e.seq - 1, e.run);
    if (e.kind === "process_started" && e.run > 1) this.push({ kind: "run", from: e.seq, to: e.seq, run: e.run, at: e.at });
    this.end = e.seq;
  }

  /** Places lines up to a seq. */
  linesTo(seq: number, run: number): void {
    if (seq <= this.end) return;
    const last = this.blocks.at(-1);
    if (last?.kind === "lines" && last.run === run && last.to === this.end) last.to = seq;
    else this.push({ kind: "lines", from: this.end + 1, to: seq, run });
    this.end = seq;
  }

  private push(p: Part): void {
    const before = this.blocks.at(-1);
    const line = before && before.run === p.run ? before.line + lines(before) : 1;
    this.blocks.push({ bytes: 0, stream: "", at: "", ...p, row: this.rows, line });
  }

  /** Notes that lines are not kept. It reports whether that was news. */
  elide(from: number, to: number, bytes: number, stream: string): boolean {
    const known = this.blockOf(to);
    if (known?.kind === "elided" && known.from <= from) return false;
    const old = this.blocks;
    this.blocks = [];
    let placed = false;
    for (const b of old) {
      const apart = b.kind === "run" || b.to < from || b.from > to;
      if (apart) {
        this.push(b);
        continue;
      }
      if (b.kind === "lines" && b.from < from) this.push({ ...b, to: from - 1 });
      if (!placed) this.push({ kind: "elided", from: Math.max(from, b.from), to, run: b.run, bytes, stream });
      placed = true;
      if (b.to > to) this.push({ ...b, from: to + 1 });
    }
    return true;
  }

  /** The block of a row; undefined if there is none. */
  blockAt(row: number): Block | undefined {
    const b = this.blocks[last(this.blocks, (b) => b.row <= row)];
    return b && row < b.row + height(b) ? b : undefined;
  }

  /** The block that a seq lies in; undefined between blocks. */
  blockOf(seq: number): Block | undefined {
    const b = this.blocks[last(this.blocks, (b) => b.from <= seq)];
    return b && seq <= b.to ? b : undefined;
  }

  seqAt(row: number): number {
    const b = this.blockAt(row);
    if (!b) return 0;
    return b.kind === "lines" ? b.from + row - b.row : b.from;
  }

  /** The row of a seq, or that of the next one that has a row. */
  rowOf(seq: number): number {
    const i = last(this.blocks, (b) => b.from <= seq);
    const b = this.blocks[i];
    if (!b) return 0;
    if (seq > b.to) return b.row + height(b);
    return b.kind === "lines" ? b.row + seq - b.from : b.row;
  }

  /** The seq of a line of a run; 0 if there is no such line. */
  seqOfLine(run: number, line: number): number {
    for (const b of this.blocks) {
      if (b.run === run && b.kind !== "run" && line >= b.line && line < b.line + lines(b)) return b.from + line - b.line;
    }
    return 0;
  }

  /** The rows of a run, from and to. */
  rowsOf(run: number): [number, number] {
    const first = this.blocks.findIndex((b) => b.run === run);
    if (first < 0) return [this.rows, this.rows];
    const end = this.blocks.findLastIndex((b) => b.run === run);
    const b = this.blocks[end]!;
    return [this.blocks[first]!.row, b.row + height(b)];
  }
}

// last is the index of the last block that holds, of blocks in order; -1: none.
function last(blocks: Block[], holds: (b: Block) => boolean): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(blocks[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
