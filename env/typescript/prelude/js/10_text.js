// Text of primitive values, as Node's util.inspect has it.

const hex = (n, digits) => padStart(toUpperCase(numberToString(n, 16)), digits, "0");

// escapeUnit is how one UTF-16 code unit of a string is shown, or undefined if
// it may stand as it is.
function escapeUnit(code, quote) {
  if (code === 92) return "\\\\";
  if (code === quote) return `\\${fromCharCode(code)}`;
  if (code >= 32 && code < 127 || code > 159 && (code < 0xd800 || code > 0xdfff)) return undefined;
  switch (code) {
    case 8: return "\\b";
    case 9: return "\\t";
    case 10: return "\\n";
    case 12: return "\\f";
    case 13: return "\\r";
  }
  return code < 160 ? `\\x${hex(code, 2)}` : `\\u${numberToString(code, 16)}`;
}

// pairAt says whether a surrogate pair begins at i.
function pairAt(text, i) {
  const code = charCodeAt(text, i);
  if (code < 0xd800 || code > 0xdbff || i + 1 >= text.length) return false;
  const next = charCodeAt(text, i + 1);
  return next >= 0xdc00 && next <= 0xdfff;
}

// escapeText escapes text; quote is the code of the quote that stands around it.
function escapeText(text, quote) {
  let result = "", from = 0;
  for (let i = 0; i < text.length; i += 1) {
    if (pairAt(text, i)) {
      i += 1;
      continue;
    }
    const escaped = escapeUnit(charCodeAt(text, i), quote);
    if (escaped === undefined) continue;
    result += slice(text, from, i) + escaped;
    from = i + 1;
  }
  return from === 0 ? text : result + slice(text, from);
}

// quoteText quotes a string with the first of ' " ` that needs no escape.
function quoteText(text) {
  let quote = "'";
  if (includes(text, "'")) {
    if (!includes(text, '"')) quote = '"';
    else if (!includes(text, "`") && !includes(text, "${")) quote = "`";
  }
  return quote + escapeText(text, charCodeAt(quote, 0)) + quote;
}

const numberText = (n) => (sameValue(n, -0) ? "-0" : `${n}`);
const bigintText = (n) => `${bigintToString(n)}n`;

const plural = (n) => (n === 1 ? "" : "s");

// stringText shows a string inside another value: long ones are cut, those of
// several lines are laid out.
function stringText(ctx, text) {
  let more = "";
  if (text.length > ctx.maxString) {
    const left = text.length - ctx.maxString;
    text = slice(text, 0, ctx.maxString);
    more = `... ${left} more character${plural(left)}`;
  }
  if (text.length <= 16 || text.length <= ctx.breakLength - ctx.indent - 4 || !includes(text, "\n")) return quoteText(text) + more;
  const parts = list();
  for (let from = 0; from < text.length;) {
    const at = indexOf(text, "\n", from);
    const to = at < 0 ? text.length : at + 1;
    push(parts, quoteText(slice(text, from, to)));
    from = to;
  }
  return join(parts, ` +\n${repeat(" ", ctx.indent + 2)}`) + more;
}

function primitiveText(ctx, value) {
  switch (typeof value) {
    case "string": return stringText(ctx, value);
    case "number": return numberText(value);
    case "bigint": return bigintText(value);
    case "symbol": return symbolToString(value);
    default: return `${value}`; // null, undefined, booleans
  }
}

const isWordStart = (c) => (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || c === 95;

// isWord says whether a key needs no quotes.
function isWord(key) {
  if (key === "" || !isWordStart(charCodeAt(key, 0))) return false;
  for (let i = 1; i < key.length; i += 1) {
    const c = charCodeAt(key, i);
    if (!isWordStart(c) && (c < 48 || c > 57)) return false;
  }
  return true;
}

// isWide and isFlat say how many columns a code point takes in a terminal.
const isWide = (c) =>
  c >= 0x1100 && (c <= 0x115f || c === 0x2329 || c === 0x232a || (c >= 0x2e80 && c <= 0x3247 && c !== 0x303f) ||
    (c >= 0x3250 && c <= 0x4dbf) || (c >= 0x4e00 && c <= 0xa4c6) || (c >= 0xa960 && c <= 0xa97c) ||
    (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe10 && c <= 0xfe19) ||
    (c >= 0xfe30 && c <= 0xfe6b) || (c >= 0xff01 && c <= 0xff60) || (c >= 0xffe0 && c <= 0xffe6) ||
    (c >= 0x1b000 && c <= 0x1b001) || (c >= 0x1f200 && c <= 0x1f251) || (c >= 0x1f300 && c <= 0x1f64f) ||
    (c >= 0x1f680 && c <= 0x1f6ff) || (c >= 0x1f900 && c <= 0x1f9ff) || (c >= 0x20000 && c <= 0x3fffd));
const isFlat = (c) =>
  c <= 0x1f || (c >= 0x7f && c <= 0x9f) || (c >= 0x300 && c <= 0x36f) || (c >= 0x200b && c <= 0x200f) ||
  (c >= 0x20d0 && c <= 0x20ff) || (c >= 0xfe00 && c <= 0xfe0f) || (c >= 0xfe20 && c <= 0xfe2f) || (c >= 0xe0100 && c <= 0xe01ef);

// widthOf is how many columns a text takes.
function widthOf(text) {
  let width = 0;
  for (let i = 0; i < text.length; i += 1) {
    const c = codePointAt(text, i);
    if (c >= 32 && c < 127) width += 1;
    else if (isWide(c)) width += 2;
    else if (!isFlat(c)) width += 1;
    if (c > 0xffff) i += 1;
  }
  return width;
}
