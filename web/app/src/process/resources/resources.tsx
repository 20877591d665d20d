// What a run used over time.
import { useEffect, useState } from "preact/hooks";
import { get, sentence } from "../../api/http";
import type { ProcessRecord, Sample } from "../../api/types";
import { bytes, count, duration } from "../../format";
import { href, replace, route } from "../../router";
import { Plot } from "./plot";
import { type Point, series } from "./series";

interface UsageOfRun {
  run: number;
  stepMs: number;
  samples: Sample[];
}

const pulse = 2000; // ms, while it runs and is seen

export function Resources({ process: p }: { process: ProcessRecord }) {
  const query = route.value.query;
  const run = Number(query.get("run")) || Math.max(1, p.run);
  const asTable = query.get("as") === "table";
  const [usage, setUsage] = useState<UsageOfRun | null>(null);
  const [problem, setProblem] = useState("");
  const [at, setAt] = useState<number | null>(null); // the moment that is pointed at
  const live = p.state !== "idle" && run === p.run;
  useEffect(() => {
    let gone = false;
    const load = (): void => {
      if (document.hidden && usage) return;
      void get<UsageOfRun>(`/processes/${p.id}/usage`, { run }).then(
        (u) => !gone && (setUsage(u), setProblem("")),
        (e: unknown) => !gone && setProblem(sentence(e)),
      );
    };
    load();
    const timer = live ? setInterval(load, pulse) : 0;
    return () => {
      gone = true;
      clearInterval(timer);
    };
  }, [p.id, run, live]);
  const change = (next: Record<string, string | number | null>): void => replace(href(`processes/${p.id}/resources`, { run: query.get("run"), as: query.get("as"), ...next }));
  const all = usage ? series(usage.samples) : null;
  return (
    <section class="resources" aria-label="Resources">
      <div class="tools-line">
        {p.run > 1 && (
          <select aria-label="Which run" value={run} onChange={(e) => change({ run: e.currentTarget.value })}>
            {Array.from({ length: Math.min(p.run, 200) }, (_, i) => p.run - i).map((n) => (
              <option key={n} value={n}>
                Run {n}
              </option>
            ))}
          </select>
        )}
        <button type="button" aria-pressed={asTable} onClick={() => change({ as: asTable ? null : "table" })}>
          Table
        </button>
        {usage && <span class="quiet">{usage.samples.length > 0 ? `one sample each ${duration(usage.stepMs)}` : ""}</span>}
      </div>
      {problem && !usage && <p class="quiet">{problem}</p>}
      {usage && usage.samples.length < 2 && <p class="nothing-here">{live ? "Measuring…" : "It was over before much could be measured."}</p>}
      {all && usage!.samples.length >= 2 && (asTable ? <Table all={all} agent={p.environment === "agent"} /> : <Plots all={all} agent={p.environment === "agent"} live={live} at={at} onAt={setAt} />)}
    </section>
  );
}

interface All {
  cpu: Point[];
  memory: Point[];
  processes: Point[];
  tokens: Point[];
}

const percent = (v: number): string => `${v < 10 ? v.toFixed(1) : Math.round(v)} %`;

function Plots({ all, agent, live, at, onAt }: { all: All; agent: boolean; live: boolean; at: number | null; onAt: (t: number | null) => void }) {
  const both = { live, at, onAt };
  return (
    <div class="plots">
      <Plot name="CPU" points={all.cpu} say={percent} {...both} />
      <Plot name="Memory" points={all.memory} say={bytes} {...both} />
      <Plot name="Processes" points={all.processes} say={(v) => String(Math.round(v))} {...both} />
      {(agent || all.tokens.some((p) => p.value > 0)) && <Plot name="Tokens" points={all.tokens} say={(v) => count(Math.round(v))} {...both} />}
    </div>
  );
}

function Table({ all, agent }: { all: All; agent: boolean }) {
  const start = all.memory[0]!.at;
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label="Resources as a table">
      <table class="data">
        <thead>
          <tr>
            <th>After</th>
            <th>CPU</th>
            <th>Memory</th>
            <th>Processes</th>
            {agent && <th>Tokens</th>}
          </tr>
        </thead>
        <tbody>
          {all.memory.map((m, i) => (
            <tr key={m.at}>
              <td class="num">{duration(m.at - start)}</td>
              <td class="num">{percent(all.cpu[i]!.value)}</td>
              <td class="num">{bytes(m.value)}</td>
              <td class="num">{all.processes[i]!.value}</td>
              {agent && <td class="num">{all.tokens[i]!.value}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
