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
  render: (row: number, key: number) => ComponentChildren;
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
  const share = range === 0 ? 0 : p.follow ? 1 : Math.min(1, top / range);
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
    if (p.follow) {
      element.scrollTop = space;
      seen.current = range; // reading it would lay the page out once more
    } else if (element.scrollTop !== top) setTop((seen.current = element.scrollTop));
    const y = range === 0 ? 0 : (p.follow ? range : Math.min(top, range)) + share * height - offsetOf(middle - first);
    rows.current!.style.transform = `translateY(${Math.round(y)}px)`;
    if (p.varies && !p.follow) keep(y);
  });

  // keep has the row that is in sight stay where it is when others come below:
  // where rows differ in height, the share of the bar alone would move it.
  const kept = useRef({ total: 0, top: 0, row: 0, y: 0 });
  function keep(y: number): void {
    const before = kept.current;
    const place = (row: number): number | null => {
      const child = rows.current!.children[row - first] as HTMLElement | undefined;
      return child ? y + child.offsetTop - top : null;
    };
    const is = before.total !== p.total && before.top === top ? place(before.row) : null;
    if (is !== null && Math.abs(is - before.y) > 1) box.current!.scrollTop = top + is - before.y;
    else {
      const row = Math.floor(middle);
      kept.current = { total: p.total, top, row, y: place(row) ?? 0 };
    }
  }

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
    if (!box.current) return; // the page was left meanwhile
    const { scrollTop, clientHeight, scrollHeight } = box.current;
    const atEnd = scrollTop + clientHeight >= scrollHeight - 4;
    if (p.follow) return scrollTop < seen.current - 4 && !atEnd ? p.onEnd(false) : undefined;
    if (scrollTop > seen.current && atEnd) p.onEnd(true);
    seen.current = scrollTop;
    setTop(scrollTop);
  }

  // A person who begins to go up is not to be pulled back by the next lines.
  const leave = (): void => {
    if (p.follow && range > 0) p.onEnd(false);
  };

  // At once: browsers take their time over a long way.
  function onKeyDown(e: KeyboardEvent): void {
    if (["ArrowUp", "PageUp", "Home"].includes(e.key)) leave();
    if (e.ctrlKey || e.metaKey || e.altKey || (e.key !== "Home" && e.key !== "End")) return;
    e.preventDefault();
    box.current!.scrollTop = e.key === "Home" ? 0 : space;
  }

  const shown: ComponentChildren[] = [];
  // At the end rows are used again for other lines: that is less work than new
  // ones. Elsewhere a row stays what it is, so that text can be selected.
  for (let i = first; i < last; i++) shown.push(p.render(i, p.follow ? i - first : i));
  return (
    <div
      ref={box} class={p.varies ? "scroller wraps" : "scroller"} role="region" aria-label={p.label} tabIndex={0} onScroll={onScroll}
      onWheel={(e) => e.deltaY < 0 && leave()} onTouchMove={leave}
      onKeyDown={onKeyDown}
      onPointerDown={(e) => e.offsetX > e.currentTarget.clientWidth && leave()}
    >
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
