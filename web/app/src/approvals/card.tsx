import type { Approval, ProcessRecord } from "../api/types";
import { ago, duration, plainly, title } from "../format";
import { href } from "../router";
import { now } from "../ui/clock";
import { Params } from "./params";
import { AskToken } from "./token";

export type Verdict = "approve" | "deny";

interface Props {
  approval: Approval;
  process: ProcessRecord | undefined;
  current: boolean;
  busy: boolean;
  reason: string;
  needsToken: string; // why a token is asked for; empty: it is not
  onReason: (text: string) => void;
  onDecide: (v: Verdict) => void;
  onToken: () => void;
  onCancelToken: () => void;
  onFocus: () => void;
}

/** One call that waits for a decision. */
export function Card(p: Props) {
  const a = p.approval;
  return (
    <li class={p.current ? "approval current" : "approval"} id={`approval-${a.id}`} tabIndex={0} aria-label={`${plainly(`${a.service}/${a.tool}`)}, process ${a.process}`} onFocusIn={p.onFocus}>
      <header>
        <h2 class="mono">
          {plainly(`${a.service}/${a.tool}`)}
        </h2>
        <span class="quiet">
          asked {ago(a.requestedAt, now.value)} by <a href={href(`processes/${a.process}`)}>{p.process ? `${a.process} ${title(p.process)}` : `process ${a.process}`}</a>
          {a.run > 1 && `, run ${a.run}`}
        </span>
        <Expiry at={a.expiresAt} />
      </header>
      <Params value={a.params} />
      {p.needsToken ? (
        <AskToken why={p.needsToken} onToken={p.onToken} onCancel={p.onCancelToken} />
      ) : (
        <div class="decide">
          <input aria-label="Reason" placeholder="Reason (optional; the program reads it)" maxLength={1024} value={p.reason} onInput={(e) => p.onReason(e.currentTarget.value)} />
          <button type="button" class="primary" disabled={p.busy} title="Approve (y)" onClick={() => p.onDecide("approve")}>
            Approve
          </button>
          <button type="button" class="danger" disabled={p.busy} title="Deny (n)" onClick={() => p.onDecide("deny")}>
            Deny
          </button>
        </div>
      )}
    </li>
  );
}

function Expiry({ at }: { at: string }) {
  const left = Date.parse(at) - now.value;
  if (left <= 0) return <span class="expiry soon">expired</span>;
  return <span class={left < 300_000 ? "expiry soon" : "expiry"}>expires in {duration(Math.max(1000, left))}</span>;
}
