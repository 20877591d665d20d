// crypto, Math.random and performance. Nothing random is made before the first
// use: the children of one zygote would all have it.

const generator = { __proto__: null, a: 0, b: 0, c: 0, d: 0, seeded: false };

function seed() {
  const words = new Uint32Array(4);
  random(new Uint8Array(typedArrayBuffer(words)));
  generator.a = words[0];
  generator.b = words[1];
  generator.c = words[2];
  generator.d = words[3] | 1;
  generator.seeded = true;
}

// next32 is one step of sfc32.
function next32() {
  const g = generator;
  const t = (((g.a + g.b) | 0) + g.d) | 0;
  g.d = (g.d + 1) | 0;
  g.a = g.b ^ (g.b >>> 9);
  g.b = (g.c + (g.c << 3)) | 0;
  g.c = (((g.c << 21) | (g.c >>> 11)) + t) | 0;
  return t >>> 0;
}

define(Math, "random", function random() {
  if (!generator.seeded) seed();
  return ((next32() >>> 5) * 67108864 + (next32() >>> 6)) / 9007199254740992;
});

const integerArrays = {
  __proto__: null, Int8Array: 1, Uint8Array: 1, Uint8ClampedArray: 1, Int16Array: 1, Uint16Array: 1, Int32Array: 1, Uint32Array: 1,
  BigInt64Array: 1, BigUint64Array: 1,
};

class Crypto {
  constructor() { throw new TypeError("Illegal constructor"); }
  getRandomValues(array) {
    if (!isObject(array) || integerArrays[typedArrayTag(array)] === undefined) {
      throw new DOMException("The data argument must be an integer-type TypedArray", "TypeMismatchError");
    }
    if (typedArrayByteLength(array) > 65536) {
      throw new DOMException(`The requested length exceeds 65,536 bytes`, "QuotaExceededError");
    }
    random(bytesOf(array, "crypto.getRandomValues"));
    return array;
  }
  randomUUID() {
    const bytes = new Uint8Array(16);
    random(bytes);
    bytes[6] = (bytes[6] & 15) | 64;
    bytes[8] = (bytes[8] & 63) | 128;
    let text = "";
    for (let i = 0; i < 16; i += 1) {
      if (i === 4 || i === 6 || i === 8 || i === 10) text += "-";
      text += padStart(numberToString(bytes[i], 16), 2, "0");
    }
    return text;
  }
}
tag(Crypto, "Crypto");
define(globalThis, "Crypto", Crypto);
define(globalThis, "crypto", create(Crypto.prototype));

// origin is when the program began, on the engine's clock and on the wall.
const origin = { __proto__: null, at: 0, wall: 0 };

class Performance {
  constructor() { throw new TypeError("Illegal constructor"); }
  get timeOrigin() { return origin.wall; }
  now() { return now() - origin.at; }
  toJSON() { return { timeOrigin: origin.wall }; }
}
tag(Performance, "Performance");
define(globalThis, "Performance", Performance);
define(globalThis, "performance", create(Performance.prototype));
