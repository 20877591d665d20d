// The fields of a process, as people see them. Each stands for one field of
// POST /processes, by its path there, so that an error of the daemon is shown
// where its cause is.
import type { Kind } from "./kinds";

export type FieldKind = "text" | "area" | "number" | "duration" | "bytes" | "list" | "numbers" | "choice" | "check" | "pairs" | "secret";

export interface Field {
  path: string;
  label: string;
  hint: string;
  kind: FieldKind;
  choices?: string[]; // of a choice: the first is the daemon's default; of others: suggestions
  example?: string;
  only?: Kind[];
  secret?: boolean; // typed again after a reload: drafts do not keep it
}

export interface Group {
  title: string;
  fields: Field[];
}

const machine: Kind[] = ["typescript", "command"];

const naming: Field[] = [
  { path: "label", label: "Label", kind: "text", hint: "A title for people." },
  { path: "tags", label: "Tags", kind: "list", hint: "For filtering, with commas between them.", example: "ci, nightly" },
  { path: "ref", label: "Ref", kind: "text", hint: "A name that no other process has." },
  { path: "parent", label: "Parent", kind: "number", hint: "The id of the process to put it below." },
  { path: "priority", label: "Priority", kind: "number", hint: "Higher ones overtake others in the queue.", example: "0" },
];

const streams: Field[] = [
  { path: "command.stdin", label: "Standard input", kind: "area", hint: "Text that it reads. Stored encrypted, never shown again.", only: ["command"], secret: true },
  { path: "command.stdinOpen", label: "Leave its input open", kind: "check", hint: "You can send more while it runs.", only: ["command"] },
  { path: "command.pty", label: "Give it a terminal", kind: "check", hint: "For programs that want one; you can attach to it.", only: ["command"] },
  { path: "command.mergeStreams", label: "Merge the streams", kind: "check", hint: "stderr goes to stdout's log, in the exact order.", only: ["command"] },
  { path: "command.envClear", label: "Empty environment", kind: "check", hint: "Without the daemon's own variables.", only: ["command"] },
  { path: "interpreter", label: "Interpreter", kind: "text", hint: "What reads its output: phases, progress, findings.", example: "generic", choices: ["generic", "none", "go-test", "cargo", "npm", "pip", "make", "docker-build", "pytest"] },
  { path: "rawOutput", label: "Keep its output", kind: "choice", hint: "What is kept of the bytes it writes.", choices: ["persist", "persist-gzip", "memory", "disabled"] },
];

const ending: Field[] = [
  { path: "options.timeout", label: "Timeout", kind: "duration", hint: "As 90s or 5m. “none” takes the default away.", example: "30s" },
  { path: "options.grace", label: "Grace", kind: "duration", hint: "Between SIGTERM and SIGKILL.", example: "5s" },
  { path: "options.drain", label: "Drain", kind: "duration", hint: "What descendants have after the program's exit.", example: "1s", only: ["command"] },
  { path: "options.heartbeat", label: "Heartbeat", kind: "duration", hint: "Silence after which it counts as stalled." },
  { path: "command.successCodes", label: "Exit codes that are success", kind: "numbers", hint: "With commas between them.", example: "0", only: ["command"] },
  { path: "command.leftovers", label: "Descendants that outlive it", kind: "choice", hint: "End them, or wait for them.", choices: ["kill", "wait"], only: ["command"] },
];

const limits: Field[] = [
  { path: "options.limits.memoryBytes", label: "Memory", kind: "bytes", hint: "As 256 MB or 1 GiB.", example: "256 MB", only: machine },
  { path: "options.limits.cpuMs", label: "CPU time", kind: "duration", hint: "Of all its processes together.", example: "1m", only: machine },
  { path: "options.limits.pids", label: "Processes", kind: "number", hint: "Processes and threads at a time.", only: ["command"] },
  { path: "options.limits.outputBytes", label: "Output", kind: "bytes", hint: "One that writes more is ended.", example: "100 MB", only: machine },
  { path: "options.limits.openFiles", label: "Open files", kind: "number", hint: "Of each process.", only: ["command"] },
  { path: "options.sandbox", label: "Sandbox", kind: "choice", hint: "confined writes in few places; sandbox sees its folder only, and no network.", choices: ["trusted", "confined", "sandbox"], only: ["command"] },
  { path: "options.require", label: "Require", kind: "list", hint: "What it must not run without, such as tree-kill, no-network, memory.", example: "tree-kill", only: machine },
  { path: "options.jit", label: "Compile to machine code", kind: "choice", hint: "no: interpret only.", choices: ["yes", "no"], only: ["typescript"] },
];

const budget: Field[] = [
  { path: "options.budget.tokens", label: "Tokens", kind: "number", hint: "Of language models, with all below it." },
  { path: "options.budget.wallMs", label: "Time", kind: "duration", hint: "On its own clock: not while queued or paused." },
  { path: "options.budget.cpuMs", label: "CPU time", kind: "duration", hint: "With all below it." },
  { path: "options.budget.children", label: "Children", kind: "number", hint: "Processes started below it, ever." },
  { path: "options.budget.depth", label: "Depth", kind: "number", hint: "Generations below it." },
  { path: "options.budget.onExceeded", label: "When it is used up", kind: "choice", hint: "End it, or ask a person for more.", choices: ["stop", "ask"] },
];

const tools: Field[] = [
  { path: "options.tools", label: "Tools", kind: "list", hint: "Patterns of those it may call. Empty: all that the policy allows; “none”: no tool.", example: "shop/get_*", only: ["typescript", "agent"] },
];

const notify: Field[] = [
  { path: "notify.url", label: "Tell this address when a run is over", kind: "text", hint: "By http or https.", example: "https://example.com/done", secret: true },
  { path: "notify.secret", label: "Secret that signs it", kind: "secret", hint: "Never shown again.", secret: true },
];

const groups: Group[] = [
  { title: "Name and place", fields: naming },
  { title: "Time and end", fields: ending },
  { title: "Limits and isolation", fields: limits },
  { title: "Input and output", fields: streams },
  { title: "Budget and tools", fields: [...tools, ...budget] },
  { title: "Notify", fields: notify },
];

/** Those shown at once. */
const upFront: Field[] = [
  { path: "command.cwd", label: "Working directory", kind: "text", hint: "Empty: the daemon's own.", example: "/srv/app", only: ["command"] },
  { path: "command.env", label: "Environment variables", kind: "pairs", hint: "Values are stored encrypted and never shown again.", only: ["command"], secret: true },
  { path: "options.model", label: "Model", kind: "text", hint: "Empty: the daemon's default.", example: "gpt-5", only: ["agent"] },
  { path: "options.provider", label: "Provider", kind: "choice", hint: "Whose protocol the endpoint speaks.", choices: ["by the model", "openai", "anthropic"], only: ["agent"] },
  { path: "options.maxSteps", label: "Steps at most", kind: "number", hint: "How often the model may be asked.", example: "50", only: ["agent"] },
  { path: "options.system", label: "System prompt", kind: "area", hint: "Replaces the default one.", only: ["agent"] },
];

const fits = (kind: Kind) => (f: Field): boolean => !f.only || f.only.includes(kind);

export const shownFirst = (kind: Kind): Field[] => upFront.filter(fits(kind));

export const groupsOf = (kind: Kind): Group[] =>
  groups.map((g) => ({ ...g, fields: g.fields.filter(fits(kind)) })).filter((g) => g.fields.length > 0);

export const fieldsOf = (kind: Kind): Field[] => [...shownFirst(kind), ...groupsOf(kind).flatMap((g) => g.fields)];
