import type { ComponentChildren } from "preact";
import type { Exit, Outcome, ProcessRecord } from "../../api/types";
import { bytes, count, duration } from "../../format";
import { Elapsed } from "../../ui/elapsed";
import { Meter } from "../../ui/meter";

/** Figures of the newest run, in one line. */
export function Facts({ process: p, at }: { process: ProcessRecord; at: number }) {
  const u = p.usage;
  return (
    <dl class="process-facts">
      <Fact name="Elapsed">
        <Elapsed row={{ record: p, at, asked: at }} />
        {u.pausedMs > 0 && <span class="quiet"> + {duration(u.pausedMs)} paused</span>}
      </Fact>
      {p.run > 1 && <Fact name="Run">{p.run}</Fact>}
      {p.state !== "idle" && (p.phase || p.progress.kind !== "unknown") && (
        <Fact name={p.phase ? (p.phase.label ?? p.phase.name) : "Progress"}>
          <Meter process={p} />
        </Fact>
      )}
      {p.exit && <Fact name="Exit">{p.exit.reason === p.error ? p.exit.code : exitText(p.exit)}</Fact>}
      {p.outcome && reasonText(p.outcome) && <Fact name="Why">{reasonText(p.outcome)}</Fact>}
      {u.cpuMs > 0 && <Fact name="CPU">{duration(u.cpuMs)}</Fact>}
      {u.maxRssBytes > 0 && <Fact name="Memory">{bytes(u.maxRssBytes)}</Fact>}
      {u.tokens > 0 && <Fact name="Tokens">{count(u.tokens)}</Fact>}
      <Fact name="Output">{bytes(p.stdoutBytes + p.stderrBytes)}</Fact>
      {limitsOf(p) && <Fact name="Limits">{limitsOf(p)}</Fact>}
      {p.enforced?.treeKill && <Held enforced={p.enforced} />}
      {p.outcome && p.outcome.survivors.length > 0 && (
        <Fact name="Left alive">
          <span class="missing">{p.outcome.survivors.map((s) => `${s.pid} ${s.command}`).join(", ")}</span>
        </Fact>
      )}
    </dl>
  );
}

// Held is what holds the run, and what was asked for in vain.
function Held({ enforced: e }: { enforced: NonNullable<ProcessRecord["enforced"]> }) {
  const all = [e.treeKill, ...((e.confined as string[] | undefined) ?? [])];
  return (
    <Fact name="Enforced">
      <details class="held">
        <summary>
          {all.length}
          {e.missing.length > 0 && <span class="missing">, {e.missing.length} missing</span>}
        </summary>
        <p>Held by {all.join(", ")}.</p>
        {e.missing.length > 0 && <p class="missing">Not there: {e.missing.join("; ")}.</p>}
      </details>
    </Fact>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function exitText(e: Exit): string {
  const reason = e.reason === `exit status ${e.code}` || (e.code === 0 && e.reason === "completed") ? "" : ` ${e.reason}`;
  return `${e.code}${reason}${e.signal && !reason.includes(e.signal) ? ` (${e.signal})` : ""}`;
}

// What the exit and the error do not say already.
function reasonText(o: Outcome): string {
  const r = o.reason;
  if (r?.kind === "known_error") return `${String(r.code)}: ${String(r.message)}`;
  return r?.kind === "spawn_failed" ? "it could not be started" : "";
}

function limitsOf(p: ProcessRecord): string {
  const o = p.options as { timeoutMs?: number | null; sandbox?: string; limits?: Record<string, number>; budget?: Record<string, unknown>; maxSteps?: number };
  const l = o.limits ?? {};
  return [
    o.timeoutMs && `${duration(o.timeoutMs)}`,
    l.memoryBytes && `${bytes(l.memoryBytes)} memory`,
    l.pids && `${l.pids} processes`,
    l.cpuMs && `${duration(l.cpuMs)} CPU`,
    l.outputBytes && `${bytes(l.outputBytes)} output`,
    l.openFiles && `${l.openFiles} files`,
    o.maxSteps && `${o.maxSteps} steps`,
    ...Object.entries(o.budget ?? {}).map(([name, value]) => `${name} ${String(value)}`),
    o.sandbox && o.sandbox !== "trusted" && o.sandbox,
  ]
    .filter(Boolean)
    .join(", ");
}
