// Figures and names as people read them.
import type { ProcessRecord } from "./api/types";

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const s = ms / 1000;
  if (s < 60) return `${s < 10 ? s.toFixed(1) : Math.floor(s)} s`;
  const m = Math.floor(s / 60);
  if (m < 60) return `${m} min ${pad(s % 60)} s`;
  const h = Math.floor(m / 60);
  return h < 24 ? `${h} h ${pad(m % 60)} min` : `${Math.floor(h / 24)} d ${h % 24} h`;
}

const pad = (n: number): string => String(Math.floor(n)).padStart(2, "0");

const units = ["B", "kB", "MB", "GB", "TB"];

export function bytes(n: number): string {
  let i = 0;
  while (n >= 1000 && i < units.length - 1) {
    n /= 1000;
    i++;
  }
  return `${i === 0 || n >= 100 ? Math.round(n) : n.toFixed(1)} ${units[i]}`;
}

export function count(n: number): string {
  if (n < 10_000) return String(n);
  return n < 1_000_000 ? `${(n / 1000).toFixed(n < 100_000 ? 1 : 0)}k` : `${(n / 1_000_000).toFixed(1)}M`;
}

export function ago(at: string, now: number): string {
  const ms = now - Date.parse(at);
  if (ms < 60_000) return ms < 1000 ? "now" : `${Math.floor(ms / 1000)} s ago`;
  return `${duration(ms).replace(/ \d+ (s|min|h)$/, "")} ago`;
}

export function clock(at: string): string {
  const t = new Date(at);
  return `${pad(t.getHours())}:${pad(t.getMinutes())}:${pad(t.getSeconds())}.${String(t.getMilliseconds()).padStart(3, "0")}`;
}

export const plural = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;

/** A word as a shell would take it. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

// What turns text around, or is not to be seen: with it one thing could be made
// to look like another. Joiners are left alone, as scripts and emoji need them.
const sly = /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;

/** A text with everything spelled out that is meant not to be seen. */
export function plainly(text: string): string {
  return text.replace(sly, (c) => [...Array(c.length).keys()].map((i) => `\\u${c.charCodeAt(i).toString(16).padStart(4, "0")}`).join(""));
}

/** What a process is called: its label, its command line, or its first line of code. */
export function title(p: ProcessRecord): string {
  return plainly(called(p));
}

function called(p: ProcessRecord): string {
  if (p.label) return p.label;
  if (p.command) return [p.command.program, ...p.command.args].map(quote).join(" ");
  const line = (p.code ?? "").trim().split("\n", 1)[0] ?? "";
  return line.slice(0, 200) || p.ref || `${p.environment} ${p.id}`;
}

/** One word for how a process is. */
export function status(p: Pick<ProcessRecord, "paused" | "state" | "exitState">): string {
  if (p.paused) return "paused";
  if (p.state !== "idle") return p.state;
  return p.exitState ?? "created";
}

/** Elapsed time without pauses; it stands still while the process does. */
export function elapsed(p: ProcessRecord, fetchedAt: number, now: number): number {
  const runs = p.state !== "idle" && p.state !== "queued" && !p.paused && p.startedAt;
  return p.usage.wallMs + (runs ? Math.max(0, now - fetchedAt) : 0);
}
