// The form: what is in it, what is wrong with it, and sending it once.
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, sentence } from "../api/http";
import { Mistake } from "./convert";
import { load, save } from "./draft";
import type { Kind, Value, Values } from "./kinds";

export interface Wrong {
  field: string; // empty: the whole
  text: string;
}

export interface Form {
  values: Values;
  revision: number; // how often it was filled in
  set: (path: string, v: Value) => void;
  fill: (values: Values) => void;
  wrong: Wrong | null;
  busy: boolean;
  /** Does something with the form, once at a time, and shows what went wrong. */
  attempt: (work: () => Promise<void>) => Promise<void>;
}

/** The form of a kind, as it was left. fields are the paths at which errors can be shown. */
export function useForm(kind: Kind, fields: string[]): Form {
  const [values, setValues] = useState<Values>(() => load(kind));
  const [revision, setRevision] = useState(0);
  const [wrong, setWrong] = useState<Wrong | null>(null);
  const [busy, setBusy] = useState(false);
  const working = useRef(false);
  useEffect(() => save(kind, values), [kind, values]);
  return {
    values,
    revision,
    set: (path, v) => {
      setValues((old) => ({ ...old, [path]: v }));
      setWrong((old) => (old && (old.field === path || old.field === "") ? null : old));
    },
    fill: (v) => {
      setValues(v);
      setRevision((n) => n + 1);
      setWrong(null);
    },
    wrong,
    busy,
    attempt: async (work) => {
      if (working.current) return; // a double click
      working.current = true;
      setBusy(true);
      setWrong(null);
      try {
        await work();
      } catch (e) {
        setWrong(place(e, fields));
      } finally {
        working.current = false;
        setBusy(false);
      }
    },
  };
}

// place finds the field that an error is about: its sentence begins with it.
export function place(e: unknown, fields: string[]): Wrong {
  if (e instanceof Mistake) return { field: e.field, text: e.message };
  const text = sentence(e);
  if (e instanceof ApiError && e.code === "ref_conflict") return { field: "ref", text: `Another process has this ref. Choose another one.` };
  const named = /^([A-Za-z][\w.]*(?:\[\d+\])?[\w.[\]]*): ([\s\S]+)$/.exec(text);
  const path = (named?.[1] ?? "").replace(/\[\d+\]/g, "").replace(/^command\.(program|args)$|^command$/, "line");
  const field = fields.filter((f) => path === f || path.startsWith(`${f}.`)).sort((a, b) => b.length - a.length)[0];
  if (!named || !field) return { field: "", text: upper(text) };
  return { field, text: upper(named[2]!) };
}

const upper = (s: string): string => s.charAt(0).toUpperCase() + s.slice(1);
