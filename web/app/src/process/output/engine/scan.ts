// Reading through all lines that are kept, in slices: the worker answers other
// questions in between.
import type { Session } from "./session";
import { lineKinds, pageSize } from "./source";
import { type Line, lineOf } from "./store";

const slice = 2000; // lines at a time

const ahead = 3; // requests under way; browsers allow few to one host

/**
 * Passes all lines from one seq to another on, in order. The function answers
 * whether it wants more.
 */
export async function scan(s: Session, from: number, to: number, pass: (lines: Line[], at: number) => boolean): Promise<void> {
  const asked = new Map<number, Promise<Line[]>>(); // by the seq they begin with
  for (let seq = from; seq <= to; ) {
    const held = heldLines(s, seq, to);
    if (held.next > seq) {
      if (!pass(held.lines, held.next)) return;
      seq = held.next;
      await breath();
      continue;
    }
    for (let n = 0, begin = seq; n < ahead && begin <= to; n++, begin += pageSize) {
      if (asked.has(begin)) continue;
      const lines = linesFrom(s, begin, Math.min(to, begin + pageSize - 1));
      lines.catch(() => {}); // whoever waits for it is told
      asked.set(begin, lines);
    }
    const lines = await asked.get(seq)!;
    asked.delete(seq);
    seq += pageSize;
    if (!pass(lines, Math.min(seq, to + 1))) return;
  }
}

async function linesFrom(s: Session, from: number, to: number): Promise<Line[]> {
  const page = await s.source.page(`kind=${lineKinds}&after=${from - 1}&limit=${pageSize}`);
  return page.events.filter((e) => e.kind === "output_appended" && !e.partial && (e.seq ?? 0) <= to).map(lineOf);
}

// heldLines are those that need no request, up to the first that does.
function heldLines(s: Session, from: number, to: number): { lines: Line[]; next: number } {
  const lines: Line[] = [];
  let seq = from;
  while (seq <= to && lines.length < slice) {
    const line = s.store.get(seq);
    if (line) lines.push(line);
    else {
      const b = s.outline.blockOf(seq);
      if (b?.kind === "lines") break;
      if (b) seq = b.to;
    }
    seq++;
  }
  return { lines, next: seq };
}

const channel = new MessageChannel();
let wake: (() => void)[] = [];
channel.port2.onmessage = () => {
  const all = wake;
  wake = [];
  for (const f of all) f();
};

// breath lets messages be answered; a timer would be held back.
function breath(): Promise<void> {
  return new Promise((resolve) => {
    wake.push(resolve);
    channel.port1.postMessage(0);
  });
}
