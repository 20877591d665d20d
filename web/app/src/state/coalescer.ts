// Many notices become few requests: at most one at a time, and never more often
// than every 200 ms, or than half the time the last one took allows.

const least = 200;
const most = 1000; // ids a request

export class Coalescer {
  private waiting = new Set<number>();
  private timer = 0;
  private busy = false;

  constructor(private fetch: (ids: number[]) => Promise<void>) {}

  add(ids: Iterable<number>): void {
    for (const id of ids) this.waiting.add(id);
    if (this.waiting.size > 0 && !this.timer && !this.busy) this.schedule(least);
  }

  clear(): void {
    this.waiting.clear();
    clearTimeout(this.timer);
    this.timer = 0;
  }

  private schedule(ms: number): void {
    this.timer = window.setTimeout(() => void this.flush(), ms);
  }

  private async flush(): Promise<void> {
    this.timer = 0;
    this.busy = true;
    const ids = [...this.waiting].slice(0, most);
    for (const id of ids) this.waiting.delete(id);
    const began = performance.now();
    let pause = least;
    try {
      await this.fetch(ids);
      pause = Math.max(least, 2 * (performance.now() - began));
    } catch (e) {
      // Aborted: nobody wants them. Else the daemon is away: later, then.
      if (!(e instanceof DOMException)) for (const id of ids) this.waiting.add(id);
      pause = 5 * least;
    }
    this.busy = false;
    if (this.waiting.size > 0 && !this.timer) this.schedule(pause);
  }
}
