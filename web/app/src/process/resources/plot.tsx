import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { duration } from "../../format";
import { nearest, type Point, roundUp } from "./series";

interface Props {
  name: string;
  points: Point[];
  say: (v: number) => string;
  live: boolean;
  at: number | null;
  onAt: (t: number | null) => void;
}

const height = 110;
const bottom = 18; // px below the plot for the axis

/** One figure over time, as an area; the arrow keys point at a sample. */
export function Plot({ name, points, say, live, at, onAt }: Props) {
  const box = useRef<SVGSVGElement>(null);
  const [width, setWidth] = useState(500);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => setWidth(box.current!.clientWidth || 500));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  const [from, to] = [points[0]!.at, points.at(-1)!.at];
  const most = Math.max(...points.map((p) => p.value));
  const top = roundUp(most);
  const x = (t: number): number => ((t - from) / (to - from || 1)) * width;
  const y = (v: number): number => height - (v / top) * (height - 6);
  const line = points.map((p) => `${x(p.at).toFixed(1)},${y(p.value).toFixed(1)}`).join(" ");
  const pointed = at === null ? undefined : nearest(points, at);
  const last = points.at(-1)!;
  const move = (by: number): void => {
    const i = pointed ? points.indexOf(pointed) : by > 0 ? -1 : points.length;
    const p = points[Math.min(points.length - 1, Math.max(0, i + by))];
    if (p) onAt(p.at);
  };
  const average = points.reduce((sum, p) => sum + p.value, 0) / points.length;
  return (
    <figure class="plot">
      <figcaption>
        <b>{name}</b>{" "}
        <span class="quiet" aria-hidden={pointed ? undefined : true}>
          {pointed ? `${say(pointed.value)} at ${duration(pointed.at - from)}` : `${live ? `now ${say(last.value)}` : `on average ${say(average)}`} · most ${say(most)}`}
        </span>
      </figcaption>
      <svg
        ref={box}
        class="plot-area"
        height={height + bottom}
        role="img"
        tabIndex={0}
        aria-label={`${name} over ${duration(to - from)}: last ${say(last.value)}, most ${say(most)}, on average ${say(average)}`}
        onPointerMove={(e) => onAt(from + ((e.clientX - box.current!.getBoundingClientRect().left) / width) * (to - from))}
        onPointerLeave={() => onAt(null)}
        onBlur={() => onAt(null)}
        onKeyDown={(e) => {
          if (e.key !== "ArrowLeft" && e.key !== "ArrowRight") return;
          e.preventDefault();
          move(e.key === "ArrowLeft" ? -1 : 1);
        }}
      >
        <line x1={0} x2={width} y1={y(top)} y2={y(top)} class="grid" />
        <line x1={0} x2={width} y1={y(top / 2)} y2={y(top / 2)} class="grid" />
        <line x1={0} x2={width} y1={height} y2={height} class="base" />
        <polygon points={`0,${height} ${line} ${width},${height}`} class="area" />
        <polyline points={line} class="curve" />
        <text x={4} y={y(top) + 12}>
          {say(top)}
        </text>
        <text x={0} y={height + 14}>
          0
        </text>
        <text x={width} y={height + 14} text-anchor="end">
          {duration(to - from)}
        </text>
        {pointed && (
          <>
            <line x1={x(pointed.at)} x2={x(pointed.at)} y1={0} y2={height} class="pointer" />
            <circle cx={x(pointed.at)} cy={y(pointed.value)} r={3.5} />
          </>
        )}
      </svg>
    </figure>
  );
}
