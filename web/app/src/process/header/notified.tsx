// Whether somebody was told of the end of the newest run.
import { useEffect, useState } from "preact/hooks";
import { get, post } from "../../api/http";
import type { ProcessRecord } from "../../api/types";
import { plural } from "../../format";
import { attempt } from "../../ui/toast";

interface Notification {
  run: number;
  state: "pending" | "delivered" | "failed";
  attempts: number;
  lastStatus: number | null;
  lastError: string | null;
  nextAttemptAt: string | null;
}

const again = 3000; // ms between two looks at one that is pending

export function Notified({ process: p }: { process: ProcessRecord }) {
  const [last, setLast] = useState<Notification | null>(null);
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    let timer = 0;
    let gone = false;
    const load = async (): Promise<void> => {
      const page = await get<{ notifications: Notification[] }>(`/processes/${p.id}/notifications`, { limit: 1 }).catch(() => null);
      if (gone) return;
      const newest = page?.notifications[0] ?? null;
      setLast(newest);
      if (newest?.state === "pending") timer = window.setTimeout(() => void load(), again);
    };
    void load();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [p.id, p.run, p.state, asked]);
  const retry = (): void =>
    void attempt(async () => {
      await post(`/processes/${p.id}/notifications/${last!.run}/retry`);
      setAsked(asked + 1);
    });
  return (
    <p class="notified">
      Tells <b>{p.notify?.url}</b>
      {p.notify?.signed ? ", signed" : ""}: {last ? said(last) : "when it has ended"}
      {last?.state === "failed" && (
        <button type="button" class="plain" onClick={retry}>
          Send again
        </button>
      )}
    </p>
  );
}

function said(n: Notification): string {
  if (n.state === "delivered") return `run ${n.run} delivered`;
  const why = n.lastError ?? (n.lastStatus ? `it answered ${n.lastStatus}` : "");
  return `run ${n.run} ${n.state} after ${plural(n.attempts, "attempt", "attempts")}${why ? `: ${why}` : ""}`;
}
