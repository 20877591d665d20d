// Colours and styles of terminals. Only SGR sequences count; all others are
// dropped, as a log is no screen.
import { colourStyle, type Colour } from "./colours";
import type { Span } from "./protocol";

interface Style {
  fg: Colour | null;
  bg: Colour | null;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  strike: boolean;
  inverse: boolean;
}

const plain = (): Style => ({ fg: null, bg: null, bold: false, dim: false, italic: false, underline: false, strike: false, inverse: false });

// CSI; OSC and other strings up to BEL or ST, or what breaks them off; other
// escapes; the same by their one-byte names; then lone control characters but
// tab. What a string begins it also ends, or a line full of beginnings would
// take the square of its length.
const control =
  /(?:\x1b\[|\x9b)([0-?]*)[ -/]*([@-~])|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?|[\x00-\x08\x0a-\x1f\x7f-\x9f]/g;

const suspicious = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/;

/** A line without its control sequences. */
export function strip(line: string): string {
  return suspicious.test(line) ? line.replace(control, "") : line;
}

/** A line's text and what it looks like. */
export function parse(line: string): { text: string; spans: Span[] | null } {
  if (!suspicious.test(line)) return { text: line, spans: null };
  const style = plain();
  const spans: Span[] = [];
  let text = "";
  let from = 0;
  const add = (part: string): void => {
    if (!part) return;
    text += part;
    const look = lookOf(style);
    const last = spans.at(-1);
    if (last && last.names === look.names && last.css === look.css) last.to = text.length;
    else spans.push({ to: text.length, ...look });
  };
  for (const match of line.matchAll(control)) {
    add(line.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[2] === "m") apply(style, match[1] ?? "");
  }
  add(line.slice(from));
  const styled = spans.some((s) => s.names || s.css);
  return { text, spans: styled ? spans : null };
}

function lookOf(s: Style): { names: string; css: string } {
  const names: string[] = [];
  if (s.bold) names.push("sgr-bold");
  if (s.italic) names.push("sgr-italic");
  if (s.underline) names.push("sgr-underline");
  if (s.strike) names.push("sgr-strike");
  const fg = s.inverse ? s.bg : s.fg;
  const bg = s.inverse ? s.fg : s.bg;
  if (s.inverse && !bg && !fg) names.push("sgr-inverse");
  else if (s.dim && !fg && !bg) names.push("sgr-dim");
  const colour = colourStyle(fg, bg, s.inverse);
  if (colour.name) names.push(colour.name);
  return { names: names.join(" "), css: colour.css };
}

function apply(s: Style, parameters: string): void {
  const codes = parameters.split(/[;:]/).map((p) => Number(p) || 0);
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!;
    if (code === 38 || code === 48) {
      const [colour, used] = extended(codes.slice(i + 1));
      if (code === 38) s.fg = colour ?? s.fg;
      else s.bg = colour ?? s.bg;
      i += used;
    } else set(s, code);
  }
}

// extended reads what follows 38 or 48: 5;N, or 2;R;G;B.
function extended(rest: number[]): [Colour | null, number] {
  if (rest[0] === 5) return [{ index: Math.min(255, rest[1] ?? 0) }, 2];
  if (rest[0] === 2) return [{ rgb: [byte(rest[1]), byte(rest[2]), byte(rest[3])] }, 4];
  return [null, rest.length];
}

const byte = (n: number | undefined): number => Math.min(255, n ?? 0);

function set(s: Style, code: number): void {
  if (code === 0) Object.assign(s, plain());
  else if (code === 1) s.bold = true;
  else if (code === 2) s.dim = true;
  else if (code === 3) s.italic = true;
  else if (code === 4 || code === 21) s.underline = true;
  else if (code === 7) s.inverse = true;
  else if (code === 9) s.strike = true;
  else if (code === 22) s.bold = s.dim = false;
  else if (code === 23) s.italic = false;
  else if (code === 24) s.underline = false;
  else if (code === 27) s.inverse = false;
  else if (code === 29) s.strike = false;
  else if (code >= 30 && code <= 37) s.fg = { index: code - 30 };
  else if (code === 39) s.fg = null;
  else if (code >= 40 && code <= 47) s.bg = { index: code - 40 };
  else if (code === 49) s.bg = null;
  else if (code >= 90 && code <= 97) s.fg = { index: code - 82 };
  else if (code >= 100 && code <= 107) s.bg = { index: code - 92 };
}
