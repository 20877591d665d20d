// One clock for all that shows elapsed time.
import { signal } from "@preact/signals";

/** The time, each second while the tab is seen. */
export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1000);
