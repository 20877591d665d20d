// Short notes on what was done, with a way back where there is one.
import { signal } from "@preact/signals";
import { sentence } from "../api/http";

interface Toast {
  id: number;
  text: string;
  kind: "good" | "bad" | "busy";
  undo?: () => void;
  about?: string;
}

const toasts = signal<Toast[]>([]);
let next = 1;

/** How long an undo is offered. */
export const regret = 8_000;

/**
 * Tells a person something; undo is offered for as long as it is shown. A note
 * about the same thing takes the place of the one before.
 */
export function tell(text: string, undo?: () => void, about?: string): void {
  show({ id: next++, text, kind: "good", undo, about }, regret);
}

/** Tells what went wrong. */
export function complain(e: unknown): void {
  show({ id: next++, text: sentence(e), kind: "bad" }, 12_000);
}

/** Does something, and tells what went wrong. */
export async function attempt(f: () => Promise<unknown>): Promise<void> {
  try {
    await f();
  } catch (e) {
    complain(e);
  }
}

export interface Busy {
  say: (text: string) => void;
  end: () => void;
}

/** A note that stays until what it tells of is over. */
export function busy(text: string): Busy {
  const t: Toast = { id: next++, text, kind: "busy" };
  show(t);
  return {
    say: (text) => (toasts.value = toasts.value.map((other) => (other.id === t.id ? { ...other, text } : other))),
    end: () => close(t.id),
  };
}

function show(t: Toast, ms?: number): void {
  const others = toasts.value.filter((old) => old.text !== t.text && !(t.about && old.about === t.about));
  toasts.value = [...others.slice(-4), t];
  if (ms) setTimeout(() => close(t.id), ms);
}

function close(id: number): void {
  toasts.value = toasts.value.filter((t) => t.id !== id);
}

/** Undoes the newest thing that can be. */
export function undoLast(): void {
  const t = toasts.value.findLast((t) => t.undo);
  if (t) undo(t);
}

function undo(t: Toast): void {
  close(t.id);
  t.undo?.();
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((t) => (
        <div key={t.id} class={`toast ${t.kind}`}>
          <span>{t.text}</span>
          {t.undo && (
            <button type="button" title="Undo (z)" onClick={() => undo(t)}>
              Undo
            </button>
          )}
          <button type="button" class="plain" aria-label="Close this note" onClick={() => close(t.id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
