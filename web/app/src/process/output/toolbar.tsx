import type { ComponentChildren } from "preact";
import { Menu } from "../../ui/menu";
import type { Shown, Stream } from "./protocol";

interface Props {
  runs: number; // the newest
  run: number | null;
  shown: Shown;
  wrap: boolean;
  times: boolean;
  follow: boolean;
  note: string;
  onRun: (run: number | null) => void;
  onShown: (s: Shown) => void;
  onWrap: () => void;
  onTimes: () => void;
  onFollow: () => void;
  onSearch: () => void;
  onError: (back: boolean) => void;
  onDownload: (stream: Stream | null) => void;
}

export function Toolbar(p: Props) {
  return (
    <div class="bar" role="toolbar" aria-label="Output">
      {p.runs > 1 && <Runs {...p} />}
      <Toggle on={p.shown.stdout} title="Show stdout (1)" onClick={() => p.onShown(toggled(p.shown, "stdout"))}>
        stdout
      </Toggle>
      <Toggle on={p.shown.stderr} title="Show stderr (2)" onClick={() => p.onShown(toggled(p.shown, "stderr"))}>
        stderr
      </Toggle>
      <Toggle on={p.wrap} title="Wrap long lines (w)" onClick={p.onWrap}>
        Wrap
      </Toggle>
      <Toggle on={p.times} title="Show when each line came (t)" onClick={p.onTimes}>
        Times
      </Toggle>
      <button type="button" title="Search (/)" onClick={p.onSearch}>
        Search
      </button>
      <span class="pair">
        <button type="button" title="Previous error (E)" aria-label="Previous error" onClick={() => p.onError(true)}>
          ↑
        </button>
        <button type="button" title="Next error (e)" aria-label="Next error" onClick={() => p.onError(false)}>
          ↓ Error
        </button>
      </span>
      <Menu
        label="Download"
        items={[
          { name: "stdout", run: () => p.onDownload("stdout") },
          { name: "stderr", run: () => p.onDownload("stderr") },
          { name: "Both, as they came", run: () => p.onDownload(null) },
        ]}
      />
      <span class="note" role="status">
        {p.note}
      </span>
      <Toggle on={p.follow} title="Stay at the end (f)" onClick={p.onFollow}>
        Follow
      </Toggle>
    </div>
  );
}

/** Shows or hides a stream; one of them is always shown. */
export function toggled(s: Shown, stream: Stream): Shown {
  const next = { ...s, [stream]: !s[stream] };
  return next.stdout || next.stderr ? next : { stdout: stream === "stderr", stderr: stream === "stdout" };
}

function Toggle({ on, title, onClick, children }: { on: boolean; title: string; onClick: () => void; children: ComponentChildren }) {
  return (
    <button type="button" aria-pressed={on} title={title} onClick={onClick}>
      {children}
    </button>
  );
}

const listed = 200; // runs in the choice; all are under Runs

function Runs({ runs, run, onRun }: Props) {
  const from = Math.max(1, runs - listed + 1);
  const numbers = Array.from({ length: runs - from + 1 }, (_, i) => runs - i);
  if (run !== null && run < from) numbers.push(run);
  return (
    <select aria-label="Which run" value={run ?? ""} onChange={(e) => onRun(Number(e.currentTarget.value) || null)}>
      <option value="">All runs</option>
      {numbers.map((n) => (
        <option key={n} value={n}>
          Run {n}
        </option>
      ))}
    </select>
  );
}
