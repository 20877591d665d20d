// What waits for a decision, and what was decided, as the daemon has it now.
import { useEffect, useRef, useState } from "preact/hooks";
import { byIds } from "../api/processes";
import { approvals } from "../api/tools";
import type { Approval, ProcessEvent, ProcessRecord } from "../api/types";
import { useCoalesced } from "../state/coalesced";
import { subscribe } from "../state/feed";
import { complain } from "../ui/toast";

export interface Live {
  pending: Approval[] | null; // oldest first: who waited longest comes first
  decided: Approval[];
  more: string | null; // the cursor of what is older
  processes: Map<number, ProcessRecord>;
  reload: () => void;
  older: () => void;
}

const telling = new Set(["approval_requested", "approval_decided"]);
const page = 50;

export function useApprovals(): Live {
  const [pending, setPending] = useState<Approval[] | null>(null);
  const [decided, setDecided] = useState<Approval[]>([]);
  const [more, setMore] = useState<string | null>(null);
  const processes = useProcesses([...(pending ?? []), ...decided]);
  const reload = useCoalesced(async () => {
    const [waiting, all] = await Promise.all([approvals("pending", 1000), approvals("", page)]);
    setPending(waiting.approvals.reverse());
    const newest = all.approvals.filter((a) => a.state !== "pending");
    setDecided((old) => merge(newest, old));
    setMore((old) => old ?? all.nextCursor);
  });
  const asking = useRef(new Set<number>());
  asking.current = new Set(pending?.map((a) => a.process));
  useEffect(() => {
    reload();
    const tells = (e: ProcessEvent): boolean => telling.has(e.kind) || (e.kind === "finalized" && asking.current.has(e.process));
    return subscribe({ events: (events) => events.some(tells) && reload(), reload });
  }, []);
  const older = (): void =>
    void approvals("", page, more ?? undefined).then((p) => {
      setDecided((old) => merge(old, p.approvals.filter((a) => a.state !== "pending")));
      setMore(p.nextCursor);
    }, complain);
  return { pending, decided, more, processes, reload, older };
}

function merge(newer: Approval[], rest: Approval[]): Approval[] {
  const ids = new Set(newer.map((a) => a.id));
  return [...newer, ...rest.filter((a) => !ids.has(a.id))].sort((a, b) => b.id - a.id);
}

// The processes that ask, for their titles. What cannot be had is named by its id.
function useProcesses(all: Approval[]): Map<number, ProcessRecord> {
  const [known, setKnown] = useState(new Map<number, ProcessRecord>());
  const wanted = [...new Set(all.map((a) => a.process))].filter((id) => !known.has(id));
  useEffect(() => {
    if (wanted.length === 0) return;
    const gone = new AbortController();
    byIds(wanted, {}, gone.signal).then(
      (found) => setKnown((old) => new Map([...old, ...found.map((p) => [p.id, p] as const)])),
      () => {},
    );
    return () => gone.abort();
  }, [wanted.join()]);
  return known;
}
