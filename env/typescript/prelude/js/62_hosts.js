// Hosts of URLs: names, IPv4 and IPv6.

const forbiddenInHost = "\0\t\n\r #/:<>?@[\\]^|";
const forbiddenHost = (c) => c < 128 && includes(forbiddenInHost, fromCharCode(c));
const forbiddenDomain = (c) => c <= 0x1f || c === 0x7f || c === 37 || forbiddenHost(c);

function containsAny(text, test) {
  for (let i = 0; i < text.length; i += 1) if (test(charCodeAt(text, i))) return true;
  return false;
}

// parseHost returns the serialized host, or undefined if it is none.
function parseHost(input, special) {
  if (input[0] === "[") return endsWith(input, "]") ? parseIPv6(slice(input, 1, -1)) : undefined;
  if (!special) return containsAny(input, forbiddenHost) ? undefined : percentEncodeAll(input, beyond);
  const domain = toASCII(percentDecode(input, false));
  if (domain === undefined || domain === "") return undefined;
  if (containsAny(domain, forbiddenDomain)) return undefined;
  return endsInNumber(domain) ? parseIPv4(domain) : domain;
}

function splitAt(text, separator) {
  const parts = list();
  for (let from = 0; ;) {
    const at = indexOf(text, separator, from);
    push(parts, at < 0 ? slice(text, from) : slice(text, from, at));
    if (at < 0) return parts;
    from = at + separator.length;
  }
}

const isDigits = (text) => text !== "" && !containsAny(text, (c) => c < 48 || c > 57);

function endsInNumber(domain) {
  const parts = splitAt(domain, ".");
  let last = parts.length - 1;
  if (parts[last] === "") {
    if (parts.length === 1) return false;
    last -= 1;
  }
  return isDigits(parts[last]) || parseIPv4Number(parts[last]) !== undefined;
}

// parseIPv4Number reads decimal, octal and hexadecimal numbers.
function parseIPv4Number(text) {
  if (text === "") return undefined;
  let base = 10;
  if (startsWith(text, "0x") || startsWith(text, "0X")) {
    base = 16;
    text = slice(text, 2);
  } else if (text.length > 1 && text[0] === "0") {
    base = 8;
    text = slice(text, 1);
  }
  let value = 0;
  for (let i = 0; i < text.length; i += 1) {
    const digit = hexValue(charCodeAt(text, i));
    if (digit < 0 || digit >= base) return undefined;
    value = value * base + digit;
  }
  return value;
}

function parseIPv4(domain) {
  const parts = splitAt(domain, ".");
  if (parts[parts.length - 1] === "" && parts.length > 1) parts.length -= 1;
  if (parts.length > 4) return undefined;
  let address = 0;
  for (let i = 0; i < parts.length; i += 1) {
    const number = parseIPv4Number(parts[i]);
    if (number === undefined) return undefined;
    if (i < parts.length - 1) {
      if (number > 255) return undefined;
      address += number * 256 ** (3 - i);
    } else {
      if (number >= 256 ** (5 - parts.length)) return undefined;
      address += number;
    }
  }
  return `${floor(address / 16777216) % 256}.${floor(address / 65536) % 256}.${floor(address / 256) % 256}.${address % 256}`;
}

// parseIPv6 reads the text between the brackets.
function parseIPv6(text) {
  const pieces = new Uint16Array(8);
  let piece = 0, compress = -1, at = 0;
  if (text[0] === ":") {
    if (text[1] !== ":") return undefined;
    at = 2;
    compress = 0;
  }
  while (at < text.length) {
    if (piece === 8) return undefined;
    if (text[at] === ":") {
      if (compress >= 0) return undefined;
      at += 1;
      compress = piece;
      continue;
    }
    let value = 0, digits = 0;
    while (digits < 4 && at < text.length && hexValue(charCodeAt(text, at)) >= 0) {
      value = value * 16 + hexValue(charCodeAt(text, at));
      at += 1;
      digits += 1;
    }
    if (text[at] === ".") {
      if (digits === 0 || piece > 6) return undefined;
      const tail = dottedTail(slice(text, at - digits));
      if (tail === undefined) return undefined;
      pieces[piece] = tail >>> 16;
      pieces[piece + 1] = tail & 0xffff;
      piece += 2;
      at = text.length;
      break;
    }
    if (text[at] === ":") {
      at += 1;
      if (at === text.length) return undefined;
    } else if (at < text.length) return undefined;
    pieces[piece] = value;
    piece += 1;
  }
  if (compress < 0) return piece === 8 ? `[${ipv6Text(pieces)}]` : undefined;
  if (piece === 8) return undefined;
  const moved = piece - compress;
  for (let i = 0; i < moved; i += 1) {
    pieces[7 - i] = pieces[piece - 1 - i];
    if (7 - i !== piece - 1 - i) pieces[piece - 1 - i] = 0;
  }
  return `[${ipv6Text(pieces)}]`;
}

// dottedTail reads the four decimal numbers at the end of an IPv6 address.
function dottedTail(text) {
  const parts = splitAt(text, ".");
  if (parts.length !== 4) return undefined;
  let value = 0;
  for (let i = 0; i < 4; i += 1) {
    const part = parts[i];
    if (!isDigits(part) || part.length > 3 || (part.length > 1 && part[0] === "0") || +part > 255) return undefined;
    value = value * 256 + +part;
  }
  return value;
}

// ipv6Text compresses the longest run of zeros.
function ipv6Text(pieces) {
  let best = -1, longestRun = 1;
  for (let i = 0; i < 8; i += 1) {
    let run = 0;
    while (i + run < 8 && pieces[i + run] === 0) run += 1;
    if (run > longestRun) {
      best = i;
      longestRun = run;
    }
    i += run;
  }
  let text = "";
  for (let i = 0; i < 8; i += 1) {
    if (i === best) {
      text += i === 0 ? "::" : ":";
      i += longestRun - 1;
      continue;
    }
    text += numberToString(pieces[i], 16);
    if (i < 7) text += ":";
  }
  return text;
}
