// The form: what is in it, what is wrong with it, and sending it once.
import { useRef, useState } from "preact/hooks";
import { load, save } from "./draft";
import type { Kind, Value, Values } from "./kinds";
import { place, type Wrong } from "./place";

export interface Form {
  values: Values;
  revision: number; // how often it was filled in
  set: (path: string, v: Value) => void;
  fill: (values: Values) => void;
  wrong: Wrong | null;
  busy: boolean;
  /** Does something with what is in the form, once at a time, and shows what went wrong. */
  attempt: (work: (values: Values) => Promise<void>) => Promise<void>;
}

/** The form of a kind, as it was left. fields are the paths at which errors can be shown. */
export function useForm(kind: Kind, fields: string[]): Form {
  const [values, setValues] = useState<Values>(() => load(kind));
  const [revision, setRevision] = useState(0);
  const [wrong, setWrong] = useState<Wrong | null>(null);
  const [busy, setBusy] = useState(false);
  const working = useRef(false);
  const latest = useRef(values);
  // At once, not when it is shown: the page may be left before.
  const keep = (next: Values): void => {
    latest.current = next;
    save(kind, next);
    setValues(next);
  };
  return {
    values,
    revision,
    set: (path, v) => {
      keep({ ...latest.current, [path]: v });
      setWrong((old) => (old && (old.field === path || old.field === "") ? null : old));
    },
    fill: (v) => {
      keep(v);
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
        await work(latest.current);
      } catch (e) {
        setWrong(place(e, fields));
      } finally {
        working.current = false;
        setBusy(false);
      }
    },
  };
}
