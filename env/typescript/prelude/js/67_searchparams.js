// URLSearchParams.

const formSafe = (c) => isAlpha(c) || isDigit(c) || c === 42 || c === 45 || c === 46 || c === 95;

function formEncode(text) {
  let result = "";
  const bytes = encodeUTF8(text);
  for (let i = 0; i < typedArrayLength(bytes); i += 1) {
    const c = bytes[i];
    result += c === 32 ? "+" : formSafe(c) ? fromCharCode(c) : `%${upperHex(c)}`;
  }
  return result;
}

const pair = (name, value) => ({ __proto__: null, name, value });

function formParse(text) {
  const pairs = list();
  const parts = splitAt(text, "&");
  for (let i = 0; i < parts.length; i += 1) {
    const part = parts[i];
    if (part === "") continue;
    const at = indexOf(part, "=");
    push(pairs, pair(percentDecode(at < 0 ? part : slice(part, 0, at), true), at < 0 ? "" : percentDecode(slice(part, at + 1), true)));
  }
  return pairs;
}

function formText(pairs) {
  let text = "";
  for (let i = 0; i < pairs.length; i += 1) text += `${i === 0 ? "" : "&"}${formEncode(pairs[i].name)}=${formEncode(pairs[i].value)}`;
  return text;
}

const usv = (value) => wellFormed(`${value}`);

function requireArguments(given, needed, what) {
  if (given >= needed) return;
  const error = new TypeError(`${what} needs ${needed} argument${plural(needed)}`);
  define(error, "code", "ERR_MISSING_ARGS");
  throw error;
}

// pairsOf reads what a program gives to the constructor.
function pairsOf(init) {
  if (init === undefined || init === null) return list();
  if (!isObject(init)) {
    const text = usv(init);
    return formParse(text[0] === "?" ? slice(text, 1) : text);
  }
  const pairs = list();
  const iterate = init[symbolIterator];
  if (iterate !== undefined && iterate !== null) {
    if (typeof iterate !== "function") throw new TypeError("Query pairs must be iterable");
    for (const item of init) { // the program's iterable, so its iterator
      if (!isObject(item) || typeof item[symbolIterator] !== "function") throw new TypeError("Each query pair must be an iterable [name, value] tuple");
      const both = [...item];
      if (both.length !== 2) throw new TypeError("Each query pair must be an iterable [name, value] tuple");
      push(pairs, pair(usv(both[0]), usv(both[1])));
    }
    return pairs;
  }
  const keys = ownKeys(init);
  for (let i = 0; i < keys.length; i += 1) {
    if (typeof keys[i] === "symbol" || !isEnumerable(init, keys[i])) continue;
    push(pairs, pair(usv(keys[i]), usv(init[keys[i]])));
  }
  return pairs;
}

let linkParams, setPairs, paramsText;
const paramsIteratorPrototype = create(iteratorPrototype);

class URLSearchParams {
  #pairs;
  #changed = noop; // tells the URL these belong to
  constructor(init) { this.#pairs = pairsOf(init); }
  get size() { return this.#pairs.length; }
  append(name, value) {
    requireArguments(arguments.length, 2, "URLSearchParams.append");
    push(this.#pairs, pair(usv(name), usv(value)));
    this.#changed();
  }
  delete(name, value) {
    requireArguments(arguments.length, 1, "URLSearchParams.delete");
    this.#keep((one) => !(one.name === usv(name) && (value === undefined || one.value === usv(value))));
    this.#changed();
  }
  #keep(test) {
    const kept = list();
    for (let i = 0; i < this.#pairs.length; i += 1) if (test(this.#pairs[i])) push(kept, this.#pairs[i]);
    this.#pairs = kept;
  }
  get(name) {
    requireArguments(arguments.length, 1, "URLSearchParams.get");
    const wanted = usv(name);
    for (let i = 0; i < this.#pairs.length; i += 1) if (this.#pairs[i].name === wanted) return this.#pairs[i].value;
    return null;
  }
  getAll(name) {
    requireArguments(arguments.length, 1, "URLSearchParams.getAll");
    const wanted = usv(name), values = [];
    for (let i = 0; i < this.#pairs.length; i += 1) {
      if (this.#pairs[i].name === wanted) put(values, values.length, this.#pairs[i].value);
    }
    return values;
  }
  has(name, value) {
    requireArguments(arguments.length, 1, "URLSearchParams.has");
    const wanted = usv(name);
    for (let i = 0; i < this.#pairs.length; i += 1) {
      if (this.#pairs[i].name === wanted && (value === undefined || this.#pairs[i].value === usv(value))) return true;
    }
    return false;
  }
  set(name, value) {
    requireArguments(arguments.length, 2, "URLSearchParams.set");
    const wanted = usv(name), text = usv(value);
    let found = false;
    this.#keep((one) => {
      if (one.name !== wanted) return true;
      if (found) return false;
      found = true;
      one.value = text;
      return true;
    });
    if (!found) push(this.#pairs, pair(wanted, text));
    this.#changed();
  }
  sort() {
    const pairs = this.#pairs;
    for (let i = 1; i < pairs.length; i += 1) {
      const one = pairs[i];
      let at = i;
      for (; at > 0 && pairs[at - 1].name > one.name; at -= 1) pairs[at] = pairs[at - 1];
      pairs[at] = one;
    }
    this.#changed();
  }
  forEach(callback, self) {
    if (typeof callback !== "function") throw new TypeError('The "callback" argument must be of type function.');
    for (let i = 0; i < this.#pairs.length; i += 1) apply(callback, self, [this.#pairs[i].value, this.#pairs[i].name, this]);
  }
  toString() { return formText(this.#pairs); }
  entries() { return iteratePairs(() => this.#pairs, (one) => [one.name, one.value]); }
  keys() { return iteratePairs(() => this.#pairs, (one) => one.name); }
  values() { return iteratePairs(() => this.#pairs, (one) => one.value); }
  static {
    linkParams = (params, changed) => { params.#changed = changed; };
    setPairs = (params, pairs) => { params.#pairs = pairs; };
    paramsText = (params) => formText(params.#pairs);
    push(viewers, (value) => {
      if (!(#pairs in value)) return undefined;
      const entries = list();
      for (let i = 0; i < value.#pairs.length; i += 1) push(entries, `${quoteText(value.#pairs[i].name)} => ${quoteText(value.#pairs[i].value)}`);
      return { __proto__: null, entries };
    });
  }
}
define(URLSearchParams.prototype, symbolIterator, URLSearchParams.prototype.entries);
tag(URLSearchParams, "URLSearchParams");
enumerate(URLSearchParams.prototype, "size", "append", "delete", "get", "getAll", "has", "set", "sort", "forEach", "toString", "entries", "keys", "values");

const iterations = new WeakMap();

function iteratePairs(pairs, show) {
  const iterator = create(paramsIteratorPrototype);
  weakMapSet(iterations, iterator, { __proto__: null, pairs, show, at: 0 });
  return iterator;
}

define(paramsIteratorPrototype, "next", function next() {
  const at = isObject(this) ? weakMapGet(iterations, this) : undefined;
  if (at === undefined) throw new TypeError("next was called on what is no URLSearchParams iterator");
  const pairs = at.pairs();
  if (at.at >= pairs.length) return { value: undefined, done: true };
  return { value: at.show(pairs[at.at++]), done: false };
});
defineProperty(paramsIteratorPrototype, symbolToStringTag, { __proto__: null, value: "URLSearchParams Iterator", configurable: true });
define(globalThis, "URLSearchParams", URLSearchParams);
