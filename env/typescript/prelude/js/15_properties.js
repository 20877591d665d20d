// The properties of a value.

// keysOf lists the own keys to show, all but array indexes if so asked.
function keysOf(ctx, value, withoutIndexes) {
  const keys = list();
  if (withoutIndexes && isLarge(value)) return keys;
  const all = ownKeys(value);
  for (let i = 0; i < all.length; i += 1) {
    const key = all[i];
    if (withoutIndexes && typeof key === "string" && isIndex(key)) continue;
    if (ctx.showHidden || isEnumerable(value, key)) push(keys, key);
  }
  return ctx.sorted ? sortKeys(keys) : keys;
}

// isLarge says of an array that it is too long to list its keys, of which next
// to all would be indexes.
function isLarge(value) {
  const length = isArray(value) ? value.length : typedArrayLength(value);
  if (length <= 50000) return false;
  return !isArray(value) || (hasOwn(value, length - 1) && hasOwn(value, length >> 1) && hasOwn(value, 1));
}

function isIndex(key) {
  const first = charCodeAt(key, 0);
  if (key.length === 0 || key.length > 10 || first < 48 || first > 57) return false;
  return `${key >>> 0}` === key && key >>> 0 !== 4294967295;
}

function sortKeys(keys) {
  for (let i = 1; i < keys.length; i += 1) {
    const key = keys[i];
    let at = i;
    for (; at > 0 && typeof key === "string" && typeof keys[at - 1] === "string" && keys[at - 1] > key; at -= 1) keys[at] = keys[at - 1];
    keys[at] = key;
  }
  return keys;
}

// propertyText shows one property. Arrays show no key for their elements.
function propertyText(ctx, value, key, level, belongs) {
  const own = descriptorOf(value, key) ?? { __proto__: null, value: get(value, key), enumerable: true };
  let text;
  if (own.value !== undefined) {
    ctx.indent += 2;
    text = valueText(ctx, own.value, level);
    ctx.indent -= 2;
  } else if (own.get !== undefined) {
    text = own.set !== undefined ? "[Getter/Setter]" : "[Getter]";
  } else {
    text = own.set !== undefined ? "[Setter]" : "undefined";
  }
  if (belongs === ofArray) return text;
  const name = keyText(key, own.enumerable);
  ctx.budget -= name.length;
  return `${name}: ${text}`;
}

function keyText(key, enumerable) {
  if (typeof key === "symbol") return `[${escapeText(symbolToString(key), 39)}]`;
  if (key === "__proto__") return "['__proto__']";
  if (enumerable === false) return `[${escapeText(key, 39)}]`;
  return isWord(key) ? key : quoteText(key);
}
