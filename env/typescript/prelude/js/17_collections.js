// Arrays, typed arrays, maps, sets and their iterators.

const more = (count, what = "item") => `... ${count} more ${what}${plural(count)}`;

function arrayShape(ctx, value, constructor, tagText) {
  const length = value.length;
  const keys = keysOf(ctx, value, true);
  const prefix = constructor !== "Array" || tagText !== "" ? prefixOf(constructor, tagText, "Array", `(${length})`) : "";
  if (length === 0 && keys.length === 0) return `${prefix}[]`;
  return shape(`${prefix}[`, "]", keys, arrayEntries, "", besideArray);
}

function arrayEntries(ctx, value, level, form) {
  const entries = list();
  const shown = min(ctx.maxArray, value.length);
  let numeric = form.keys.length === 0;
  for (let i = 0; i < shown; i += 1) {
    if (!hasOwn(value, i)) return sparseEntries(ctx, value, level, entries, i, shown);
    push(entries, propertyText(ctx, value, i, level, ofArray));
    numeric = numeric && isNumeric(value, i);
  }
  const left = value.length - shown;
  if (left > 0) push(entries, more(left));
  form.numeric = numeric && (left === 0 || isNumeric(value, shown));
  return entries;
}

function isNumeric(value, i) {
  const own = descriptorOf(value, i);
  return own !== undefined && (typeof own.value === "number" || typeof own.value === "bigint");
}

// sparseEntries goes on with an array that has a hole at from.
function sparseEntries(ctx, value, level, entries, from, limit) {
  const keys = enumerableKeys(value);
  let at = from;
  for (let i = from; i < keys.length && entries.length < limit; i += 1) {
    if (!isIndex(keys[i])) break;
    const index = +keys[i];
    if (index > at) {
      push(entries, emptyText(index - at));
      at = index;
      if (entries.length >= limit) break;
    }
    push(entries, propertyText(ctx, value, keys[i], level, ofArray));
    at += 1;
  }
  const left = value.length - at;
  if (left > 0) push(entries, entries.length < limit ? emptyText(left) : more(left));
  return entries;
}

const emptyText = (count) => `<${count} empty item${plural(count)}>`;

function typedShape(ctx, value, constructor, tagText) {
  const length = typedArrayLength(value);
  const keys = keysOf(ctx, value, true);
  const fallback = constructor === null ? typedArrayTag(value) : "";
  const prefix = prefixOf(constructor, tagText, fallback, `(${length})`);
  if (length === 0 && keys.length === 0 && !ctx.showHidden) return `${prefix}[]`;
  return shape(`${prefix}[`, "]", keys, typedEntries, "", besideArray);
}

function typedEntries(ctx, value, level, form) {
  const entries = list();
  const length = typedArrayLength(value);
  const shown = min(ctx.maxArray, length);
  for (let i = 0; i < shown; i += 1) push(entries, primitiveText(ctx, value[i]));
  if (length > shown) push(entries, more(length - shown));
  form.numeric = form.keys.length === 0;
  if (ctx.showHidden) {
    ctx.indent += 2;
    const names = ["BYTES_PER_ELEMENT", "length", "byteLength", "byteOffset", "buffer"];
    for (let i = 0; i < names.length; i += 1) push(entries, `[${names[i]}]: ${valueText(ctx, value[names[i]], level)}`);
    ctx.indent -= 2;
  }
  return entries;
}

function collectionShape(ctx, value, type, size, entries, constructor, tagText) {
  const keys = keysOf(ctx, value);
  const prefix = prefixOf(constructor, tagText, type, `(${size})`);
  if (size === 0 && keys.length === 0) return `${prefix}{}`;
  return shape(`${prefix}{`, "}", keys, entries);
}

function setEntries(ctx, value, level) {
  const entries = list();
  let left = setSize(value);
  ctx.indent += 2;
  setForEach(value, (element) => {
    if (entries.length >= ctx.maxArray) return;
    push(entries, valueText(ctx, element, level));
    left -= 1;
  });
  ctx.indent -= 2;
  if (left > 0) push(entries, more(left));
  return entries;
}

function mapEntries(ctx, value, level) {
  const entries = list();
  let left = mapSize(value);
  ctx.indent += 2;
  mapForEach(value, (element, key) => {
    if (entries.length >= ctx.maxArray) return;
    push(entries, `${valueText(ctx, key, level)} => ${valueText(ctx, element, level)}`);
    left -= 1;
  });
  ctx.indent -= 2;
  if (left > 0) push(entries, more(left));
  return entries;
}

// iteratorShape shows what an iterator has yet to give, where the engine tells:
// its details are the kind, the values, and whether these are keys and values
// in turn.
function iteratorShape(ctx, value, type, tagText) {
  const found = detailsOf(value);
  const known = found !== undefined && (found[0] === "mapiterator" || found[0] === "setiterator");
  const pairs = known && found[2] === true;
  const name = `${type} ${pairs ? "Entries" : "Iterator"}`;
  const iterator = `${type} Iterator`;
  const open = tagText !== "" && tagText !== iterator ? `[${tagText}] [${name}] {` : `[${name}] {`;
  return shape(open, "}", keysOf(ctx, value), known ? (inner, _, level) => iteratorEntries(inner, found[1], pairs, level) : unknownEntries);
}

function iteratorEntries(ctx, values, pairs, level) {
  const entries = list();
  const step = pairs ? 2 : 1;
  const count = floor(values.length / step);
  const shown = min(count, ctx.maxArray);
  ctx.indent += 2;
  for (let i = 0; i < shown; i += 1) {
    if (!pairs) {
      push(entries, valueText(ctx, values[i], level));
      continue;
    }
    const pair = list();
    push(pair, valueText(ctx, values[2 * i], level));
    push(pair, valueText(ctx, values[2 * i + 1], level));
    push(entries, layOut(ctx, pair, "", "[", "]", besideArray, level, false));
  }
  ctx.indent -= 2;
  if (count > shown) push(entries, more(count - shown));
  return entries;
}
