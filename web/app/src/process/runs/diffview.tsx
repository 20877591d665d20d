// A difference, unified; long parts that are the same are folded.
import { useMemo, useState } from "preact/hooks";
import { plural } from "../../format";
import { Virtual } from "../../ui/virtual";
import type { DiffPart } from "../output/protocol";

type DiffRow = { kind: "same" | "added" | "removed"; a: number; b: number; text: string } | { kind: "fold"; part: number; lines: number };

const context = 3; // lines around a change
const marks = { same: " ", added: "+", removed: "−" };

export function DiffView({ parts, stream }: { parts: DiffPart[]; stream: string }) {
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const rows = useMemo(() => rowsOf(parts, unfolded), [parts, unfolded]);
  const [added, removed] = [total(parts, "added"), total(parts, "removed")];
  if (added + removed === 0) return <p class="quiet">{parts.length === 0 ? `Both printed nothing on ${stream}.` : `Both printed the same on ${stream}.`}</p>;
  return (
    <>
      <p class="quiet" role="status">
        {plural(added, "line", "lines")} added, {removed} removed
      </p>
      <Virtual
        count={rows.length}
        rowHeight={20}
        role="list"
        label={`Difference of ${stream}`}
        row={(i) => {
          const r = rows[i]!;
          if (r.kind === "fold") {
            return (
              <div key={i} role="listitem" class="diff fold">
                <button type="button" class="plain" onClick={() => setUnfolded(new Set([...unfolded, r.part]))}>
                  ⋯ {plural(r.lines, "line", "lines")} that are the same
                </button>
              </div>
            );
          }
          return (
            <div key={i} role="listitem" class={`diff ${r.kind}`}>
              <span class="num">{r.a || ""}</span>
              <span class="num">{r.b || ""}</span>
              <span class="sign">{marks[r.kind]}</span>
              <span class="text">{r.text || " "}</span>
            </div>
          );
        }}
      />
    </>
  );
}

function total(parts: DiffPart[], kind: DiffPart["kind"]): number {
  return parts.reduce((n, p) => n + (p.kind === kind ? p.lines.length : 0), 0);
}

function rowsOf(parts: DiffPart[], unfolded: ReadonlySet<number>): DiffRow[] {
  const rows: DiffRow[] = [];
  let [a, b] = [1, 1];
  parts.forEach((p, n) => {
    const [before, after] = [n > 0 ? context : 0, n < parts.length - 1 ? context : 0];
    const fold = p.kind === "same" && !unfolded.has(n) && p.lines.length > before + after + 1;
    p.lines.forEach((text, i) => {
      const hidden = fold && i >= before && i < p.lines.length - after;
      if (hidden && i === before) rows.push({ kind: "fold", part: n, lines: p.lines.length - before - after });
      if (!hidden) rows.push({ kind: p.kind, a: p.kind === "added" ? 0 : a, b: p.kind === "removed" ? 0 : b, text });
      if (p.kind !== "added") a++;
      if (p.kind !== "removed") b++;
    });
  });
  return rows;
}
