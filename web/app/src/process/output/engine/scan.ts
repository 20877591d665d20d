// Reading through all lines that are kept, in slices: the worker answers other
// questions in between.
import type { Session } from "./session";
import { lineKinds, pageSize } from "./source";
import { type Line, lineOf } from "./store";

const slice = 2000; // lines at a time

/**
 * Passes all lines from one seq to another on, in order. The function answers
 * whether it wants more.
 */
export async function scan(s: Session, from: number, to: number, pass: (lines: Line[], at: number) => boolean): Promise<void> {
  for (let seq = from; seq <= to; ) {
    const held = heldLines(s, seq, to);
    if (held.next > seq) {
      if (!pass(held.lines, held.next)) return;
      seq = held.next;
      await breath();
      continue;
    }
    const page = await s.source.page(`kind=${lineKinds}&after=${seq - 1}&limit=${pageSize}`);
    const lines: Line[] = [];
    let next = to + 1; // nothing more is no line
    for (const e of page.events) {
      if ((e.seq ?? 0) > to) break;
      if (e.kind === "output_appended" && !e.partial) lines.push(lineOf(e));
    }
    if (page.events.length >= pageSize) next = Math.min(next, page.next + 1);
    if (!pass(lines, next)) return;
    seq = next;
  }
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
