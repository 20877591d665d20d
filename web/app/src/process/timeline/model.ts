// What happened in a run, as bars and marks on one axis of time.
import type { Finding, Outcome, ProcessEvent, ProcessRecord } from "../../api/types";
import { duration, title } from "../../format";
import { brief } from "../events/kinds";

export const lanes = ["Run", "Phases", "Steps", "Tools", "Approvals", "Children", "Pauses", "Signals", "Notices"] as const;
export type Lane = (typeof lanes)[number];

export type Tone = "plain" | "good" | "bad" | "warn" | "info";

export interface Item {
  key: string;
  lane: Lane;
  row: number; // in its lane, so that nothing covers another
  name: string;
  detail: string;
  from: number; // ms
  to: number | null; // null: it goes on
  mark: boolean; // a moment
  tone: Tone;
  process?: number; // to look at
}

/** The kinds of events that are shown. */
export const shownKinds = [
  "process_queued,process_started,reattached,exited,finalized,cancelled,timed_out",
  "phase_entered,phase_updated,phase_exited,step_started,step_finished,tool_called,tool_returned,approval_requested,approval_decided",
  "child_spawned,reparented,signal_delivered,paused,resumed,warning_detected,known_error_detected,finding_emitted,prompt_detected,interpreter_error,stalled,recovered",
].join(",");

export function itemsOf(events: ProcessEvent[], children: Map<number, ProcessRecord>, run: number | null): Item[] {
  const b = new Builder(children);
  for (const e of events) if (run === null || e.run === run) b.add(e);
  return stack(b.items);
}

class Builder {
  readonly items: Item[] = [];
  private open = new Map<string, Item>();

  constructor(private children: Map<number, ProcessRecord>) {}

  add(e: ProcessEvent): void {
    const at = Date.parse(e.at);
    const kind = e.kind;
    if (kind === "process_queued") this.begin(e, at, "Run", `queue ${e.run}`, "Queued", "warn");
    else if (kind === "process_started") {
      this.end(`queue ${e.run}`, at);
      this.begin(e, at, "Run", `run ${e.run}`, `Run ${e.run}`, "info");
    } else if (kind === "finalized") this.finalized(e, at);
    else if (kind === "phase_entered") this.begin(e, at, "Phases", `phase ${String(e.phase)}`, brief(e), "plain");
    else if (kind === "phase_updated") this.rename(`phase ${String(e.phase)}`, brief(e));
    else if (kind === "phase_exited") this.end(`phase ${String(e.phase)}`, at);
    else if (kind === "step_started") this.begin(e, at, "Steps", `step ${String(e.step)}`, `Step ${String(e.step)}`, "info");
    else if (kind === "step_finished") this.end(`step ${String(e.step)}`, at, brief(e), e.error ? "bad" : undefined);
    else if (kind === "tool_called") this.begin(e, at, "Tools", `call ${String(e.call)}`, brief(e), "plain");
    else if (kind === "tool_returned") this.end(`call ${String(e.call)}`, at, brief(e), e.ok ? "good" : "bad");
    else if (kind === "approval_requested") this.begin(e, at, "Approvals", `approval ${String(e.approval)}`, brief(e), "warn");
    else if (kind === "approval_decided") this.end(`approval ${String(e.approval)}`, at, brief(e), e.state === "approved" ? "good" : "bad");
    else if (kind === "paused") this.begin(e, at, "Pauses", "pause", "Paused", "warn");
    else if (kind === "resumed") this.end("pause", at);
    else if (kind === "stalled") this.begin(e, at, "Notices", "silence", brief(e), "warn");
    else if (kind === "recovered") this.end("silence", at, brief(e));
    else if (kind === "child_spawned") this.child(e, at);
    else this.point(e, at);
  }

