import type { ComponentChildren } from "preact";
import { bytes, clock, plural } from "../../format";
import type { LineRow, Row } from "./protocol";

interface Props {
  row: Row | undefined;
  times: boolean;
  marked: boolean; // the link is to it
  current: boolean; // the search, or the jump, is at it
  link: (l: LineRow) => string;
  onNumber: (l: LineRow, range: boolean) => void;
  onWhole: (seq: number) => void;
}

export function OutputRow(p: Props) {
  const { row } = p;
  if (!row) return <div class="line waiting">…</div>;
  if (row.kind === "run") {
    return (
      <div class="line separator">
        <span>
          Run {row.run} · {clock(row.at)}
        </span>
      </div>
    );
  }
  if (row.kind === "elided") return <div class="line elided">{elision(row.lines, row.bytes, row.stream)}</div>;
  const names = ["line", row.stream, p.marked && "marked", p.current && "current", row.error && "suspect", row.partial && "partial"];
  return (
    <div class={names.filter(Boolean).join(" ")} data-line={row.line || undefined}>
      <Number {...p} row={row} />
      <span class="stream">{row.stream === "stderr" ? "err" : ""}</span>
      {p.times && <time dateTime={row.at}>{clock(row.at)}</time>}
      <span class="text">{pieces(row)}</span>
      {row.more > 0 && (
        <button type="button" class="plain more" onClick={() => p.onWhole(row.seq)}>
          {row.more} more characters
        </button>
      )}
    </div>
  );
}

function Number({ row, link, onNumber }: Props & { row: LineRow }) {
  if (row.partial) return <span class="number">▸</span>;
  return (
    <a
      class="number"
      href={link(row)}
      tabIndex={-1}
      aria-label={`Line ${row.line}`}
      onClick={(e) => {
        e.preventDefault();
        onNumber(row, e.shiftKey);
      }}
    >
      {row.line}
    </a>
  );
}

function elision(lines: number, size: number, stream: string): string {
  const what = size > 0 ? `${bytes(size)} (${plural(lines, "line", "lines")})` : plural(lines, "line", "lines");
  const one = size === 0 && lines === 1;
  return `${what}${stream ? ` of ${stream}` : ""} ${one ? "is" : "are"} not kept`;
}

// pieces cuts a line where its look changes or a hit begins or ends.
function pieces(row: LineRow): ComponentChildren {
  if (!row.spans && row.hits.length === 0) return row.text || " ";
  const spans = row.spans ?? [{ to: row.text.length, names: "", css: "" }];
  const out: ComponentChildren[] = [];
  let from = 0;
  let hit = 0; // the pair that comes next
  for (const span of spans) {
    while (from < span.to) {
      while (hit < row.hits.length && row.hits[hit + 1]! <= from) hit += 2;
      const begins = row.hits[hit] ?? Infinity;
      const inside = begins <= from;
      const to = Math.min(span.to, inside ? row.hits[hit + 1]! : begins);
      const text = row.text.slice(from, to);
      const look = span.names || span.css ? { class: span.names, style: span.css || undefined } : null;
      out.push(inside ? <mark {...look}>{text}</mark> : look ? <span {...look}>{text}</span> : text);
      from = to;
    }
  }
  return out;
}
