// Markdown, as much of it as the daemon's documents use, made into elements:
// nothing in a text can become more than text.
import type { ComponentChildren } from "preact";

export function Markdown({ text }: { text: string }) {
  return <div class="markdown">{blocks(text.split("\n"))}</div>;
}

function blocks(lines: string[]): ComponentChildren[] {
  const out: ComponentChildren[] = [];
  for (let i = 0; i < lines.length; ) {
    const line = lines[i]!;
    if (line.trim() === "") {
      i++;
      continue;
    }
    const end = endOfBlock(lines, i);
    out.push(block(lines.slice(i, end), i));
    i = end;
  }
  return out;
}

const heading = /^(#{1,6})\s+(.*)$/;
const item = /^\s*(?:[-*]|\d+\.)\s+/;

function endOfBlock(lines: string[], from: number): number {
  const first = lines[from]!;
  if (first.startsWith("```")) {
    const close = lines.findIndex((l, i) => i > from && l.startsWith("```"));
    return close < 0 ? lines.length : close + 1;
  }
  if (heading.test(first)) return from + 1;
  let i = from + 1;
  while (i < lines.length && lines[i]!.trim() !== "" && !heading.test(lines[i]!) && !lines[i]!.startsWith("```")) {
    if (!item.test(first) && !first.startsWith("|") && item.test(lines[i]!)) break;
    i++;
  }
  return i;
}

function block(lines: string[], key: number): ComponentChildren {
  const first = lines[0]!;
  if (first.startsWith("```")) return <pre key={key} tabIndex={0}>{lines.slice(1, lines.length - (lines.at(-1)!.startsWith("```") ? 1 : 0)).join("\n")}</pre>;
  const h = heading.exec(first);
  if (h) return h[1]!.length <= 1 ? <h2 key={key}>{inline(h[2]!)}</h2> : <h3 key={key}>{inline(h[2]!)}</h3>;
  if (first.startsWith("|")) return <Table key={key} lines={lines} />;
  if (item.test(first)) return <List key={key} lines={lines} />;
  return <p key={key}>{inline(lines.join(" "))}</p>;
}

function List({ lines }: { lines: string[] }) {
  const items: string[] = [];
  for (const line of lines) {
    if (item.test(line)) items.push(line.replace(item, ""));
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  const all = items.map((text, i) => <li key={i}>{inline(text)}</li>);
  return /^\s*\d/.test(lines[0]!) ? <ol>{all}</ol> : <ul>{all}</ul>;
}

function Table({ lines }: { lines: string[] }) {
  const cells = (line: string): string[] => line.replace(/^\||\|\s*$/g, "").split(/(?<!\\)\|/).map((c) => c.trim().replaceAll("\\|", "|"));
  const rows = lines.filter((l) => !/^\|[\s:|-]+\|?\s*$/.test(l)).map(cells);
  return (
    <table>
      <thead>
        <tr>
          {rows[0]!.map((c, i) => (c ? <th key={i} scope="col">{inline(c)}</th> : <td key={i} />))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(1).map((r, i) => (
          <tr key={i}>
            {r.map((c, j) => (
              <td key={j}>{inline(c)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

// Code, strong words and links; what a link leads to is shown if it is not of the web.
function inline(text: string): ComponentChildren[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^[\]]+\]\([^()\s]+\))/).map((part, i) => {
    if (part.startsWith("`")) return <code key={i}>{part.slice(1, -1)}</code>;
    if (part.startsWith("**")) return <strong key={i}>{inline(part.slice(2, -2))}</strong>;
    const link = /^\[([^\]]+)\]\((https?:\/\/[^)]+)\)$/.exec(part);
    if (link) {
      return (
        <a key={i} href={link[2]} rel="noreferrer noopener" target="_blank">
          {link[1]}
        </a>
      );
    }
    return part.replace(/^\[([^\]]+)\]\([^)]+\)$/, "$1");
  });
}
