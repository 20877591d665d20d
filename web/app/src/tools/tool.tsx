import type { Tool } from "../api/tools";
import { parameters, typeText, type Parameter } from "./schema";

const permissions = {
  allow: { mark: "✓", word: "allowed", text: "The policy lets programs call it." },
  ask: { mark: "?", word: "asks", text: "A person decides about each call: see Approvals." },
  deny: { mark: "✗", word: "denied", text: "The policy denies it to every program." },
};

/** One tool; opened, what it takes and gives. */
export function ToolRow({ tool: t, open, onOpen }: { tool: Tool; open: boolean; onOpen: () => void }) {
  const p = permissions[t.permission];
  return (
    <li>
      <details open={open} onToggle={(e) => e.currentTarget.open && !open && onOpen()}>
        <summary>
          <span class="mono">
            {t.service}/{t.name}
          </span>
          <span class="quiet">{t.description.split("\n", 1)[0]}</span>
          <span class={`badge ${t.permission}`}>
            <span aria-hidden="true">{p.mark}</span> {p.word}
          </span>
        </summary>
        {open && (
          <div class="tool-body">
            <p>{t.description}</p>
            <p class="quiet">{p.text}</p>
            <h3>Parameters</h3>
            <Parameters all={parameters(t.params)} />
            {t.result !== null && (
              <>
                <h3>
                  Result: <span class="mono">{typeText(t.result)}</span>
                </h3>
                <Parameters all={parameters(t.result)} results />
              </>
            )}
            <details>
              <summary>How a program calls it</summary>
              <pre tabIndex={0}>{t.declaration.trim()}</pre>
            </details>
          </div>
        )}
      </details>
    </li>
  );
}

function Parameters({ all, results }: { all: Parameter[]; results?: boolean }) {
  if (all.length === 0) return results ? null : <p class="quiet">It takes none.</p>;
  return (
    <ul class="parameters">
      {all.map((p) => (
        <li key={p.name}>
          <code>{p.name}</code> <span class="mono type">{p.type}</span> {p.required && !results && <span class="needed">required</span>}{" "}
          <span class="quiet">
            {p.description} {p.bounds && `(${p.bounds})`}
          </span>
          {p.inner.length > 0 && <Parameters all={p.inner} results={results} />}
        </li>
      ))}
    </ul>
  );
}
