// Short notes on what was done, with a way back where there is one.
import { signal } from "@preact/signals";
import { sentence } from "../api/http";

interface Toast {
  id: number;
  text: string;
  bad: boolean;
  undo?: () => void;
}

const toasts = signal<Toast[]>([]);
let next = 1;

/** Tells a person something; undo is offered for as long as it is shown. */
export function tell(text: string, undo?: () => void): void {
  show({ id: next++, text, bad: false, undo }, undo ? 10_000 : 6_000);
}

/** Tells what went wrong. */
export function complain(e: unknown): void {
  show({ id: next++, text: sentence(e), bad: true }, 12_000);
}

/** Does something, and tells what went wrong. */
export async function attempt(f: () => Promise<unknown>): Promise<void> {
  try {
    await f();
  } catch (e) {
    complain(e);
  }
}

function show(t: Toast, ms: number): void {
  toasts.value = [...toasts.value.slice(-4), t];
  setTimeout(() => close(t.id), ms);
}

function close(id: number): void {
  toasts.value = toasts.value.filter((t) => t.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((t) => (
        <div key={t.id} class={t.bad ? "toast bad" : "toast"}>
          <span>{t.text}</span>
          {t.undo && (
            <button
              type="button"
              onClick={() => {
                close(t.id);
                t.undo?.();
              }}
            >
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
