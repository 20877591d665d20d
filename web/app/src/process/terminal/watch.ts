// The bytes of a stream as they come. When the connection breaks it goes on at
// the byte it had reached: none is lost, none is shown twice.
import { ApiError, send, sentence } from "../../api/http";
import { sleep } from "../../api/stream";

const pause = 1000; // ms

export async function watch(path: string, signal: AbortSignal, show: (bytes: Uint8Array, offset: number) => Promise<void>, note: (text: string) => void): Promise<void> {
  let offset = 0;
  while (!signal.aborted) {
    await shown(signal);
    const hidden = new AbortController();
    const hide = (): void => void (document.hidden && hidden.abort());
    document.addEventListener("visibilitychange", hide);
    try {
      const answer = await send("GET", `${path}?follow=1&offset=${offset}`, { signal: AbortSignal.any([signal, hidden.signal]) });
      note("");
      const reader = answer.body!.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return; // the run is over
        await show(value, offset); // at the pace of the screen
        offset += value.length;
      }
    } catch (e) {
      if (signal.aborted) return;
      if (hidden.signal.aborted) continue;
      if (e instanceof ApiError && e.status >= 400 && e.status < 500) return note(sentence(e));
      note("The daemon is away. It goes on when it is back.");
      await sleep(pause, signal);
    } finally {
      document.removeEventListener("visibilitychange", hide);
    }
  }
}

// shown waits until the tab is seen: a hidden one takes none of the few
// connections that a browser has.
async function shown(signal: AbortSignal): Promise<void> {
  while (document.hidden && !signal.aborted) {
    await new Promise<unknown>((resolve) => {
      document.addEventListener("visibilitychange", resolve, { once: true });
      signal.addEventListener("abort", resolve, { once: true });
    });
  }
}
