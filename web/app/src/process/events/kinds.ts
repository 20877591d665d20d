import type { Finding, Outcome, Phase, ProcessEvent, Progress } from "../../api/types";
import { bytes, duration } from "../../format";

/** The kinds of events there are. */
export const allKinds = (
  "process_created process_queued process_started output_appended output_elided output_merged phase_entered phase_updated phase_exited " +
  "progress_updated label_updated warning_detected known_error_detected finding_emitted prompt_detected summary_set interpreter_error " +
  "signal_delivered paused resumed step_started step_finished tool_called tool_returned approval_requested approval_decided child_spawned " +
  "reparented reaped stalled recovered exited cancelled timed_out reattached finalized"
).split(" ");

type Teller = (e: ProcessEvent) => string;

const field = (name: string): Teller => (e) => String(e[name] ?? "");
const phase: Teller = (e) => (e as unknown as Phase).label ?? (e as unknown as Phase).name;
const tool: Teller = (e) => `${String(e.service)}/${String(e.tool)}`;
const coded: Teller = (e) => `${String(e.code)}: ${String(e.message)}`;

const tellers: Record<string, Teller> = {
  process_created: (e) => [e.environment, e.label].filter(Boolean).join(" · "),
  process_started: (e) => (e.pid ? `pid ${String(e.pid)}` : ""),
  output_appended: (e) => `${String(e.stream)}: ${String(e.line)}`,
  output_elided: (e) => `${Number(e.toSeq) - Number(e.fromSeq) + 1} lines are not kept`,
  output_merged: (e) => JSON.stringify(e.output),
  phase_entered: phase,
  phase_updated: phase,
  phase_exited: phase,
  progress_updated: (e) => progressText(e.progress as Progress),
  label_updated: field("label"),
  warning_detected: coded,
  known_error_detected: coded,
  finding_emitted: (e) => `${(e.finding as Finding).severity}: ${(e.finding as Finding).message}`,
  prompt_detected: field("prompt"),
  summary_set: field("summary"),
  interpreter_error: field("error"),
  signal_delivered: (e) => `${String(e.signal)}, ${String(e.action)}`,
  step_started: (e) => `step ${String(e.step)}`,
  step_finished: (e) => `step ${String(e.step)}, ${Number(e.inputTokens) + Number(e.outputTokens)} tokens, ${duration(Number(e.durationMs))}`,
  tool_called: tool,
  tool_returned: (e) => `${tool(e)} ${e.ok ? "ok" : String(e.error || e.code)}, ${duration(Number(e.durationMs))}`,
  approval_requested: (e) => `${tool(e)}, approval ${String(e.approval)}`,
  approval_decided: (e) => `approval ${String(e.approval)} ${String(e.state)}${e.by ? ` by ${String(e.by)}` : ""}`,
  child_spawned: (e) => `process ${String(e.child)}, run ${String(e.childRun)}`,
  reparented: (e) => `from ${String(e.from)} to ${String(e.to)}`,
  reaped: (e) => (e.steps as string[]).join(", "),
  stalled: (e) => `nothing heard for ${duration(Number(e.silentMs))}`,
  recovered: (e) => `heard again after ${duration(Number(e.silentMs))}`,
  exited: (e) => (e.signal ? `by ${String(e.signal)}` : `code ${String(e.code)}`),
  cancelled: (e) => (e.now ? "at once" : "with grace"),
  timed_out: (e) => `after ${duration(Number(e.timeoutMs))}`,
  finalized: (e) => (e.outcome as Outcome).kind,
};

const longest = 300; // characters: a row has no room for more

/** An event in a few words. */
export function brief(e: ProcessEvent): string {
  return (tellers[e.kind]?.(e) ?? "").slice(0, longest);
}

export function progressText(p: Progress): string {
  if (p.kind !== "determinate") return p.hint || p.kind;
  if (p.unit === "fraction") return `${Math.round((p.value ?? 0) * 100)} %`;
  const n = (v: number): string => (p.unit === "bytes" ? bytes(v) : String(v));
  return p.total ? `${n(p.done ?? 0)} of ${n(p.total)}` : n(p.done ?? 0);
}
