// From moments to places, and round figures for the axis.
import { duration } from "../../format";

export interface Span {
  from: number; // ms
  to: number;
}

const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000];

/** Moments for marks on the axis, about as many as fit. */
export function ticks(span: Span, start: number, fit: number): { at: number; name: string }[] {
  const wanted = (span.to - span.from) / Math.max(1, fit);
  const step = steps.find((s) => s >= wanted) ?? Math.ceil(wanted / 86_400_000) * 86_400_000;
  const out = [];
  for (let t = Math.ceil((span.from - start) / step) * step; start + t <= span.to; t += step) out.push({ at: start + t, name: t === 0 ? "0" : duration(t).replace(".0", "") });
  return out;
}

const shortest = 2; // ms

/** A part of the whole, larger or smaller by a factor around a moment. */
export function zoomed(span: Span, whole: Span, factor: number, around = (span.from + span.to) / 2): Span | null {
  const length = Math.max(shortest, (span.to - span.from) * factor);
  if (length >= whole.to - whole.from) return null; // all of it
  const share = (around - span.from) / (span.to - span.from || 1);
  return within({ from: around - share * length, to: around + (1 - share) * length }, whole);
}

/** A span moved into the whole. */
export function within(span: Span, whole: Span): Span {
  const length = span.to - span.from;
  const from = Math.min(Math.max(span.from, whole.from), whole.to - length);
  return { from, to: from + length };
}
