// The record of the process that is looked at, kept fresh.
import { useEffect, useState } from "preact/hooks";
import { ApiError, sentence } from "../api/http";
import { one } from "../api/processes";
import type { ProcessRecord } from "../api/types";
import { subscribe } from "../state/feed";

export interface Looked {
  record: ProcessRecord | null;
  at: number; // when it was answered
  problem: string;
}

const gather = 100; // ms: events come in crowds
const pulse = 5000; // ms: use of resources changes without an event

export function useProcess(id: number): Looked {
  const [looked, setLooked] = useState<Looked>({ record: null, at: 0, problem: "" });
  const active = looked.record !== null && looked.record.state !== "idle";
  useEffect(() => {
    let gone = false;
    let timer = 0;
    const fetch = async (): Promise<void> => {
      try {
        const record = await one(id);
        if (!gone) setLooked({ record, at: Date.now(), problem: "" });
      } catch (e) {
        if (gone) return;
        if (e instanceof ApiError && e.status === 404) setLooked({ record: null, at: 0, problem: `There is no process ${id}. It may have been deleted.` });
        else setLooked((old) => (old.record ? old : { ...old, problem: sentence(e) }));
      }
    };
    const soon = (): void => {
      timer ||= window.setTimeout(() => {
        timer = 0;
        void fetch();
      }, gather);
    };
    void fetch();
    const beat = active ? setInterval(() => !document.hidden && soon(), pulse) : 0;
    const leave = subscribe({ events: (events) => events.some((e) => e.process === id) && soon(), reload: soon, vanished: soon });
    return () => {
      gone = true;
      clearTimeout(timer);
      clearInterval(beat);
      leave();
    };
  }, [id, active]);
  return looked;
}
