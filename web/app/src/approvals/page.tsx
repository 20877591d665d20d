import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError, sentence } from "../api/http";
import { decide } from "../api/tools";
import type { Approval } from "../api/types";
import { plural } from "../format";
import { useKeys } from "../keys";
import { route } from "../router";
import { complain, tell } from "../ui/toast";
import { Card, type Verdict } from "./card";
import { History } from "./history";
import { useApprovals } from "./live";
import { approveToken, Deciding } from "./token";

/** Tool calls about which a person decides. */
export function ApprovalsPage() {
  const live = useApprovals();
  const deciding = useDeciding(live.reload);
  const pending = live.pending ?? [];
  const [current, setCurrent] = useState(0);
  const row = pending.find((a) => a.id === current);
  const moved = useMoved(pending);
  useLinked(live.pending !== null);
  const move = (by: number): void => {
    const at = pending.findIndex((a) => a.id === current);
    const to = pending[Math.min(pending.length - 1, Math.max(0, at + by))];
    if (to) document.getElementById(`approval-${to.id}`)?.focus();
  };
  const group = "Approvals";
  useKeys([
    { keys: ["j", "ArrowDown"], label: "Next one", group, run: () => move(1) },
    { keys: ["k", "ArrowUp"], label: "The one before", group, run: () => move(-1) },
    { keys: ["y"], label: "Approve the one in focus", group, run: () => row && deciding.start(row, "approve") },
    { keys: ["n"], label: "Deny the one in focus", group, run: () => row && deciding.start(row, "deny") },
    { keys: ["e"], label: "Give a reason", group, run: () => row && document.querySelector<HTMLInputElement>(`#approval-${row.id} .decide input`)?.focus() },
  ]);
  return (
    <div class="approvals">
      <h1>Approvals</h1>
      <p class="quiet lead" role="status">
        {live.pending === null ? "Loading…" : pending.length === 0 ? "Nothing waits for a decision." : `${plural(pending.length, "call waits", "calls wait")} for a decision. Their clocks stand still.`}
      </p>
      <Deciding />
      <ul class="pending">
        {pending.map((a) => (
          <Card
            key={a.id}
            approval={a}
            process={live.processes.get(a.process)}
            current={a.id === current}
            busy={deciding.busy === a.id || moved}
            reason={deciding.reasons[a.id] ?? ""}
            needsToken={deciding.asked?.approval.id === a.id ? deciding.asked.why : ""}
            onReason={(text) => deciding.setReason(a.id, text)}
            onDecide={(v) => deciding.start(a, v)}
            onToken={deciding.again}
            onCancelToken={deciding.cancel}
            onFocus={() => setCurrent(a.id)}
          />
        ))}
      </ul>
      <History live={live} />
    </div>
  );
}

const settle = 700; // ms: longer than the second click of two comes after the first

// useMoved says that cards have just moved up, as one above them is gone: a click
// now was meant for another one.
function useMoved(pending: Approval[]): boolean {
  const before = useRef<number[]>([]);
  const [since, setSince] = useState(0);
  const ids = pending.map((a) => a.id);
  const gone = before.current.some((id) => !ids.includes(id));
  useLayoutEffect(() => {
    before.current = ids;
    if (gone) setSince(Date.now());
  }, [ids.join()]);
  useEffect(() => {
    if (!since) return;
    const timer = setTimeout(() => setSince(0), settle);
    return () => clearTimeout(timer);
  }, [since]);
  return gone || since > 0;
}

interface Asked {
  approval: Approval;
  verdict: Verdict;
  why: string;
}

// Deciding: at once, or after a token has been given for it.
function useDeciding(reload: () => void) {
  const [busy, setBusy] = useState(0);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [reasons, setReasons] = useState<Record<number, string>>({});
  const start = async (approval: Approval, verdict: Verdict): Promise<void> => {
    if (busy) return;
    setBusy(approval.id);
    try {
      await decide(approval.id, verdict, (reasons[approval.id] ?? "").trim(), approveToken.value);
      setAsked(null);
      tell(`${approval.service}/${approval.tool} of process ${approval.process} was ${verdict === "approve" ? "approved" : "denied"}.`);
    } catch (e) {
      if (e instanceof ApiError && (e.status === 401 || e.status === 403)) setAsked({ approval, verdict, why: reasonFor(e) });
      else complain(e);
    } finally {
      setBusy(0);
      reload();
    }
  };
  return {
    busy,
    asked,
    reasons,
    start: (a: Approval, v: Verdict) => void start(a, v),
    again: () => asked && void start(asked.approval, asked.verdict),
    cancel: () => setAsked(null),
    setReason: (id: number, text: string) => setReasons((old) => ({ ...old, [id]: text })),
  };
}

function reasonFor(e: ApiError): string {
  if (approveToken.value) {
    approveToken.value = "";
    return e.status === 403 ? "That token has not the scope approve. Give another one." : "The daemon does not know that token. Give another one.";
  }
  return e.status === 403 ? "Your token has not the scope approve. Deciding takes one that has." : sentence(e).startsWith("Unauthorized: deciding") ? "Deciding always takes a token with the scope approve." : sentence(e);
}

// #/approvals/3 leads to the third one.
function useLinked(ready: boolean): void {
  const id = route.value.path[1];
  useEffect(() => {
    if (!ready || !id) return;
    const at = document.getElementById(`approval-${id}`);
    at?.querySelector("details")?.setAttribute("open", "");
    at?.scrollIntoView({ block: "center" });
    at?.focus();
  }, [ready, id]);
}
