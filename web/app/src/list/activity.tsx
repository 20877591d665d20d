// What happened in the last hour, a bar a minute.
import { useState } from "preact/hooks";
import type { Overview } from "../api/types";
import { clock } from "../format";
import { overview } from "../state/feed";

const barWidth = 4;
const high = 32;

export function Activity() {
  const a = overview.value?.activity;
  const [at, setAt] = useState<number | null>(null);
  if (!a) return <div class="activity" />;
  const most = Math.max(1, ...a.created, ...a.succeeded.map((n, i) => n + (a.failed[i] ?? 0)));
  const over = at !== null && at < a.created.length ? at : null;
  const text = over === null ? hour(a) : minute(a, over);
  return (
    <figure class="activity">
      <svg
        role="img"
        aria-label={`Activity: ${hour(a)}`}
        viewBox={`0 0 ${a.created.length * barWidth} ${high}`}
        preserveAspectRatio="none"
        onPointerMove={(e) => setAt(Math.floor((e.offsetX / e.currentTarget.clientWidth) * a.created.length))}
        onPointerLeave={() => setAt(null)}
      >
        {over !== null && <rect class="here" x={over * barWidth} y={0} width={barWidth} height={high} />}
        {a.created.map((_, i) => (
          <Bar key={i} i={i} most={most} good={a.succeeded[i] ?? 0} bad={a.failed[i] ?? 0} />
        ))}
        <polyline class="created" points={a.created.map((n, i) => `${(i + 0.5) * barWidth},${y(n, most)}`).join(" ")} />
      </svg>
      <figcaption>{text}</figcaption>
    </figure>
  );
}

const y = (n: number, most: number): number => high - 1 - (n / most) * (high - 3);

function Bar({ i, most, good, bad }: { i: number; most: number; good: number; bad: number }) {
  if (good + bad === 0) return null;
  const x = i * barWidth + 0.5;
  const middle = y(good, most);
  const top = y(good + bad, most);
  return (
    <>
      {good > 0 && <rect class="good" x={x} y={middle} width={barWidth - 1} height={high - middle} />}
      {bad > 0 && <rect class="bad" x={x} y={top} width={barWidth - 1} height={middle - top} />}
    </>
  );
}

const sum = (all: number[]): number => all.reduce((n, m) => n + m, 0);
const figures = (created: number, good: number, bad: number): string => `${created} created, ${good} succeeded, ${bad} failed`;

type Series = Overview["activity"];

const hour = (a: Series): string => `Last hour: ${figures(sum(a.created), sum(a.succeeded), sum(a.failed))}`;

function minute(a: Series, i: number): string {
  const at = new Date(Date.parse(a.from) + i * a.stepMs).toISOString();
  return `${clock(at).slice(0, 5)}: ${figures(a.created[i] ?? 0, a.succeeded[i] ?? 0, a.failed[i] ?? 0)}`;
}
