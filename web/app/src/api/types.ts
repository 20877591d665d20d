// What the API answers, as far as the dashboard uses it. The contract is the
// daemon's: see GET /openapi.json.

export type State = "queued" | "running" | "terminating" | "idle";
export type ExitState = "success" | "failed" | "timeout" | "canceled";
export type Severity = "info" | "recommendation" | "warning" | "error";

export interface Exit {
  code: number;
  reason: string;
  signal: string | null;
}

export interface Action {
  kind: "command" | "link" | "instruction";
  [field: string]: unknown;
}

export interface Finding {
  severity: Severity;
  code: string;
  message: string;
  action: Action | null;
  related: unknown;
  at: string;
}

export interface Survivor {
  pid: number;
  command: string;
}

export interface Outcome {
  kind: "succeeded" | "failed" | "cancelled";
  reason?: { kind: string; [field: string]: unknown };
  summary: string | null;
  findings: Finding[];
  survivors: Survivor[];
}

export interface Progress {
  kind: "unknown" | "indeterminate" | "determinate";
  hint?: string;
  unit?: "fraction" | "count" | "bytes";
  value?: number;
  done?: number;
  total?: number | null;
}

export interface Usage {
  wallMs: number;
  pausedMs: number;
  cpuMs: number;
  maxRssBytes: number;
  tokens: number;
}

export interface Phase {
  phase?: number | string;
  name: string;
  label: string | null;
}

export interface Command {
  program: string;
  args: string[];
  env: Record<string, string>;
  envClear: boolean;
  cwd: string | null;
  stdin: string | null;
  pty: boolean;
  mergeStreams: boolean;
  successCodes: number[];
  leftovers: string;
}

export interface ProcessRecord {
  id: number;
  ref: string | null;
  parent: number | null;
  environment: string;
  label: string | null;
  tags: string[];
  priority: number;
  state: State;
  exitState: ExitState | null;
  lifecycle: string;
  paused: boolean;
  pausedAt: string | null;
  error: string | null;
  exit: Exit | null;
  outcome: Outcome | null;
  code?: string;
  command: Command | null;
  options: Record<string, unknown>;
  output?: Record<string, unknown>;
  stdout?: string;
  stderr?: string;
  stdoutBytes: number;
  stderrBytes: number;
  phase: Phase | null;
  progress: Progress;
  run: number;
  enforced: { treeKill: string; missing: string[]; [field: string]: unknown } | null;
  usage: Usage;
  interpreter: string;
  rawOutput: string;
  notify?: { url: string; signed: boolean } | null;
  createdAt: string;
  startedAt: string | null;
  completedAt: string | null;
}

export interface Tree extends ProcessRecord {
  children: Tree[];
}

export interface RunRecord {
  run: number;
  exitState: ExitState | null;
  error: string | null;
  exit: Exit | null;
  outcome: Outcome | null;
  usage: Usage;
  stdoutBytes: number;
  stderrBytes: number;
  startedAt: string | null;
  completedAt: string | null;
}

export interface ProcessEvent {
  seq?: number; // live notices have none
  cursor?: string;
  process: number;
  run: number;
  at: string;
  kind: string;
  [field: string]: unknown;
}

export interface Overview {
  cursor: string;
  at: string;
  total: number;
  states: Record<State, number>;
  paused: number;
  exitStates: Record<ExitState | "none", number>;
  environments: Record<string, number>;
  tags: { tag: string; count: number }[];
  approvals: number;
  activity: { stepMs: number; from: string; created: number[]; succeeded: number[]; failed: number[] };
}

export interface Sample {
  at: string;
  cpuMs: number;
  rssBytes: number;
  pids: number;
  tokens: number;
}

export interface Approval {
  id: number;
  process: number;
  run: number;
  call: number;
  service: string;
  tool: string;
  params: unknown;
  state: "pending" | "approved" | "denied" | "expired" | "canceled";
  requestedAt: string;
  expiresAt: string;
  decidedAt: string | null;
  [field: string]: unknown;
}

export interface Environment {
  name: string;
  default: boolean;
  slots: number | null;
  defaultTimeoutMs: number | null;
}

export interface Version {
  version: string;
  commit: string;
  go: string;
  engines: string[];
  pid: number;
  dataDir: string;
}
