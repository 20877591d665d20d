// Percent-encoding.

const upperHex = (n) => hex(n, 2);

// Sets of ASCII characters that are percent-encoded; all above 0x7e are.
const beyond = (c) => c <= 0x1f || c > 0x7e;
const inText = (text) => {
  const table = new Uint8Array(128);
  for (let i = 0; i < text.length; i += 1) table[charCodeAt(text, i)] = 1;
  return (c) => c <= 0x1f || c > 0x7e || table[c] === 1;
};
const fragmentSet = inText(' "<>`');
const querySet = inText(' "#<>');
const specialQuerySet = inText(` "#<>'`);
const pathSet = inText(' "#<>?^`{}');
const userinfoSet = inText(' "#<>?^`{}/:;=@[\\]|');

// percentEncode encodes one code point that a set contains.
function percentEncode(point, set) {
  if (!set(point)) return fromCodePoint(point);
  const bytes = encodeUTF8(fromCodePoint(point));
  let text = "";
  for (let i = 0; i < typedArrayLength(bytes); i += 1) text += `%${upperHex(bytes[i])}`;
  return text;
}

function percentEncodeAll(text, set) {
  let result = "";
  for (let i = 0; i < text.length; i += 1) {
    const point = codePointAt(text, i);
    result += percentEncode(point, set);
    if (point > 0xffff) i += 1;
  }
  return result;
}

const hexValue = (c) => (c >= 48 && c <= 57 ? c - 48 : c >= 97 && c <= 102 ? c - 87 : c >= 65 && c <= 70 ? c - 55 : -1);

// percentDecode decodes to text; bytes that are no UTF-8 become U+FFFD.
function percentDecode(text, plusIsSpace) {
  if (!includes(text, "%") && !(plusIsSpace && includes(text, "+"))) return text;
  const from = encodeUTF8(text);
  const length = typedArrayLength(from);
  const to = new Uint8Array(length);
  let size = 0;
  for (let i = 0; i < length; i += 1) {
    let byte = from[i];
    if (byte === 43 && plusIsSpace) byte = 32;
    if (byte === 37 && i + 2 < length && hexValue(from[i + 1]) >= 0 && hexValue(from[i + 2]) >= 0) {
      byte = hexValue(from[i + 1]) * 16 + hexValue(from[i + 2]);
      i += 2;
    }
    to[size++] = byte;
  }
  return decodeUTF8(new Uint8Array(typedArrayBuffer(to), 0, size), false, false).text;
}

// wellFormed replaces lone surrogates by U+FFFD.
function wellFormed(text) {
  let result = "", from = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = charCodeAt(text, i);
    if (code < 0xd800 || code > 0xdfff) continue;
    if (pairAt(text, i)) {
      i += 1;
      continue;
    }
    result += `${slice(text, from, i)}\ufffd`;
    from = i + 1;
  }
  return from === 0 ? text : result + slice(text, from);
}
