// objectText: what kind of object it is decides what is shown of it.

// A shape says how an object is shown: what stands before the braces, the
// braces, its keys, and a function that lists its entries. A text alone means
// that there is nothing inside.
const shape = (open, close, keys, entries, base = "", belongs = ofObject) =>
  ({ __proto__: null, open, close, keys, entries, base, belongs, source: undefined, numeric: false });

function objectText(ctx, value, level) {
  const constructor = constructorName(ctx, value, level);
  const tagText = tagOf(ctx, value);
  const form = shapeOf(ctx, value, kindOf(value), constructor, tagText, level);
  if (typeof form === "string") {
    ctx.budget -= form.length;
    return form;
  }
  if (level > ctx.depth) {
    const name = slice(prefixOf(constructor, tagText, isArray(value) ? "Array" : "Object"), 0, -1);
    return constructor === null ? name : `[${name}]`;
  }
  level += 1;
  push(ctx.seen, value);
  ctx.deepest = level;
  const entries = entriesOf(ctx, value, form, level);
  ctx.seen.length -= 1;
  let base = form.base;
  const index = ctx.circular === undefined ? undefined : mapGet(ctx.circular, value);
  if (index !== undefined) base = base === "" ? `<ref *${index}>` : `<ref *${index}> ${base}`;
  return layOut(ctx, entries, base, form.open, form.close, form.belongs, level, form.numeric);
}

function entriesOf(ctx, value, form, level) {
  const entries = form.entries === undefined ? list() : form.entries(ctx, value, level, form);
  const source = form.source ?? value;
  for (let i = 0; i < form.keys.length; i += 1) {
    if (ctx.budget <= 0) {
      push(entries, `... ${form.keys.length - i} more`);
      break;
    }
    push(entries, propertyText(ctx, source, form.keys[i], level, form.belongs));
  }
  return entries;
}

// shapeOf returns the shape of an object, or its whole text.
function shapeOf(ctx, value, known, constructor, tagText, level) {
  switch (known) {
    case "array": return arrayShape(ctx, value, constructor, tagText);
    case "typed": return typedShape(ctx, value, constructor, tagText);
    case "set": return collectionShape(ctx, value, "Set", setSize(value), setEntries, constructor, tagText);
    case "map": return collectionShape(ctx, value, "Map", mapSize(value), mapEntries, constructor, tagText);
    case "mapiterator": return iteratorShape(ctx, value, "Map", tagText);
    case "setiterator": return iteratorShape(ctx, value, "Set", tagText);
    case "promise": return shape(`${prefixOf(constructor, tagText, "Promise")}{`, "}", keysOf(ctx, value), promiseEntries);
    case "weakmap": return shape(`${prefixOf(constructor, tagText, "WeakMap")}{`, "}", keysOf(ctx, value), unknownEntries);
    case "weakset": return shape(`${prefixOf(constructor, tagText, "WeakSet")}{`, "}", keysOf(ctx, value), unknownEntries);
    case "buffer": return bufferShape(ctx, value, "ArrayBuffer", constructor, tagText);
    case "shared": return bufferShape(ctx, value, "SharedArrayBuffer", constructor, tagText);
    case "view": return viewShape(ctx, value, constructor, tagText);
    case "object": return plainShape(ctx, value, constructor, tagText);
    default: return basedShape(ctx, value, known, constructor, tagText, level);
  }
}

// basedShape is that of functions, errors, dates and boxed primitives, which
// have a text of their own before any properties.
function basedShape(ctx, value, known, constructor, tagText, level) {
  const keys = keysOf(ctx, value);
  const base = baseText(ctx, value, known, constructor, tagText, keys);
  if (keys.length === 0) return base;
  if ((known === "date" || known === "regexp") && level > ctx.depth) return base;
  return shape("{", "}", keys, undefined, base);
}

function baseText(ctx, value, known, constructor, tagText, keys) {
  switch (known) {
    case "function": return functionText(value, constructor, tagText);
    case "error": return errorText(ctx, value, constructor, tagText, keys);
    case "date": return named("Date", dateText(value), constructor, tagText);
    case "regexp": return named("RegExp", regexpText(value), constructor, tagText);
    default: return boxedText(ctx, value, known, constructor, tagText, keys);
  }
}

function named(type, text, constructor, tagText) {
  const prefix = prefixOf(constructor, tagText, type);
  return prefix === `${type} ` ? text : prefix + text;
}

const dateText = (value) => (dateGetTime(value) !== dateGetTime(value) ? dateToString(value) : dateToISOString(value));
const regexpText = (value) => `/${regexpSource(value)}/${flagsOf(value)}`;

// flagsOf reads the flags of a regular expression by its internal slots.
function flagsOf(value) {
  let text = "";
  for (let i = 0; i < flagGetters.length; i += 1) if (flagGetters[i].test(value)) text += flagGetters[i].letter;
  return text;
}

const flagGetters = list();
for (const [letter, name] of [["d", "hasIndices"], ["g", "global"], ["i", "ignoreCase"], ["m", "multiline"], ["s", "dotAll"], ["u", "unicode"], ["v", "unicodeSets"], ["y", "sticky"]]) {
  const test = rawGetter(RegExp.prototype, name);
  if (test) push(flagGetters, { __proto__: null, letter, test });
}

function plainShape(ctx, value, constructor, tagText) {
  const shown = viewOf(value);
  if (shown !== undefined) return shownShape(value, shown, constructor, tagText);
  const keys = keysOf(ctx, value);
  if (constructor === "Object") {
    let open = "{";
    if (tagText !== "") open = `${prefixOf(constructor, tagText, "Object")}{`;
    else if (getPrototypeOf(value) === objectPrototype && objectToString(value) === "[object Arguments]") open = "[Arguments] {";
    return keys.length === 0 ? `${open}}` : shape(open, "}", keys);
  }
  const open = `${prefixOf(constructor, tagText, "Object")}{`;
  return keys.length === 0 ? `${open}}` : shape(open, "}", keys);
}

function viewOf(value) {
  for (let i = 0; i < viewers.length; i += 1) {
    const shown = viewers[i](value);
    if (shown !== undefined) return shown;
  }
  return undefined;
}

// shownShape shows an object of the prelude's own classes.
function shownShape(value, shown, constructor, tagText) {
  const open = `${prefixOf(constructor, tagText, "Object")}{`;
  if (shown.entries !== undefined) {
    if (shown.entries.length === 0) return `${open}}`;
    return shape(open, "}", list(), () => shown.entries);
  }
  const keys = list();
  const names = ownKeys(shown);
  for (let i = 0; i < names.length; i += 1) push(keys, names[i]);
  if (keys.length === 0) return `${open}}`;
  const form = shape(open, "}", keys);
  form.source = shown;
  return form;
}
