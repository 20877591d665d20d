// Deleting a process is no event: its events are deleted with it. But the
// counts tell: there are fewer processes than there were and were created since.
import type { Overview, ProcessEvent } from "../api/types";

export class Deletions {
  private base = -1; // how many there were at first
  private created = 0; // since then, up to the cursor of the counts
  private newer: number[] = []; // cursors of creations that the counts need not have
  private known = 0; // deletions that were told

  note(events: ProcessEvent[]): void {
    for (const e of events) if (e.kind === "process_created" && e.cursor) this.newer.push(Number(e.cursor));
  }

  /**
   * Looks at newer counts, and says whether something was deleted. Counts may
   * be ahead of their cursor, never behind: so while much is created it may
   * come late to a deletion, but does not see the same one twice.
   */
  found(now: Overview): boolean {
    if (this.base < 0) this.base = now.total;
    const cursor = Number(now.cursor);
    this.created += this.newer.filter((c) => c <= cursor).length;
    this.newer = this.newer.filter((c) => c > cursor);
    const missing = this.base + this.created - now.total;
    if (missing <= this.known) return false;
    this.known = missing;
    return true;
  }
}
