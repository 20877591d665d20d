// The lines that are held, in chunks; the ones not used for longest are let go
// and fetched again when they are wanted.
import type { ProcessEvent } from "../../../api/types";
import type { Stream } from "../protocol";

export interface Line {
  seq: number;
  stream: Stream;
  text: string;
  at: string;
}

export const chunkSize = 512;

const maxChunks = 160; // about 80 000 lines
const maxChars = 24_000_000;

interface Chunk {
  lines: (Line | undefined)[];
  chars: number;
}

export const chunkOf = (seq: number): number => Math.floor((seq - 1) / chunkSize);

export function lineOf(e: ProcessEvent): Line {
  return { seq: e.seq ?? 0, stream: e.stream === "stderr" ? "stderr" : "stdout", text: String(e.line ?? ""), at: e.at };
}

export class Store {
  private chunks = new Map<number, Chunk>(); // the one used last is last
  private chars = 0;

  get(seq: number): Line | undefined {
    return this.chunks.get(chunkOf(seq))?.lines[(seq - 1) % chunkSize];
  }

  put(line: Line): void {
    const number = chunkOf(line.seq);
    let chunk = this.chunks.get(number);
    if (!chunk) {
      chunk = { lines: new Array<Line | undefined>(chunkSize), chars: 0 };
      this.chunks.set(number, chunk);
      this.shrink();
    }
    const at = (line.seq - 1) % chunkSize;
    const more = line.text.length - (chunk.lines[at]?.text.length ?? 0);
    chunk.lines[at] = line;
    chunk.chars += more;
    this.chars += more;
  }

  /** Says that a chunk is looked at: it is kept longer. */
  touch(seq: number): void {
    const number = chunkOf(seq);
    const chunk = this.chunks.get(number);
    if (!chunk) return;
    this.chunks.delete(number);
    this.chunks.set(number, chunk);
  }

  private shrink(): void {
    while (this.chunks.size > 2 && (this.chunks.size > maxChunks || this.chars > maxChars)) {
      const [oldest, chunk] = this.chunks.entries().next().value!;
      this.chunks.delete(oldest);
      this.chars -= chunk.chars;
    }
  }
}

/** Numbers in ascending order, packed. */
export class Numbers {
  private all = new Uint32Array(256);
  length = 0;

  push(n: number): void {
    if (this.length === this.all.length) {
      const more = new Uint32Array(this.all.length * 2);
      more.set(this.all);
      this.all = more;
    }
    this.all[this.length++] = n;
  }

  at(i: number): number {
    return this.all[i] ?? 0;
  }

  /** How many are less than n. */
  below(n: number): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.all[middle]! < n) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** A few bits for each seq. */
export class Marks {
  private bits = new Uint8Array(4096);

  get(seq: number): number {
    return this.bits[seq] ?? 0;
  }

  add(seq: number, bits: number): void {
    if (seq >= this.bits.length) {
      const more = new Uint8Array(Math.max(seq + 1, this.bits.length * 2));
      more.set(this.bits);
      this.bits = more;
    }
    this.bits[seq] = this.bits[seq]! | bits;
  }
}
