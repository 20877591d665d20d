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
  header?: ComponentChildren; // stays on top
  headerHeight?: number;
  active?: string; // the id of the element that stands for the focus
  multiple?: boolean; // several rows can be selected
  keyOf?: (index: number) => number | undefined; // with indexOf: what is looked at stays where it is when rows above come or go
  indexOf?: (key: number) => number;
  onSeen?: (first: number, last: number) => void;
}

const spare = 10;

export function Virtual(p: Props) {
  const { count, rowHeight, role, headerHeight = 0 } = p;
  const ref = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  useLayoutEffect(() => {
    const box = ref.current!;
    const observer = new ResizeObserver(() => setHeight(box.clientHeight));
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  useAnchor(p, ref);
  useLayoutEffect(() => {
    const box = ref.current!;
    if (p.reveal === undefined || p.reveal < 0) return;
    const y = p.reveal * rowHeight;
    const room = box.clientHeight - headerHeight;
    if (y < box.scrollTop) box.scrollTop = y;
    else if (y + rowHeight > box.scrollTop + room) box.scrollTop = y + rowHeight - room;
  }, [p.reveal, rowHeight]);
  const first = Math.max(0, Math.min(count, Math.floor(top / rowHeight)) - spare);
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + spare);
  useLayoutEffect(() => {
    p.onSeen?.(first, last);
    if (p.onEnd && last >= count - spare) p.onEnd();
  }, [first, last, count]);
  const rows: ComponentChildren[] = [];
  for (let i = first; i < last; i++) rows.push(p.row(i));
  const grid = role === "grid" || role === "treegrid";
  return (
    <div
      ref={ref}
      class="virtual"
      role={role}
      aria-label={p.label}
      aria-rowcount={grid ? count + (p.header ? 1 : 0) : undefined}
      aria-multiselectable={p.multiple}
      aria-activedescendant={p.active}
      tabIndex={0}
      onScroll={(e) => setTop(e.currentTarget.scrollTop)}
    >
      {p.header}
      <div class="virtual-space" role={grid ? "rowgroup" : "presentation"} style={{ height: `${count * rowHeight}px` }}>
        <div class="virtual-rows" role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {rows}
        </div>
      </div>
    </div>
  );
}

// useAnchor scrolls along when rows above the first one in sight come or go. At
// the very top nothing is held: there a person wants to see the newest.
function useAnchor({ keyOf, indexOf, rowHeight, count }: Props, ref: { current: HTMLDivElement | null }): void {
  const anchor = useRef<{ key: number; index: number } | null>(null);
  useLayoutEffect(() => {
    const box = ref.current!;
    const was = anchor.current;
    if (!keyOf || !indexOf) return;
    if (was && box.scrollTop >= rowHeight) {
      const index = indexOf(was.key);
      if (index >= 0 && index !== was.index) box.scrollTop += (index - was.index) * rowHeight;
    }
    const note = (): void => {
      const index = Math.floor(box.scrollTop / rowHeight);
      const key = index < count ? keyOf(index) : undefined;
      anchor.current = key === undefined ? null : { key, index };
    };
    note();
    box.addEventListener("scroll", note, { passive: true });
    return () => box.removeEventListener("scroll", note);
  }, [keyOf, indexOf, rowHeight, count]);
}
