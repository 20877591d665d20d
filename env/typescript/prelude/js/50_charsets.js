// UTF-8, UTF-16 and Latin-1, from and to text.

// encodeUTF8 returns the bytes of a text; lone surrogates become U+FFFD.
function encodeUTF8(text) {
  if (nativeEncode !== undefined) return nativeEncode(text);
  const bytes = new Uint8Array(utf8Length(text));
  encodeInto(text, bytes);
  return bytes;
}

function utf8Length(text) {
  let length = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = charCodeAt(text, i);
    if (code < 0x80) length += 1;
    else if (code < 0x800) length += 2;
    else if (pairAt(text, i)) {
      length += 4;
      i += 1;
    } else length += 3;
  }
  return length;
}

// encodeInto writes as many whole characters as fit.
function encodeInto(text, bytes) {
  const room = typedArrayLength(bytes);
  let read = 0, written = 0;
  while (read < text.length) {
    const pair = pairAt(text, read);
    let code = pair ? codePointAt(text, read) : charCodeAt(text, read);
    if (!pair && code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (written + size > room) break;
    if (size === 1) bytes[written] = code;
    else {
      bytes[written] = (size === 2 ? 0xc0 : size === 3 ? 0xe0 : 0xf0) | (code >> (6 * (size - 1)));
      for (let k = 1; k < size; k += 1) bytes[written + k] = 0x80 | ((code >> (6 * (size - 1 - k))) & 63);
    }
    written += size;
    read += pair ? 2 : 1;
  }
  return { read, written };
}

// utf8Size is how long the sequence that begins with a byte is; 0: none does.
const utf8Size = (byte) => (byte < 0x80 ? 1 : byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf5 ? 4 : 0);

// validSecond says whether the second byte of a sequence may follow the first.
function validSecond(first, second) {
  if (first === 0xe0) return second >= 0xa0 && second <= 0xbf;
  if (first === 0xed) return second >= 0x80 && second <= 0x9f;
  if (first === 0xf0) return second >= 0x90 && second <= 0xbf;
  if (first === 0xf4) return second >= 0x80 && second <= 0x8f;
  return second >= 0x80 && second <= 0xbf;
}

// decodeUTF8 decodes bytes; what is cut off at the end is left when stream is
// set. It returns the text and how many bytes were used.
function decodeUTF8(bytes, fatal, stream) {
  const length = typedArrayLength(bytes);
  let text = "", at = 0;
  while (at < length) {
    const first = bytes[at];
    const size = utf8Size(first);
    if (size === 1) {
      text += fromCharCode(first);
      at += 1;
      continue;
    }
    let good = size === 0 ? 0 : 1;
    while (good > 0 && good < size && at + good < length) {
      const next = bytes[at + good];
      if (good === 1 ? !validSecond(first, next) : next < 0x80 || next > 0xbf) break;
      good += 1;
    }
    if (good > 0 && good < size && at + good === length && stream) break;
    if (good < size || size === 0) {
      if (fatal) throw invalidData("utf-8");
      text += "\ufffd";
      at += max(good, 1);
      continue;
    }
    let code = first & (0xff >> (size + 1));
    for (let k = 1; k < size; k += 1) code = (code << 6) | (bytes[at + k] & 63);
    text += fromCodePoint(code);
    at += size;
  }
  return { __proto__: null, text, used: at };
}

function invalidData(encoding) {
  const error = new TypeError(`The encoded data was not valid for encoding ${encoding}`);
  define(error, "code", "ERR_ENCODING_INVALID_ENCODED_DATA");
  return error;
}

function decodeUTF16(bytes, fatal, stream) {
  const length = typedArrayLength(bytes);
  let text = "", at = 0;
  const unit = (i) => bytes[i] | (bytes[i + 1] << 8);
  while (at + 1 < length) {
    const code = unit(at);
    const high = code >= 0xd800 && code <= 0xdbff, low = code >= 0xdc00 && code <= 0xdfff;
    if (high && at + 3 >= length && stream) break;
    const next = high && at + 3 < length ? unit(at + 2) : 0;
    if (high && next >= 0xdc00 && next <= 0xdfff) {
      text += fromCharCode(code, next);
      at += 4;
      continue;
    }
    if ((high || low) && fatal) throw invalidData("utf-16le");
    text += high || low ? "\ufffd" : fromCharCode(code);
    at += 2;
  }
  if (at < length && !stream) {
    if (fatal) throw invalidData("utf-16le");
    if (at + 1 === length) text += "\ufffd";
    at = length;
  }
  return { __proto__: null, text, used: at };
}

// windows1252 has the characters of the bytes 0x80 to 0x9f.
const windows1252 = "\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f" +
  "\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178";

function decodeLatin1(bytes) {
  const length = typedArrayLength(bytes);
  let text = "";
  for (let i = 0; i < length; i += 1) text += bytes[i] >= 0x80 && bytes[i] < 0xa0 ? windows1252[bytes[i] - 0x80] : fromCharCode(bytes[i]);
  return { __proto__: null, text, used: length };
}
