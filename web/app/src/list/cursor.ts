// The row that keys act on, and the rows that are selected: both by id, so that
// they stay with their process however the list changes.
import { signal } from "@preact/signals";
import type { ProcessRecord } from "../api/types";
import { useKeys, type Key } from "../keys";
import { go, href } from "../router";

export class Cursor {
  readonly at = signal<number | null>(null);
  readonly selected = signal<ReadonlySet<number>>(new Set());

  toggle(id: number): void {
    const all = new Set(this.selected.value);
    if (!all.delete(id)) all.add(id);
    this.selected.value = all;
  }

  /** Selects all of them, or none if all are. */
  toggleAll(ids: number[]): void {
    const all = ids.length > 0 && ids.every((id) => this.selected.value.has(id));
    this.selected.value = new Set(all ? [] : ids);
  }

  clear(): void {
    this.selected.value = new Set();
  }

  /** Goes on to the nearest row that is still there; the selection is done with. */
  leave(ids: number[], gone: ReadonlySet<number>): void {
    const at = ids.indexOf(this.at.value ?? 0);
    const there = (id: number): boolean => !gone.has(id);
    if (at >= 0) this.at.value = ids.slice(at).find(there) ?? ids.slice(0, at).findLast(there) ?? null;
    this.clear();
  }

  /** Selects from the cursor to a row, as a click with Shift does. */
  extend(ids: number[], to: number): void {
    const a = Math.max(0, ids.indexOf(this.at.value ?? to));
    const b = ids.indexOf(to);
    this.selected.value = new Set([...this.selected.value, ...ids.slice(Math.min(a, b), Math.max(a, b) + 1)]);
  }

  /** What is acted on: the selected ones, else the one under the cursor. */
  target(record: (id: number) => ProcessRecord | undefined): ProcessRecord[] {
    const ids = this.selected.value.size > 0 ? [...this.selected.value] : this.at.value !== null ? [this.at.value] : [];
    return ids.map(record).filter((p): p is ProcessRecord => p !== undefined);
  }
}

const pageRows = 20;

/** The keys that move through rows and select them. */
export function useCursorKeys(cursor: Cursor, ids: number[], more: Key[] = []): void {
  const to = (index: number): void => {
    const id = ids[Math.min(ids.length - 1, Math.max(0, index))];
    if (id !== undefined) cursor.at.value = id;
  };
  const move = (step: number) => () => {
    const now = cursor.at.value === null ? -1 : ids.indexOf(cursor.at.value);
    to(now < 0 ? 0 : now + step);
  };
  const here = (f: (id: number) => void) => () => {
    if (cursor.at.value !== null && ids.includes(cursor.at.value)) f(cursor.at.value);
  };
  const group = "List";
  useKeys([
    { keys: ["j", "ArrowDown"], label: "Next", group, run: move(1) },
    { keys: ["k", "ArrowUp"], label: "Previous", group, run: move(-1) },
    { keys: ["PageDown"], label: "A page down", group, run: move(pageRows) },
    { keys: ["PageUp"], label: "A page up", group, run: move(-pageRows) },
    { keys: ["Home"], label: "First", group, run: () => to(0) },
    { keys: ["End"], label: "Last", group, run: () => to(ids.length - 1) },
    { keys: ["Enter"], label: "Open", group, run: here((id) => go(href(`processes/${id}`))) },
    { keys: ["x"], label: "Select or not", group, run: here((id) => cursor.toggle(id)) },
    { keys: ["*"], label: "Select all, or none", group, run: () => cursor.toggleAll(ids) },
    ...more,
  ]);
}
