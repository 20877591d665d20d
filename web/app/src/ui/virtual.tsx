// A list of any length: only the rows in sight are in the page.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface Props {
  count: number;
  rowHeight: number;
  row: (index: number) => ComponentChildren;
  role?: "grid" | "tree" | "treegrid" | "log" | "list" | "listbox";
  label: string;
  reveal?: number; // the row to keep in sight
  onEnd?: () => void; // the last rows are in sight
}

const spare = 10;

export function Virtual({ count, rowHeight, row, role, label, reveal, onEnd }: Props) {
  const ref = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  useLayoutEffect(() => {
    const box = ref.current!;
    const observer = new ResizeObserver(() => setHeight(box.clientHeight));
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const box = ref.current!;
    if (reveal === undefined || reveal < 0) return;
    const y = reveal * rowHeight;
    if (y < box.scrollTop) box.scrollTop = y;
    else if (y + rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = y + rowHeight - box.clientHeight;
  }, [reveal, rowHeight]);
  const first = Math.max(0, Math.floor(top / rowHeight) - spare);
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + spare);
  useLayoutEffect(() => {
    if (onEnd && last >= count - spare) onEnd();
  }, [last, count]);
  const rows: ComponentChildren[] = [];
  for (let i = first; i < last; i++) rows.push(row(i));
  return (
    <div ref={ref} class="virtual" role={role} aria-label={label} aria-rowcount={role === "grid" ? count : undefined} tabIndex={0} onScroll={(e) => setTop(e.currentTarget.scrollTop)}>
      <div class="virtual-space" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        <div class="virtual-rows" role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {rows}
        </div>
      </div>
    </div>
  );
}
