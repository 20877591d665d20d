import type { ProcessRecord, Progress } from "../api/types";
import { bytes, count } from "../format";

/** How far a process is: a bar, a figure, or the phase it is in. */
export function Meter({ process: p }: { process: ProcessRecord }) {
  const active = p.state !== "idle";
  const phase = active ? (p.phase?.label ?? p.phase?.name ?? "") : "";
  const part = fraction(p.progress);
  const text = figure(p.progress) || phase;
  if (!active || (part === null && !text && p.progress.kind !== "indeterminate")) return null;
  const name = [phase, figure(p.progress)].filter(Boolean).join(", ") || "Progress";
  return (
    <span class="meter" title={name}>
      {part !== null ? (
        <span class="bar" role="progressbar" aria-label={phase || "Progress"} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(part * 100)}>
          <span style={{ width: `${(part * 100).toFixed(1)}%` }} />
        </span>
      ) : (
        p.progress.kind === "indeterminate" && <span class="bar unsure" aria-hidden="true" />
      )}
      {text && <span class="meter-text">{text}</span>}
    </span>
  );
}

function fraction(g: Progress): number | null {
  if (g.kind !== "determinate") return null;
  const part = g.unit === "fraction" ? (g.value ?? 0) : g.total ? (g.done ?? 0) / g.total : null;
  return part === null ? null : Math.min(1, Math.max(0, part));
}

function figure(g: Progress): string {
  if (g.kind === "indeterminate") return g.hint ?? "";
  if (g.kind !== "determinate") return "";
  const part = fraction(g);
  if (g.unit === "fraction") return `${Math.round((part ?? 0) * 100)} %`;
  const say = g.unit === "bytes" ? bytes : count;
  return g.total ? `${say(g.done ?? 0)} of ${say(g.total)}` : say(g.done ?? 0);
}
