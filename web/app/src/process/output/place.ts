// Where a person is in the output of a process, as the address has it.
import { href, route } from "../../router";
import type { Shown } from "./protocol";

export interface Lines {
  from: number;
  to: number;
}

export interface Place {
  run: number | null; // null: all runs
  lines: Lines | null;
  shown: Shown;
}

export function here(): Place {
  const query = route.value.query;
  const streams = query.get("streams");
  return {
    run: positive(query.get("run")),
    lines: linesOf(query.get("line")),
    shown: { stdout: streams !== "stderr", stderr: streams !== "stdout" },
  };
}

export function address(id: number, p: Place): string {
  const { stdout, stderr } = p.shown;
  return href(`processes/${id}/output`, {
    run: p.run,
    line: p.lines ? (p.lines.to > p.lines.from ? `${p.lines.from}-${p.lines.to}` : p.lines.from) : null,
    streams: stdout && stderr ? null : stdout ? "stdout" : "stderr",
  });
}

function positive(text: string | null): number | null {
  const n = Number(text);
  return Number.isInteger(n) && n > 0 ? n : null;
}

function linesOf(text: string | null): Lines | null {
  const [a, b] = (text ?? "").split("-");
  const from = positive(a ?? null);
  if (!from) return null;
  return { from, to: Math.max(from, positive(b ?? null) ?? from) };
}
