// Where the next hit, or the next error, is. After the last comes the first.
import { jump, mark } from "./errors";
import type { Search } from "./search";
import type { Marks } from "./store";
import type { View } from "./view";

export interface Stop {
  seq: number; // 0: there is none
  index: number; // from 1
  of: number;
}

export function nextHit(search: Search | null, from: number, back: boolean): Stop {
  const hits = search?.hits;
  if (!hits || hits.length === 0) return { seq: 0, index: 0, of: 0 };
  let index = back ? hits.below(from) - 1 : hits.below(from + 1);
  if (index < 0) index = hits.length - 1;
  if (index >= hits.length) index = 0;
  return { seq: hits.at(index), index: index + 1, of: hits.length };
}

export function nextError(marks: Marks, view: View, from: number, back: boolean): Stop {
  const [first, last] = view.range();
  let of = 0;
  let next = { seq: 0, index: 0 };
  let anew = { seq: 0, index: 0 }; // where it begins again
  for (let seq = first; seq <= last; seq++) {
    const bits = marks.get(seq);
    if (!(bits & jump) || !view.shown[bits & mark.stderr ? "stderr" : "stdout"]) continue;
    const here = { seq, index: ++of };
    if (back ? seq < from : seq > from && !next.seq) next = here;
    if (back || !anew.seq) anew = here;
  }
  return { ...(next.seq ? next : anew), of };
}
