// A form filled in as a process was made. What is secret is not known: the API
// does not show it.
import type { ProcessRecord } from "../api/types";
import { quote } from "../format";
import { fromApi } from "./convert";
import { fieldsOf } from "./fields";
import { isKind, type Kind, type Values } from "./kinds";

/** What the API shows in place of a secret. */
export const unknown = "•••";

export interface Likeness {
  kind: Kind;
  values: Values;
  missing: string[]; // what has to be typed again
}

export function likeness(p: ProcessRecord): Likeness {
  const kind: Kind = isKind(p.environment) ? p.environment : "typescript";
  const values: Values = {};
  const options: Record<string, unknown> = { ...p.options, timeout: p.options.timeoutMs };
  for (const f of fieldsOf(kind)) {
    if (f.path === "ref") continue; // nobody else may carry it
    const v = fromApi(f, at({ ...p, options }, f.path));
    if (v !== undefined && v !== f.choices?.[0] && v !== usual[f.path]) values[f.path] = v;
  }
  if (p.command?.stdin === "open") values["command.stdinOpen"] = true;
  if (kind === "supervisor") values.code = pretty(p.code ?? "");
  else if (kind !== "command") values.code = p.code ?? "";
  else if (p.command) values.line = [p.command.program, ...p.command.args].map(quote).join(" ");
  else Object.assign(values, { line: p.code ?? "", shell: true });
  return { kind, values, missing: missing(p) };
}

// What need not be said.
const usual: Record<string, string> = { "command.successCodes": "0", priority: "0" };

// A supervisor's description is JSON, and so YAML.
function pretty(code: string): string {
  try {
    return JSON.stringify(JSON.parse(code), null, 2);
  } catch {
    return code;
  }
}

function at(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((v, name) => (v as Record<string, unknown> | null | undefined)?.[name], value);
}

function missing(p: ProcessRecord): string[] {
  const all: string[] = [];
  const names = Object.keys(p.command?.env ?? {});
  if (names.length > 0) all.push(`the values of ${names.join(", ")}`);
  if (p.command?.stdin && p.command.stdin !== "open") all.push("its input");
  if (p.environment === "supervisor" && p.code?.includes(unknown)) all.push(`what stands there as ${unknown}`);
  if ((p as { notify?: unknown }).notify) all.push("whom to notify");
  return all;
}
