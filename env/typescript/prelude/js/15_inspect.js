// inspect shows any value as Node's util.inspect does. It calls no getter of the
// program's but toStringTag and those of errors (and, as Node does, a method by
// the name of Symbol.for("nodejs.util.inspect.custom")), passes proxies by, and
// always returns: what throws is shown as such, and output is bounded.

const inspectCustom = symbolFor("nodejs.util.inspect.custom");
const outputBudget = 4 << 20; // characters that one value may take, about

// viewers show objects of the prelude's own classes: each returns a record of
// what to show, or undefined if the object is not of its class.
const viewers = list();

function newContext() {
  return {
    __proto__: null, depth: 2, showHidden: false, showProxy: false, customInspect: true, sorted: false,
    breakLength: 80, compact: 3, maxArray: 100, maxString: 10000,
    indent: 0, deepest: 0, seen: list(), circular: undefined, budget: outputBudget,
  };
}

// inspect shows a value; options are those of util.inspect, read by contextOf.
function inspect(value, options) {
  return inspectIn(contextOf(options), value);
}

function inspectIn(ctx, value) {
  try {
    return valueText(ctx, value, 0);
  } catch (error) {
    return interrupted(error);
  }
}

// interrupted says why a value cannot be shown, without asking the error.
function interrupted(error) {
  const deep = isObject(error) && passes((e) => { if (!inherits(e, RangeError.prototype)) throw e; }, error);
  return deep ? "[Object: Inspection interrupted prematurely. Maximum call stack size exceeded.]" : "[Object: cannot be inspected]";
}

// inspectAt shows a value as it looks at a level below the depth.
function inspectAt(ctx, value, level) {
  return valueText(ctx, value, level);
}

const optionOf = (options, key, type) => {
  const value = get(options, key);
  return typeof value === type ? value : undefined;
};

const limitOf = (options, key, fallback) => {
  const value = get(options, key);
  if (value === null) return Infinity;
  return typeof value === "number" && value >= 0 ? value : fallback;
};

function contextOf(options) {
  const ctx = newContext();
  if (!isObject(options)) return ctx;
  const depth = get(options, "depth");
  ctx.depth = depth === null ? Infinity : typeof depth === "number" ? depth : ctx.depth;
  ctx.showHidden = optionOf(options, "showHidden", "boolean") ?? false;
  ctx.showProxy = optionOf(options, "showProxy", "boolean") ?? false;
  ctx.customInspect = optionOf(options, "customInspect", "boolean") ?? true;
  ctx.sorted = optionOf(options, "sorted", "boolean") ?? false;
  ctx.breakLength = limitOf(options, "breakLength", ctx.breakLength);
  ctx.maxArray = limitOf(options, "maxArrayLength", ctx.maxArray);
  ctx.maxString = limitOf(options, "maxStringLength", ctx.maxString);
  const compact = get(options, "compact");
  ctx.compact = compact === false ? 0 : typeof compact === "number" ? compact : ctx.compact;
  return ctx;
}

function valueText(ctx, value, level) {
  if (!isObject(value)) {
    const text = primitiveText(ctx, value);
    ctx.budget -= text.length;
    return text;
  }
  if (ctx.budget <= 0) return "[...]";
  let proxy = proxyOf(value);
  if (proxy !== undefined && ctx.showProxy) return proxyText(ctx, proxy, level);
  const original = value;
  while (proxy !== undefined) {
    value = proxy[1];
    if (value === null) return "<Revoked Proxy>";
    proxy = proxyOf(value);
  }
  const custom = customText(ctx, value, original, level);
  if (custom !== undefined) return custom;
  if (contains(ctx.seen, value)) return circularText(ctx, value);
  return objectText(ctx, value, level);
}

function proxyOf(value) {
  const found = detailsOf(value);
  return found !== undefined && found[0] === "proxy" ? found : undefined;
}

function proxyText(ctx, proxy, level) {
  if (level > ctx.depth) return "Proxy [Array]";
  if (proxy[1] === null) return "<Revoked Proxy>";
  ctx.indent += 2;
  const entries = list();
  push(entries, valueText(ctx, proxy[1], level + 1));
  push(entries, valueText(ctx, proxy[2], level + 1));
  ctx.indent -= 2;
  return layOut(ctx, entries, "", "Proxy [", "]", besideArray, level + 1, false);
}

// customText is what the program's own method says of a value, if it has one.
function customText(ctx, value, original, level) {
  if (!ctx.customInspect) return undefined;
  try {
    const method = value[inspectCustom];
    if (typeof method !== "function" || method === inspect) return undefined;
    const options = {
      depth: ctx.depth - level, showHidden: ctx.showHidden, showProxy: ctx.showProxy, breakLength: ctx.breakLength,
      compact: ctx.compact, maxArrayLength: ctx.maxArray, maxStringLength: ctx.maxString, stylize: (text) => `${text}`,
    };
    const shown = apply(method, original, [ctx.depth - level, options, inspect]);
    if (shown === original) return undefined;
    if (typeof shown !== "string") return valueText(ctx, shown, level);
    ctx.budget -= shown.length;
    return includes(shown, "\n") ? indentLines(shown, ctx.indent) : shown;
  } catch {
    return undefined;
  }
}

function circularText(ctx, value) {
  ctx.circular ??= new Map();
  let index = mapGet(ctx.circular, value);
  if (index === undefined) {
    index = mapSize(ctx.circular) + 1;
    mapSet(ctx.circular, value, index);
  }
  return `[Circular *${index}]`;
}
