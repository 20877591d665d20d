// format puts the arguments of a console's method into one text, as Node's
// util.format does.

// oneLine shows an argument of %s: not deep, on one line where it fits.
const shallow = { __proto__: null, depth: 0, compact: 3 };
const thorough = { __proto__: null, depth: 4, showHidden: true, showProxy: true };

function format(args) {
  if (args.length === 0) return "";
  const first = args[0];
  let text = "", next = 0;
  if (typeof first === "string") {
    next = 1;
    if (args.length === 1) return first;
    let from = 0;
    for (let i = 0; i < first.length - 1; i += 1) {
      if (charCodeAt(first, i) !== 37) continue; // %
      const letter = first[i + 1];
      let shown;
      if (letter === "%") shown = "%";
      else if (next < args.length) {
        shown = specifier(letter, args[next]);
        if (shown !== undefined) next += 1;
      }
      if (shown === undefined) continue;
      text += slice(first, from, i) + shown;
      from = i + 2;
      i += 1;
    }
    text += slice(first, from);
  }
  for (let i = next; i < args.length; i += 1) {
    const shown = typeof args[i] === "string" ? args[i] : inspect(args[i]);
    text += i === 0 ? shown : ` ${shown}`;
  }
  return text;
}

// specifier shows an argument by its letter; undefined: no such letter.
function specifier(letter, value) {
  switch (letter) {
    case "s": return stringArgument(value);
    case "d": return numberArgument(value);
    case "i": return integerArgument(value);
    case "f": return typeof value === "symbol" ? "NaN" : numberText(parseFloat(safeText(value)));
    case "j": return jsonArgument(value);
    case "o": return inspect(value, thorough);
    case "O": return inspect(value);
    case "c": return "";
    default: return undefined;
  }
}

// safeText is String(value), which for objects is the program's own code.
function safeText(value) {
  try {
    return typeof value === "symbol" ? symbolToString(value) : `${value}`;
  } catch {
    return inspect(value, shallow);
  }
}

function stringArgument(value) {
  if (typeof value === "number") return numberText(value);
  if (typeof value === "bigint") return bigintText(value);
  if (typeof value === "object" && value !== null && !hasOwnText(value)) return inspect(value, shallow);
  return safeText(value);
}

// hasOwnText says whether an object's toString is the program's, not a builtin.
function hasOwnText(value) {
  try {
    for (let proxy = proxyOf(value); proxy !== undefined; proxy = proxyOf(value)) value = proxy[1];
    for (let at = value; at !== null; at = getPrototypeOf(at)) {
      const own = descriptorOf(at, "toString");
      if (own !== undefined) return !mapHas(builtinTexts, own.value);
    }
  } catch {
    // Shown as an object then.
  }
  return false;
}

// builtinTexts are the toString methods of the language itself.
const builtinTexts = new Map();
for (const prototype of [objectPrototype, arrayPrototype, functionPrototype, errorPrototype, Date.prototype, RegExp.prototype, Symbol.prototype, Number.prototype, String.prototype, Boolean.prototype, BigInt.prototype, typedArrayPrototype]) {
  mapSet(builtinTexts, prototype.toString, true);
}

function numberArgument(value) {
  if (typeof value === "bigint") return bigintText(value);
  if (typeof value === "symbol") return "NaN";
  try {
    return numberText(Number(value));
  } catch {
    return "NaN";
  }
}

function integerArgument(value) {
  if (typeof value === "bigint") return bigintText(value);
  if (typeof value === "symbol") return "NaN";
  return numberText(parseInt(safeText(value)));
}

function jsonArgument(value) {
  try {
    return `${jsonStringify(value)}`;
  } catch (error) {
    return isObject(error) && includes(safeText(get(error, "message")), "circular") ? "[Circular]" : inspect(value);
  }
}
