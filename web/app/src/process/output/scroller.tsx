// Rows of any number and any height. A place in the scroll bar stands for a
// share of the rows: that share of the rows is shown at that share of the
// height, so the ends are exact, and only rows in sight need a height. With rows
// of one height this is ordinary scrolling.
import type { ComponentChildren, Ref } from "preact";
import { useImperativeHandle, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface ScrollHandle {
  toRow: (row: number) => void;
  toEnd: () => void;
  focus: () => void;
}

interface Props {
  handle: Ref<ScrollHandle>;
  label: string;
  total: number;
  rowHeight: number;
  varies: boolean; // rows may be higher than that: long lines are wrapped
  follow: boolean; // stay at the end
  render: (row: number) => ComponentChildren;
  onRange: (from: number, to: number) => void;
  onEnd: (atEnd: boolean) => void; // a person went to the end, or away from it
}

const spare = 12;
const tallest = 12_000_000; // px: browsers stop somewhere above

export function Scroller(p: Props) {
  const box = useRef<HTMLDivElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const seen = useRef(0); // where it was last
  const stretch = useStretch(p.varies, rows, p.rowHeight, p.total);

  const space = Math.max(height, Math.min(tallest, p.total * p.rowHeight * stretch));
  const range = Math.max(0, space - height);
  const share = range > 0 ? Math.min(1, top / range) : 0;
  const middle = share * p.total;
  const around = Math.ceil(height / p.rowHeight) + spare;
  const first = Math.max(0, Math.floor(middle) - Math.ceil(around * share) - (p.varies ? spare : 0));
  const last = Math.min(p.total, Math.ceil(middle) + Math.ceil(around * (1 - share)) + 1);

  useLayoutEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => p.onRange(first, last), [first, last, p.total, p.follow]);
  useLayoutEffect(() => {
    const element = box.current!;
    const away = element.scrollTop + element.clientHeight < element.scrollHeight - 1;
    // What grows does not move it up: a person did, and is to be told of soon.
    if (p.follow && away && element.scrollTop < seen.current - 1) p.onEnd(false);
    else if (p.follow && away) element.scrollTop = element.scrollHeight;
    if (element.scrollTop !== top) {
      seen.current = element.scrollTop;
      setTop(element.scrollTop);
    }
  });
  useLayoutEffect(() => {
    const y = range === 0 ? 0 : top + share * height - offsetOf(middle - first);
    rows.current!.style.transform = `translateY(${Math.round(y)}px)`;
  });

  // offsetOf is how far below the first row in the page a place is.
  function offsetOf(row: number): number {
    if (!p.varies) return row * p.rowHeight;
    const child = rows.current!.children[Math.min(Math.floor(row), last - first - 1)] as HTMLElement | undefined;
    return child ? child.offsetTop + Math.min(1, row - Math.floor(Math.min(row, last - first - 1))) * child.offsetHeight : 0;
  }

  useImperativeHandle(p.handle, () => ({
    toRow: (row) => {
      box.current!.scrollTop = ((row + 0.5) / Math.max(1, p.total)) * range;
    },
    toEnd: () => {
      box.current!.scrollTop = box.current!.scrollHeight;
    },
    focus: () => box.current!.focus(),
  }));

  function onScroll(): void {
    const element = box.current!;
    const atEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - 4;
    if (element.scrollTop !== seen.current) p.onEnd(atEnd);
    seen.current = element.scrollTop;
    setTop(element.scrollTop);
  }

  const shown: ComponentChildren[] = [];
  for (let i = first; i < last; i++) shown.push(p.render(i));
  return (
    <div ref={box} class={p.varies ? "scroller wraps" : "scroller"} role="region" aria-label={p.label} tabIndex={0} onScroll={onScroll}>
      <div class="scroller-space" style={{ height: `${space}px` }}>
        <div ref={rows} class="scroller-rows">
          {shown}
        </div>
      </div>
    </div>
  );
}

// useStretch is how much higher than one row rows are, as far as was seen.
function useStretch(varies: boolean, rows: { current: HTMLDivElement | null }, rowHeight: number, total: number): number {
  const [stretch, setStretch] = useState(1);
  useLayoutEffect(() => {
    if (!varies) return setStretch(1);
    const n = rows.current!.children.length;
    if (n === 0) return;
    const is = rows.current!.offsetHeight / (n * rowHeight);
    // Exact where all rows are in the page, otherwise not for every change: the
    // bar would jump.
    if (n === total ? Math.abs(is - stretch) * n * rowHeight > 1 : is > stretch * 1.5) setStretch(is);
  });
  return stretch;
}
