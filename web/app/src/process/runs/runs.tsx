// All runs of a process, and the difference between two.
import { useEffect, useState } from "preact/hooks";
import { runs as fetchRuns } from "../../api/processes";
import type { ProcessRecord, RunRecord } from "../../api/types";
import { bytes, count, duration } from "../../format";
import { href, replace, route } from "../../router";
import { Badge } from "../../ui/badge";
import { complain } from "../../ui/toast";
import { exitText } from "../header/facts";
import { Difference } from "./difference";

export function Runs({ process: p }: { process: ProcessRecord }) {
  const [runs, setRuns] = useState<RunRecord[] | null>(null);
  useEffect(() => {
    let gone = false;
    void fetchRuns(p.id).then((r) => !gone && setRuns(r), complain);
    return () => {
      gone = true;
    };
  }, [p.id, p.run, p.state]);
  if (!runs) return <p class="quiet">Loading…</p>;
  if (runs.length === 0) return <p class="nothing-here">It has not run yet.</p>;
  const query = route.value.query;
  const a = runs.find((r) => r.run === Number(query.get("a"))) ?? null;
  const b = runs.find((r) => r.run === Number(query.get("b"))) ?? null;
  const choose = (next: Record<string, number>): void => replace(href(`processes/${p.id}/runs`, { a: a?.run, b: b?.run, stream: query.get("stream"), ...next }));
  return (
    <section class="runs" aria-label="Runs">
      <div class="scroll-x" tabIndex={0} role="region" aria-label="All runs">
        <table class="data">
          <thead>
            <tr>
              <th>Run</th>
              {runs.length > 1 && <th>Compare</th>}
              <th>Outcome</th>
              <th>Exit</th>
              <th>Started</th>
              <th>Took</th>
              <th>CPU</th>
              <th>Memory</th>
              {p.environment === "agent" && <th>Tokens</th>}
              <th>Output</th>
            </tr>
          </thead>
          <tbody>
            {runs.map((r) => (
              <tr key={r.run}>
                <td class="num">{r.run}</td>
                {runs.length > 1 && (
                  <td class="sides">
                    {(["a", "b"] as const).map((side) => (
                      <label key={side} class="check">
                        <input type="radio" name={side} aria-label={`Run ${r.run} as ${side.toUpperCase()}`} checked={(side === "a" ? a : b) === r} onChange={() => choose({ [side]: r.run })} />
                        {side.toUpperCase()}
                      </label>
                    ))}
                  </td>
                )}
                <td>
                  <Badge process={r.run === p.run ? p : { ...p, paused: false, state: "idle", exitState: r.exitState }} />
                </td>
                <td title={r.error ?? undefined}>{r.exit ? exitText(r.exit) : ""}</td>
                <td>{r.startedAt ? new Date(r.startedAt).toLocaleString() : "never"}</td>
                <td class="num">{duration(r.usage.wallMs)}</td>
                <td class="num">{duration(r.usage.cpuMs)}</td>
                <td class="num">{r.usage.maxRssBytes ? bytes(r.usage.maxRssBytes) : "–"}</td>
                {p.environment === "agent" && <td class="num">{count(r.usage.tokens)}</td>}
                <td>
                  <a href={href(`processes/${p.id}/output`, { run: r.run })}>{bytes(r.stdoutBytes + r.stderrBytes)}</a>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {runs.length > 1 && !(a && b) && (
        <p class="quiet">
          Choose A and B to see how two runs differ, or{" "}
          <a href={href(`processes/${p.id}/runs`, { a: runs[1]!.run, b: runs[0]!.run })}>compare the last two</a>.
        </p>
      )}
      {a && b && a !== b && <Difference id={p.id} a={a} b={b} />}
      {a && a === b && <p class="quiet">A and B are the same run.</p>}
    </section>
  );
}
