// TextEncoder, TextDecoder, atob and btoa.

const decoders = { __proto__: null, "utf-8": decodeUTF8, "utf-16le": decodeUTF16, "windows-1252": decodeLatin1 };
const encodingLabels = {
  __proto__: null, "utf-8": "utf-8", utf8: "utf-8", "unicode-1-1-utf-8": "utf-8", unicode11utf8: "utf-8", unicode20utf8: "utf-8", "x-unicode20utf8": "utf-8",
  "utf-16le": "utf-16le", "utf-16": "utf-16le", ucs2: "utf-16le", "ucs-2": "utf-16le", unicode: "utf-16le", csunicode: "utf-16le", "iso-10646-ucs-2": "utf-16le",
  "windows-1252": "windows-1252", latin1: "windows-1252", "iso-8859-1": "windows-1252", "iso8859-1": "windows-1252", iso88591: "windows-1252",
  "iso_8859-1": "windows-1252", l1: "windows-1252", ascii: "windows-1252", "us-ascii": "windows-1252", cp1252: "windows-1252", cp819: "windows-1252", "x-cp1252": "windows-1252",
};

// bytesOf is the memory of a buffer or a view on one.
function bytesOf(value, what) {
  if (isObject(value)) {
    if (typedArrayTag(value) !== undefined) return new Uint8Array(typedArrayBuffer(value), typedArrayByteOffset(value), typedArrayByteLength(value));
    if (isView(value)) return new Uint8Array(dataViewBuffer(value), dataViewByteOffset(value), dataViewByteLength(value));
    if (passes(arrayBufferByteLength, value) || (sharedByteLength && passes(sharedByteLength, value))) return new Uint8Array(value);
  }
  throw new TypeError(`${what} needs an ArrayBuffer or a view on one`);
}

function concat(a, b) {
  if (typedArrayLength(a) === 0) return b;
  const both = new Uint8Array(typedArrayLength(a) + typedArrayLength(b));
  typedArraySet(both, a, 0);
  typedArraySet(both, b, typedArrayLength(a));
  return both;
}

class TextEncoder {
  get encoding() { return "utf-8"; }
  encode(text = "") { return encodeUTF8(`${text}`); }
  encodeInto(text, bytes) {
    if (!isObject(bytes) || typedArrayTag(bytes) !== "Uint8Array") throw new TypeError("TextEncoder.encodeInto needs a Uint8Array");
    return encodeInto(`${text}`, bytes);
  }
}
tag(TextEncoder, "TextEncoder");
enumerate(TextEncoder.prototype, "encoding", "encode", "encodeInto");

const noBytes = new Uint8Array(0);

class TextDecoder {
  #encoding;
  #fatal;
  #ignoreBOM;
  #left = noBytes; // bytes of a character that is not complete
  #begun = false; // whether a byte order mark can no longer come
  constructor(label = "utf-8", options) {
    const name = encodingLabels[toLowerCase(trim(`${label}`))];
    if (name === undefined) {
      const error = new RangeError(`The "${label}" encoding is not supported`);
      define(error, "code", "ERR_ENCODING_NOT_SUPPORTED");
      throw error;
    }
    this.#encoding = name;
    this.#fatal = !!options?.fatal;
    this.#ignoreBOM = !!options?.ignoreBOM;
  }
  get encoding() { return this.#encoding; }
  get fatal() { return this.#fatal; }
  get ignoreBOM() { return this.#ignoreBOM; }
  decode(input, options) {
    const stream = !!options?.stream;
    const bytes = concat(this.#left, input === undefined ? noBytes : bytesOf(input, "TextDecoder.decode"));
    const begun = this.#begun;
    this.#left = noBytes;
    this.#begun = false;
    let text = nativeDecode !== undefined && this.#encoding === "utf-8" && !stream ? decodeNative(bytes, this.#fatal) : undefined;
    if (text === undefined) {
      const result = decoders[this.#encoding](bytes, this.#fatal, stream);
      text = result.text;
      if (stream) {
        const used = result.used, length = typedArrayLength(bytes);
        this.#left = new Uint8Array(length - used);
        for (let i = used; i < length; i += 1) this.#left[i - used] = bytes[i];
        this.#begun = begun || text !== "";
      }
    }
    const marked = !begun && !this.#ignoreBOM && this.#encoding !== "windows-1252" && text.length > 0 && charCodeAt(text, 0) === 0xfeff;
    return marked ? slice(text, 1) : text;
  }
}
tag(TextDecoder, "TextDecoder");
enumerate(TextDecoder.prototype, "encoding", "fatal", "ignoreBOM", "decode");

function decodeNative(bytes, fatal) {
  try {
    return nativeDecode(bytes, fatal);
  } catch {
    throw invalidData("utf-8");
  }
}

const invalidCharacter = (text) => new DOMException(text, "InvalidCharacterError");

define(globalThis, "TextEncoder", TextEncoder);
define(globalThis, "TextDecoder", TextDecoder);
define(globalThis, "btoa", function btoa(data) {
  const text = `${data}`;
  let result = "";
  for (let i = 0; i < text.length; i += 3) {
    const a = charCodeAt(text, i), b = i + 1 < text.length ? charCodeAt(text, i + 1) : 0, c = i + 2 < text.length ? charCodeAt(text, i + 2) : 0;
    if (a > 255 || b > 255 || c > 255) throw invalidCharacter("Invalid character");
    result += base64Digits[a >> 2] + base64Digits[((a & 3) << 4) | (b >> 4)];
    result += i + 1 < text.length ? base64Digits[((b & 15) << 2) | (c >> 6)] : "=";
    result += i + 2 < text.length ? base64Digits[c & 63] : "=";
  }
  return result;
});
define(globalThis, "atob", function atob(data) {
  const raw = `${data}`;
  let text = "";
  for (let i = 0; i < raw.length; i += 1) {
    const c = charCodeAt(raw, i);
    if (c !== 32 && c !== 9 && c !== 10 && c !== 12 && c !== 13) text += raw[i];
  }
  if (text.length % 4 === 0) text = endsWith(text, "==") ? slice(text, 0, -2) : endsWith(text, "=") ? slice(text, 0, -1) : text;
  if (text.length % 4 === 1) throw invalidCharacter("The string to be decoded is not correctly encoded.");
  let result = "", bits = 0, held = 0;
  for (let i = 0; i < text.length; i += 1) {
    const value = base64Value(charCodeAt(text, i));
    if (value < 0) throw invalidCharacter("The string to be decoded is not correctly encoded.");
    bits = ((bits << 6) | value) & 0xffffff;
    held += 6;
    if (held >= 8) {
      held -= 8;
      result += fromCharCode((bits >> held) & 255);
    }
  }
  return result;
});
