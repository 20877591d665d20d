// A form filled in as a process was made. What is secret is not known: the API
// does not show it.
import type { ProcessRecord } from "../api/types";
import { quote } from "../format";
import { fromApi } from "./convert";
import { fieldsOf } from "./fields";
import { isKind, type Kind, type Values } from "./kinds";

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
    if (v !== undefined && v !== f.choices?.[0]) values[f.path] = v;
  }
  if (kind !== "command") values.code = p.code ?? "";
  else if (p.command) values.line = [p.command.program, ...p.command.args].map(quote).join(" ");
  else Object.assign(values, { line: p.code ?? "", shell: true });
  return { kind, values, missing: missing(p) };
}

function at(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((v, name) => (v as Record<string, unknown> | null | undefined)?.[name], value);
}

function missing(p: ProcessRecord): string[] {
  const all: string[] = [];
  const names = Object.keys(p.command?.env ?? {});
  if (names.length > 0) all.push(`the values of ${names.join(", ")}`);
  if (p.command?.stdin) all.push("its input");
  if ((p as { notify?: unknown }).notify) all.push("whom to notify");
  return all;
}
