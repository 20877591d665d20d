// Searching all lines, also those that come while it is under way.
import { strip } from "../ansi";
import type { Query } from "../protocol";
import { type Line, Numbers } from "./store";

const most = 1000; // hits that are marked in one line

export class Search {
  readonly hits = new Numbers();
  over = false;
  private expression: RegExp;

  /** It throws if the expression is none. */
  constructor(readonly query: Query) {
    const source = query.regex ? query.text : query.text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    this.expression = new RegExp(source, query.matchCase ? "g" : "gi");
  }

  pass(lines: Line[]): void {
    for (const line of lines) {
      this.expression.lastIndex = 0;
      if (this.expression.test(strip(line.text))) this.hits.push(line.seq);
    }
  }

  /** Where it is found in a text, as pairs of from and to. */
  places(text: string): number[] {
    const places: number[] = [];
    this.expression.lastIndex = 0;
    for (let m = this.expression.exec(text); m && places.length < 2 * most; m = this.expression.exec(text)) {
      if (m[0] === "") this.expression.lastIndex++; // an empty match would be found for ever
      else places.push(m.index, m.index + m[0].length);
    }
    return places;
  }
}

/** What is wrong with an expression, as a sentence. */
export function problemOf(e: unknown): string {
  const text = e instanceof Error ? e.message : String(e);
  return `This is no regular expression: ${text.replace(/^Invalid regular expression: /, "")}`;
}