  private begin(e: ProcessEvent, at: number, lane: Lane, key: string, name: string, tone: Tone): Item {
    this.end(key, at); // it was never told to end
    const item: Item = { key: `${e.seq}`, lane, row: 0, name, detail: "", from: at, to: null, mark: false, tone };
    this.open.set(key, item);
    this.items.push(item);
    return item;
  }

  private end(key: string, at: number, detail = "", tone?: Tone): void {
    const item = this.open.get(key);
    if (!item) return;
    this.open.delete(key);
    item.to = at;
    item.detail = detail;
    if (tone) item.tone = tone;
  }

  private rename(key: string, name: string): void {
    const item = this.open.get(key);
    if (item) item.name = name;
  }

  // Nothing goes on after the end of a run.
  private finalized(e: ProcessEvent, at: number): void {
    const o = e.outcome as Outcome;
    this.end(`run ${e.run}`, at, o.kind, o.kind === "succeeded" ? "good" : o.kind === "failed" ? "bad" : "warn");
    for (const key of [...this.open.keys()]) this.end(key, at);
  }

  private child(e: ProcessEvent, at: number): void {
    const id = Number(e.child);
    const record = this.children.get(id);
    const ours = record && record.run === Number(e.childRun) ? record : null;
    const to = ours ? (ours.completedAt ? Date.parse(ours.completedAt) : null) : at;
    const tone: Tone = ours?.exitState === "success" ? "good" : ours?.exitState ? "bad" : "info";
    this.items.push({
      key: `${e.seq}`, lane: "Children", row: 0, from: at, to, mark: !ours, tone, process: id,
      name: record ? `${id} ${title(record)}` : `Process ${id}`,
      detail: [`run ${String(e.childRun)}`, ours?.exitState ?? ours?.state, e.restart ? `restart ${String(e.restart)}` : ""].filter(Boolean).join(", "),
    });
  }

  private point(e: ProcessEvent, at: number): void {
    const notice = ["warning_detected", "known_error_detected", "finding_emitted", "prompt_detected", "interpreter_error"].includes(e.kind);
    this.items.push({
      key: `${e.seq}`, lane: notice ? "Notices" : "Signals", row: 0, from: at, to: at, mark: true, detail: brief(e), tone: toneOf(e),
      name: e.kind === "signal_delivered" ? String(e.signal) : e.kind.replace(/_(detected|emitted)$/, "").replaceAll("_", " "),
    });
  }
}

function toneOf(e: ProcessEvent): Tone {
  if (e.kind === "finding_emitted") return ({ error: "bad", warning: "warn" } as Record<string, Tone>)[(e.finding as Finding).severity] ?? "info";
  if (["known_error_detected", "timed_out", "interpreter_error"].includes(e.kind)) return "bad";
  if (["warning_detected", "cancelled", "signal_delivered"].includes(e.kind)) return "warn";
  return e.kind === "exited" && e.code !== 0 ? "bad" : "plain";
}

const crowded = 20; // rows of a lane

// stack puts what overlaps below each other.
function stack(items: Item[]): Item[] {
  const ends = new Map<Lane, number[]>();
  for (const item of items.toSorted((a, b) => a.from - b.from || (b.to ?? Infinity) - (a.to ?? Infinity))) {
    const rows = ends.get(item.lane) ?? [];
    ends.set(item.lane, rows);
    let row = item.mark ? 0 : rows.findIndex((end) => end <= item.from);
    if (row < 0) row = Math.min(rows.length, crowded - 1);
    item.row = row;
    rows[row] = Math.max(rows[row] ?? 0, item.to ?? Infinity);
  }
  return items;
}

/** An item in words. */
export function spell(i: Item, start: number): string {
  const when = `at ${duration(Math.max(0, i.from - start))}`;
  const long = i.mark ? "" : i.to === null ? ", going on" : `, for ${duration(i.to - i.from)}`;
  return `${i.lane}: ${i.name}, ${when}${long}${i.detail ? `. ${i.detail}` : ""}`;
}
