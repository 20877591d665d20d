import { useEffect, useRef, useState } from "preact/hooks";
import { run } from "../api/processes";
import { supervisors, type Child, type Supervisor } from "../api/tools";
import type { ProcessEvent } from "../api/types";
import { duration, plural } from "../format";
import { useKeys } from "../keys";
import { go, href, route } from "../router";
import { useCoalesced } from "../state/coalesced";
import { subscribe } from "../state/feed";
import { Badge } from "../ui/badge";
import { attempt, tell } from "../ui/toast";
import { destroy, end } from "./end";

/** Supervision trees. */
export function SupervisorsPage() {
  const [all, setAll] = useState<Supervisor[] | null>(null);
  const reload = useCoalesced(async () => setAll(await everySupervisor()));
  const known = useRef(new Set<number>());
  known.current = new Set(all?.flatMap((s) => [s.id, ...s.children.map((c) => c.process ?? 0)]));
  useEffect(() => {
    reload();
    return subscribe({ events: (events) => events.some((e) => concerns(e, known.current)) && reload(), reload });
  }, []);
  useKeys([{ keys: ["n"], label: "New supervisor", group: "Supervisors", run: () => go(href("new", { kind: "supervisor" })) }]);
  const active = all?.filter((s) => s.process.state !== "idle") ?? [];
  const ended = all?.filter((s) => s.process.state === "idle") ?? [];
  return (
    <div class="supervisors">
      <div class="head-row">
        <h1>Supervisors</h1>
        <a class="button" href={href("new", { kind: "supervisor" })}>
          New supervisor
        </a>
      </div>
      <p class="quiet lead" role="status">
        {all === null ? "Loading…" : all.length === 0 ? "There is none. A supervisor starts processes in an order, and runs them again when they end." : `${active.length} running, ${ended.length} ended.`}
      </p>
      {active.length > 0 && <h2>Running</h2>}
      <List all={active} onChange={reload} />
      {ended.length > 0 && <h2>Ended</h2>}
      <List all={ended} onChange={reload} />
    </div>
  );
}

// Other processes come and go without end.
const concerns = (e: ProcessEvent, known: Set<number>): boolean => known.has(e.process) || (e.kind === "process_created" && e.environment === "supervisor");

async function everySupervisor(): Promise<Supervisor[]> {
  const all: Supervisor[] = [];
  for (let cursor: string | undefined; all.length < 500; ) {
    const page = await supervisors(cursor);
    all.push(...page.supervisors);
    if (!page.nextCursor) break;
    cursor = page.nextCursor;
  }
  return all;
}

function List({ all, onChange }: { all: Supervisor[]; onChange: () => void }) {
  return (
    <ul class="supervisor-list">
      {all.map((s) => (
        <One key={s.id} supervisor={s} onChange={onChange} />
      ))}
    </ul>
  );
}

const strategies: Record<string, string> = {
  one_for_one: "runs again the one that ended",
  one_for_all: "runs all again when one ends",
  rest_for_one: "runs again the one that ended, and those after it",
};

function One({ supervisor: s, onChange }: { supervisor: Supervisor; onChange: () => void }) {
  const linked = route.value.path[1] === String(s.id);
  const active = s.process.state !== "idle";
  const then = (work: Promise<unknown>): void => void work.then(onChange);
  return (
    <li class="supervisor" id={`supervisor-${s.id}`} ref={(e) => void (linked && e?.scrollIntoView({ block: "center" }))}>
      <header>
        <h3>
          <a href={href(`processes/${s.id}`)}>
            {s.id} {s.name}
          </a>
        </h3>
        <Badge process={s.process} />
        <span class="quiet">
          <span class="mono" title={strategies[s.strategy]}>
            {s.strategy}
          </span>
          , at most {plural(s.maxRestarts, "restart", "restarts")} in {duration(s.windowMs)}
          {s.process.parent !== null && `, below ${s.process.parent}`}
        </span>
        <div class="buttons">
          {active ? (
            <button type="button" onClick={() => then(end(s))} aria-label={`End ${s.name}`}>
              End
            </button>
          ) : (
            <>
              <button type="button" onClick={() => then(again(s))} aria-label={`Run ${s.name} again`}>
                Run again
              </button>
              <button type="button" onClick={() => then(destroy(s))} aria-label={`Delete ${s.name}`}>
                Delete
              </button>
            </>
          )}
        </div>
      </header>
      {s.process.error && <p class="error">{s.process.error}</p>}
      <Children all={s.children} of={s.name} />
    </li>
  );
}

const again = (s: Supervisor): Promise<void> =>
  attempt(async () => {
    await run(s.id, { force: true });
    tell(`${s.name} runs again.`);
  });

function Children({ all, of }: { all: Child[]; of: string }) {
  return (
    <table class="child-table" aria-label={`Children of ${of}`}>
      <thead>
        <tr>
          <th scope="col">Child</th>
          <th scope="col">State</th>
          <th scope="col">Restarts</th>
          <th scope="col" class="minor">
            Restart when
          </th>
          <th scope="col" class="minor">
            Run
          </th>
        </tr>
      </thead>
      <tbody>
        {all.map((c) => (
          <tr key={c.name}>
            <td>{c.process ? <a href={href(`processes/${c.process}`)}>{c.name}</a> : c.name}</td>
            <td>{c.state ? <Badge process={{ state: c.state, exitState: c.exitState, paused: false }} /> : <span class="quiet">not started</span>}</td>
            <td>{c.restarts}</td>
            <td class="minor">{c.restart}</td>
            <td class="minor">{c.run}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
