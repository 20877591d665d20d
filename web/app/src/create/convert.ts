// Between what people type and what the API takes.
import type { Field } from "./fields";
import { rows, text, type Row, type Value } from "./kinds";

/** Something that a field cannot be, and what it should be. */
export class Mistake extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}

/** The value of a field for the API; undefined: left out. */
export function toApi(f: Field, v: Value | undefined): unknown {
  if (f.kind === "check") return v === true ? true : undefined;
  if (f.kind === "pairs") return pairs(f.path, rows(v));
  const s = f.kind === "area" || f.kind === "secret" ? text(v) : text(v).trim();
  if (s === "") return undefined;
  switch (f.kind) {
    case "number":
      return whole(f.path, s);
    case "numbers":
      return split(s).map((n) => whole(f.path, n));
    case "duration":
      return duration(f.path, s);
    case "bytes":
      return bytes(f.path, s);
    case "list":
      return s === "none" && f.path === "options.tools" ? [] : split(s);
    case "choice":
      return choice(f, s);
    default:
      return s;
  }
}

const split = (s: string): string[] => s.split(",").map((w) => w.trim()).filter(Boolean);

function choice(f: Field, s: string): unknown {
  if (s === f.choices?.[0]) return undefined;
  return f.path === "options.jit" ? false : s;
}

function whole(field: string, s: string): number {
  if (!/^-?\d+$/.test(s)) throw new Mistake(field, `“${s}” is not a whole number.`);
  return Number(s);
}

const millis: Record<string, number> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

// As the command line has them: 500ms, 1m30s; a bare number is milliseconds.
function duration(field: string, s: string): number | null {
  if (s === "none") return null;
  if (/^\d+$/.test(s)) return Number(s);
  const parts = [...s.matchAll(/(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|d)\s*/g)];
  if (parts.length === 0 || parts.map((p) => p[0]).join("") !== s) {
    throw new Mistake(field, `“${s}” is not a duration: want one like 500ms, 30s or 5m.`);
  }
  return Math.round(parts.reduce((sum, p) => sum + Number(p[1]) * millis[p[2]!]!, 0));
}

const sizes: Record<string, number> = { "": 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12, ki: 1024, mi: 1024 ** 2, gi: 1024 ** 3, ti: 1024 ** 4 };

function bytes(field: string, s: string): number {
  const found = /^(\d+(?:\.\d+)?)\s*([kmgt]?i?)b?$/i.exec(s);
  const unit = found && sizes[found[2]!.toLowerCase()];
  if (!unit) throw new Mistake(field, `“${s}” is not a number of bytes: want one like 500 kB, 256 MB or 1 GiB.`);
  return Math.round(Number(found[1]) * unit);
}

function pairs(field: string, all: Row[]): Record<string, string> | undefined {
  const given = all.filter((r) => r.name.trim() !== "" || r.value !== "");
  if (given.length === 0) return undefined;
  const env: Record<string, string> = {};
  for (const r of given) {
    const name = r.name.trim();
    if (name === "") throw new Mistake(field, "One of the variables has no name.");
    if (name in env) throw new Mistake(field, `${name} is there twice.`);
    env[name] = r.value;
  }
  return env;
}

/** What a person would have typed for a value of a record. */
export function fromApi(f: Field, v: unknown): Value | undefined {
  if (v === undefined || v === null) return f.path === "options.timeout" && v === null ? "none" : undefined;
  switch (f.kind) {
    case "check":
      return v === true ? true : undefined;
    case "pairs":
      return Object.keys(v as object).map((name) => ({ name, value: "" }));
    case "list":
      return (v as string[]).length === 0 && f.path === "options.tools" ? "none" : (v as string[]).join(", ");
    case "numbers":
      return (v as number[]).join(", ");
    case "duration":
      return shortest(Number(v));
    case "choice":
      return f.path === "options.jit" ? (v ? "yes" : "no") : String(v);
    default:
      return f.secret || v === 0 ? undefined : String(v);
  }
}

function shortest(ms: number): string {
  if (ms % 60_000 === 0 && ms > 0) return `${ms / 60_000}m`;
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}
