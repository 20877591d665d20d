import type { Approval } from "../api/types";
import { ago, plainly } from "../format";
import { href } from "../router";
import { now } from "../ui/clock";
import type { Live } from "./live";
import { Params } from "./params";

const marks: Record<string, string> = { approved: "✓", denied: "✗", expired: "⏱", canceled: "⊘" };

/** What was decided, newest first. */
export function History({ live }: { live: Live }) {
  if (live.decided.length === 0) return null;
  return (
    <section aria-labelledby="decided">
      <h2 id="decided">Decided</h2>
      <ul class="decided">
        {live.decided.map((a) => (
          <Decided key={a.id} approval={a} />
        ))}
      </ul>
      {live.more && (
        <button type="button" onClick={live.older}>
          Show older
        </button>
      )}
    </section>
  );
}

function Decided({ approval: a }: { approval: Approval }) {
  const by = typeof a.decidedBy === "string" ? a.decidedBy : "";
  const reason = typeof a.reason === "string" ? a.reason : "";
  return (
    <li id={`approval-${a.id}`}>
      <details>
        <summary>
          <span class={`badge ${a.state}`}>
            <span aria-hidden="true">{marks[a.state] ?? "·"}</span> {a.state}
          </span>
          <span class="mono name">
            {plainly(`${a.service}/${a.tool}`)}
          </span>
          <span class="quiet said">
            {by && `by ${by}`} {a.decidedAt && ago(a.decidedAt, now.value)} {reason && `“${plainly(reason)}”`}
          </span>
        </summary>
        <p>
          Approval {a.id} of process <a href={href(`processes/${a.process}`)}>{a.process}</a>, run {a.run}
        </p>
        <Params value={a.params} />
      </details>
    </li>
  );
}
