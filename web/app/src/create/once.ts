// A key for each thing that is to be made once: the same body that is sent again,
// because of a double click or an answer that was lost, makes nothing new.

let last: { body: string; key: string; madeAt: number } | null = null;

// Who clicks again within this time has clicked twice.
const doubleClick = 1000;

/** The key to send a body with, until it is known that it was made. */
export function keyFor(body: string): string {
  const over = last !== null && last.madeAt > 0 && Date.now() - last.madeAt > doubleClick;
  if (last?.body !== body || over) last = { body, key: randomKey(), madeAt: 0 };
  return last.key;
}

/** It was made: the next one is another, also if it is the same. */
export function made(): void {
  if (last && last.madeAt === 0) last.madeAt = Date.now();
}

function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `dashboard-${Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("")}`;
}
