import type { Sample } from "../../api/types";

export interface Point {
  at: number; // ms
  value: number;
}

/** What samples say, each as points. CPU is a share of one core, since the sample before. */
export function series(samples: Sample[]): { cpu: Point[]; memory: Point[]; processes: Point[]; tokens: Point[] } {
  const points = (value: (s: Sample, i: number) => number): Point[] => samples.map((s, i) => ({ at: Date.parse(s.at), value: value(s, i) }));
  const share = (s: Sample, i: number): number => {
    const before = samples[i - 1];
    if (!before) return 0;
    const ms = Date.parse(s.at) - Date.parse(before.at);
    return ms > 0 ? Math.max(0, (100 * (s.cpuMs - before.cpuMs)) / ms) : 0;
  };
  return { cpu: points(share), memory: points((s) => s.rssBytes), processes: points((s) => s.pids), tokens: points((s) => s.tokens) };
}

/** A round figure that is no less, for the top of an axis. */
export function roundUp(v: number): number {
  if (v <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(v));
  return [1, 2, 2.5, 5, 10].map((m) => m * power).find((m) => m >= v)!;
}

/** The point nearest to a moment. */
export function nearest(points: Point[], at: number): Point | undefined {
  let best: Point | undefined;
  for (const p of points) if (!best || Math.abs(p.at - at) < Math.abs(best.at - at)) best = p;
  return best;
}
