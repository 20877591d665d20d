// The kinds of processes that a person can make here.

export type Kind = "typescript" | "command" | "agent" | "supervisor";

export const kinds: { kind: Kind; name: string; what: string }[] = [
  { kind: "typescript", name: "TypeScript", what: "A program, confined, that reaches the outside by tools." },
  { kind: "command", name: "Command", what: "A program of this machine, or a script for the shell." },
  { kind: "agent", name: "Agent", what: "A language model that works on an intent, step by step." },
  { kind: "supervisor", name: "Supervisor", what: "Processes that are started in an order, and again when they end." },
];

export const isKind = (s: string | null): s is Kind => kinds.some((k) => k.kind === s);

/** What a person has typed, by the path of the field in POST /processes. */
export type Value = string | boolean | Row[];
export type Values = Record<string, Value>;

/** One variable of the environment. */
export interface Row {
  name: string;
  value: string;
}

export const text = (v: Value | undefined): string => (typeof v === "string" ? v : "");
export const rows = (v: Value | undefined): Row[] => (Array.isArray(v) ? v : []);
