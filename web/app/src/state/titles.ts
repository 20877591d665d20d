// Lists come without code, which may be long. What is called by its first line
// is asked for when it comes into sight.
import { get } from "../api/http";
import type { Page } from "../api/processes";
import type { ProcessRecord } from "../api/types";
import { Coalescer } from "./coalescer";
import type { Collection } from "./collection";

const few = 50;

/** Fetches the first lines of what is in sight and has no other name. */
export class Titles {
  private asked = new Set<number>();
  private wanted: Coalescer;

  constructor(private of: Collection) {
    this.wanted = new Coalescer((ids) => this.fetch(ids));
  }

  want(ids: number[]): void {
    const rows = this.of.rows;
    const nameless = ids.filter((id) => !this.asked.has(id) && rows.has(id) && needsCode(rows.get(id)!.record));
    for (const id of nameless) this.asked.add(id);
    this.wanted.add(nameless);
  }

  private async fetch(ids: number[]): Promise<void> {
    for (let i = 0; i < ids.length; i += few) {
      const part = ids.slice(i, i + few);
      const got = await get<Page>("/processes", { ids: part.join(","), include: "code", limit: part.length });
      for (const p of got.processes) {
        const row = this.of.rows.get(p.id);
        if (row) this.of.rows.set(p.id, { ...row, record: { ...row.record, code: (p.code ?? "").trimStart().slice(0, 200) } });
      }
      this.of.version.value++;
    }
  }
}

const needsCode = (p: ProcessRecord): boolean => !p.label && !p.command && p.code === undefined;
