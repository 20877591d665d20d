// What the interpreter found, with what can be done about it.
import type { Action, Finding, ProcessRecord } from "../../api/types";
import { save } from "../../create/draft";
import { clock, plainly } from "../../format";
import { go, href } from "../../router";
import { copy } from "../copy";
import { useEvents } from "../events/use";

const marks: Record<string, string> = { error: "✗", warning: "!", recommendation: "→", info: "i" };
const order = ["error", "warning", "recommendation", "info"];

export function Findings({ process: p }: { process: ProcessRecord }) {
  const { events, loading } = useEvents(p.id, { kind: "finding_emitted" });
  const emitted = events.filter((e) => e.run === p.run).map((e) => e.finding as Finding);
  const found = (p.outcome?.findings ?? emitted).toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
  if (found.length === 0) return <p class="nothing-here">{loading ? "Loading…" : p.state === "idle" ? "Nothing was found in this run." : "Nothing was found yet."}</p>;
  return (
    <ul class="findings" aria-label="Findings">
      {found.map((f, i) => (
        <li key={i} class={`is-${f.severity}`}>
          <span class="severity">
            <span aria-hidden="true">{marks[f.severity]}</span> {f.severity}
          </span>
          <div class="finding">
            <p class="finding-text">{f.message}</p>
            <p class="quiet">
              <code>{f.code}</code> · {clock(f.at)}
              {f.related ? <> · {String(f.related)}</> : null}
            </p>
            {f.action && <Advice action={f.action} />}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Advice({ action }: { action: Action }) {
  const value = String(action.value ?? "");
  const label = action.label ? String(action.label) : "";
  if (action.kind === "link") {
    return /^https?:\/\//.test(value) ? (
      <p class="advice">
        <a href={value} target="_blank" rel="noreferrer noopener">
          {plainly(label || value)} ↗
        </a>
      </p>
    ) : (
      <p class="advice">{value}</p>
    );
  }
  if (action.kind === "command") {
    return (
      <p class="advice">
        {label && <span>{label}: </span>}
        <code>{plainly(value)}</code>
        <button type="button" onClick={() => copy(value, "The command")}>
          Copy
        </button>
        <button type="button" onClick={() => tryCommand(value)}>
          Run as a new process…
        </button>
      </p>
    );
  }
  return <p class="advice">{label ? `${label}: ${value}` : value}</p>;
}

// tryCommand opens the form for commands with this one in it. It goes there as a
// draft: it may hold what does not belong in a URL.
function tryCommand(line: string): void {
  save("command", { line, shell: true });
  go(href("new", { kind: "command" }));
}
