// Where in a form something is wrong.
import { Mistake } from "./convert";

export interface Wrong {
  field: string; // empty: the whole
  text: string;
}

/** Finds the field that an error is about: the daemon's sentence begins with it. */
export function place(e: unknown, fields: string[]): Wrong {
  if (e instanceof Mistake) return { field: e.field, text: e.message };
  const text = e instanceof Error ? e.message : String(e);
  if ((e as { code?: string }).code === "ref_conflict") return { field: "ref", text: "Another process has this ref. Choose another one." };
  const named = /^([A-Za-z][\w.]*(?:\[\d+\])?[\w.[\]]*): ([\s\S]+)$/.exec(text);
  const path = (named?.[1] ?? "").replace(/\[\d+\]/g, "").replace(/^command\.(program|args)$|^command$/, "line");
  const field = fields.filter((f) => path === f || path.startsWith(`${f}.`)).sort((a, b) => b.length - a.length)[0];
  if (!named || !field) return { field: "", text: upper(text) };
  return { field, text: upper(named[2]!) };
}

const upper = (s: string): string => s.charAt(0).toUpperCase() + s.slice(1);
