// The bars and marks. Only what is in the span is in the page, and of what would
// cover each other one is drawn.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Item, type Lane, lanes, spell } from "./model";
import { type Span, ticks, zoomed } from "./scale";

interface Props {
  items: Item[];
  span: Span;
  whole: Span;
  now: number;
  selected: string;
  onSpan: (s: Span | null) => void;
  onSelect: (key: string) => void;
  onHover: (key: string) => void;
}

const rowHeight = 22;
const least = 4; // px of a bar

export function Chart(p: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(800);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const latest = useRef(p);
  latest.current = p;
  const x = (t: number): number => ((t - p.span.from) / (p.span.to - p.span.from || 1)) * width;
  const time = (clientX: number): number => {
    const r = box.current!.getBoundingClientRect();
    return p.span.from + ((clientX - r.left) / r.width) * (p.span.to - p.span.from);
  };
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => setWidth(box.current!.clientWidth));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const wheel = (e: WheelEvent): void => {
      const { span, whole, onSpan } = latest.current;
      if (e.deltaY === 0 || e.shiftKey) return;
      e.preventDefault();
      onSpan(zoomed(span, whole, e.deltaY < 0 ? 0.8 : 1.25, time(e.clientX)));
    };
    const element = box.current!;
    element.addEventListener("wheel", wheel, { passive: false }); // so that the page does not scroll
    return () => element.removeEventListener("wheel", wheel);
  }, []);
  const start = p.whole.from;
  const used = lanes.filter((l) => p.items.some((i) => i.lane === l));
  return (
    <div class="timeline-grid">
      <div class="lane-names" aria-hidden="true">
        <div class="axis-name" />
        {used.map((l) => (
          <div key={l} style={{ height: `${heightOf(p.items, l)}px` }}>
            {l}
          </div>
        ))}
      </div>
      <div
        ref={box}
        class="chart"
        onPointerDown={(e) => e.button === 0 && setDrag({ from: e.clientX, to: e.clientX })}
        onPointerMove={(e) => drag && setDrag({ ...drag, to: e.clientX })}
        onPointerLeave={() => setDrag(null)}
        onPointerUp={() => {
          if (drag && Math.abs(drag.to - drag.from) > 8) p.onSpan({ from: time(Math.min(drag.from, drag.to)), to: time(Math.max(drag.from, drag.to)) });
          setDrag(null);
        }}
      >
        <div class="axis" aria-hidden="true">
          {ticks(p.span, start, width / 90).filter((t) => x(t.at) < width - 36).map((t) => (
            <span key={t.at} style={{ left: `${x(t.at)}px` }}>
              {t.name}
            </span>
          ))}
        </div>
        {used.map((l) => (
          <div key={l} class="lane" style={{ height: `${heightOf(p.items, l)}px` }}>
            {visible(p, l, x).map((i) => (
              <Bar key={i.key} item={i} start={start} left={x(i.from)} right={x(i.to ?? p.now)} width={width} selected={i.key === p.selected} onSelect={p.onSelect} onHover={p.onHover} />
            ))}
          </div>
        ))}
        {drag && <DragBox drag={drag} left={box.current!.getBoundingClientRect().left} />}
      </div>
    </div>
  );
}

function heightOf(items: Item[], lane: Lane): number {
  let rows = 0;
  for (const i of items) if (i.lane === lane && i.row > rows) rows = i.row;
  return (rows + 1) * rowHeight + 4;
}

// visible leaves out what is outside, and what would lie on something as small.
function visible(p: Props, lane: Lane, x: (t: number) => number): Item[] {
  const taken = new Set<string>();
  return p.items.filter((i) => {
    if (i.lane !== lane || (i.to ?? p.now) < p.span.from || i.from > p.span.to) return false;
    const small = i.mark || x(i.to ?? p.now) - x(i.from) < least;
    if (!small || i.key === p.selected) return true;
    const place = `${i.row} ${Math.round(x(i.from) / 3)}`;
    if (taken.has(place)) return false;
    taken.add(place);
    return true;
  });
}

interface BarProps {
  item: Item;
  start: number;
  left: number;
  right: number;
  width: number;
  selected: boolean;
  onSelect: (key: string) => void;
  onHover: (key: string) => void;
}

function Bar({ item: i, start, left, right, width, selected, onSelect, onHover }: BarProps) {
  const from = Math.max(left, -20);
  const size = Math.max(least, Math.min(right, width + 20) - from);
  const names = ["item", i.mark ? "moment" : "bar", i.tone, i.to === null && "open", selected && "selected"];
  return (
    <button
      type="button"
      tabIndex={-1}
      class={names.filter(Boolean).join(" ")}
      aria-label={spell(i, start)}
      style={{ transform: `translate(${i.mark ? left - 6 : from}px, ${i.row * rowHeight}px)`, width: i.mark ? undefined : `${size}px` }}
      onClick={() => onSelect(i.key)}
      onPointerEnter={() => onHover(i.key)}
      onPointerLeave={() => onHover("")}
    >
      {!i.mark && size > 28 ? i.name : ""}
    </button>
  );
}

function DragBox({ drag, left }: { drag: { from: number; to: number }; left: number }) {
  return <div class="drag" style={{ left: `${Math.min(drag.from, drag.to) - left}px`, width: `${Math.abs(drag.to - drag.from)}px` }} />;
}
