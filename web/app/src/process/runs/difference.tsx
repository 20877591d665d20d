// How two runs differ: in figures, and in what they printed.
import { useEffect, useState } from "preact/hooks";
import { getText, sentence } from "../../api/http";
import type { RunRecord } from "../../api/types";
import { bytes, duration } from "../../format";
import { href, replace, route } from "../../router";
import { exitText } from "../header/facts";
import { strip } from "../output/ansi";
import type { DiffPart, Stream } from "../output/protocol";
import { DiffView } from "./diffview";
import { diff } from "./differ";

const largest = 8_000_000; // bytes of a stream

interface Compared {
  parts: DiffPart[] | null;
  problem: string;
}

export function Difference({ id, a, b }: { id: number; a: RunRecord; b: RunRecord }) {
  const stream: Stream = route.value.query.get("stream") === "stderr" ? "stderr" : "stdout";
  const [compared, setCompared] = useState<Compared | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    setCompared(null);
    compareOutputs(id, a, b, stream, stop.signal).then(
      (c) => !stop.signal.aborted && setCompared(c),
      (e: unknown) => !stop.signal.aborted && setCompared({ parts: null, problem: sentence(e) }),
    );
    return () => stop.abort();
  }, [id, a.run, b.run, stream, a.completedAt, b.completedAt]);
  const show = (s: Stream): void => replace(href(`processes/${id}/runs`, { a: a.run, b: b.run, stream: s }));
  return (
    <section class="difference" aria-label={`Run ${a.run} compared with run ${b.run}`}>
      <h2>
        Run {a.run} → run {b.run}
      </h2>
      <Figures a={a} b={b} />
      <div class="tools-line">
        {(["stdout", "stderr"] as const).map((s) => (
          <button key={s} type="button" aria-pressed={s === stream} onClick={() => show(s)}>
            {s}
          </button>
        ))}
      </div>
      {!compared && <p class="quiet">Comparing…</p>}
      {compared?.problem && <p class="quiet">{compared.problem}</p>}
      {compared?.parts && <DiffView parts={compared.parts} stream={stream} />}
    </section>
  );
}

async function compareOutputs(id: number, a: RunRecord, b: RunRecord, stream: Stream, signal: AbortSignal): Promise<Compared> {
  const size = stream === "stdout" ? Math.max(a.stdoutBytes, b.stdoutBytes) : Math.max(a.stderrBytes, b.stderrBytes);
  if (size > largest) return { parts: null, problem: `This is too much to compare here: ${bytes(size)}. Download both and use diff.` };
  if (!a.completedAt || !b.completedAt) return { parts: null, problem: "Runs are compared when both have ended." };
  const [x, y] = await Promise.all([a, b].map((r) => getText(`/processes/${id}/runs/${r.run}/${stream}`, {}, signal)));
  const parts = await diff(plain(x!), plain(y!), signal);
  return { parts, problem: parts ? "" : "These differ too much to be compared line by line. Download both and use diff." };
}

const plain = (text: string): string => text.split("\n").map(strip).join("\n");

function Figures({ a, b }: { a: RunRecord; b: RunRecord }) {
  const rows: [string, string, string, string][] = [
    ["Outcome", a.exitState ?? "–", b.exitState ?? "–", ""],
    ["Exit", a.exit ? exitText(a.exit) : "–", b.exit ? exitText(b.exit) : "–", ""],
    ["Took", duration(a.usage.wallMs), duration(b.usage.wallMs), change(a.usage.wallMs, b.usage.wallMs)],
    ["CPU", duration(a.usage.cpuMs), duration(b.usage.cpuMs), change(a.usage.cpuMs, b.usage.cpuMs)],
    ["Memory", memory(a), memory(b), change(a.usage.maxRssBytes, b.usage.maxRssBytes)],
    ["stdout", bytes(a.stdoutBytes), bytes(b.stdoutBytes), change(a.stdoutBytes, b.stdoutBytes)],
    ["stderr", bytes(a.stderrBytes), bytes(b.stderrBytes), change(a.stderrBytes, b.stderrBytes)],
  ];
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label="Figures of both runs">
      <table class="data figures">
        <thead>
          <tr>
            <th>Run</th>
            {rows.map(([name]) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">A: run {a.run}</th>
            {rows.map(([name, x]) => (
              <td key={name}>{x}</td>
            ))}
          </tr>
          <tr>
            <th scope="row">B: run {b.run}</th>
            {rows.map(([name, , y]) => (
              <td key={name}>{y}</td>
            ))}
          </tr>
          <tr>
            <th scope="row">Change</th>
            {rows.map(([name, x, y, c]) => (
              <td key={name} class={x === y ? "quiet" : "differs"}>
                {c || (x === y ? "same" : "differs")}
              </td>
            ))}
          </tr>
        </tbody>
      </table>
    </div>
  );
}

const memory = (r: RunRecord): string => (r.usage.maxRssBytes ? bytes(r.usage.maxRssBytes) : "–");

function change(a: number, b: number): string {
  if (a === b) return "same";
  if (a === 0) return "new";
  const share = Math.round((100 * (b - a)) / a);
  return share === 0 ? "about the same" : `${share > 0 ? "+" : "−"}${Math.abs(share)} %`;
}
