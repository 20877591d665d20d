// URL.

function invalidURL(input, base) {
  const error = new TypeError("Invalid URL");
  put(error, "code", "ERR_INVALID_URL");
  put(error, "input", input);
  if (base !== undefined) put(error, "base", base);
  return error;
}

// resolveURL parses an input against a base, both given by the program.
function resolveURL(input, base) {
  let from = null;
  if (base !== undefined) {
    from = parseURL(base, null);
    if (from === undefined) return undefined;
  }
  return parseURL(input, from);
}

const cannotHaveCredentials = (url) => url.host === null || url.host === "" || url.scheme === "file";

const textOf = (url) => ({
  __proto__: null,
  get host() { return url.host === null ? "" : url.port === null ? url.host : `${url.host}:${url.port}`; },
  get origin() { return defaultPorts[url.scheme] !== undefined && url.scheme !== "file" ? `${url.scheme}://${this.host}` : opaqueOrigin(url); },
});

// opaqueOrigin is null but for blob URLs, which have that of what they hold.
function opaqueOrigin(url) {
  if (url.scheme !== "blob") return "null";
  const inner = parseURL(pathText(url), null);
  return inner !== undefined && (inner.scheme === "http" || inner.scheme === "https") ? textOf(inner).origin : "null";
}

// trimOpaque drops the spaces at the end of an opaque path that nothing follows.
function trimOpaque(url) {
  if (url.opaque === null || url.fragment !== null || url.query !== null) return;
  let length = url.opaque.length;
  while (length > 0 && url.opaque[length - 1] === " ") length -= 1;
  url.opaque = slice(url.opaque, 0, length);
}

class URL {
  #url;
  #params;
  constructor(input, base) {
    requireArguments(arguments.length, 1, "URL");
    const text = `${input}`, baseText = base === undefined ? undefined : `${base}`;
    this.#url = resolveURL(text, baseText);
    if (this.#url === undefined) throw invalidURL(text, baseText);
  }
  static canParse(input, base) {
    requireArguments(arguments.length, 1, "URL.canParse");
    return resolveURL(`${input}`, base === undefined ? undefined : `${base}`) !== undefined;
  }
  static parse(input, base) {
    requireArguments(arguments.length, 1, "URL.parse");
    try {
      return new URL(input, base);
    } catch {
      return null;
    }
  }
  #refresh() {
    if (this.#params !== undefined) setPairs(this.#params, this.#url.query === null ? list() : formParse(this.#url.query));
  }
  get href() { return urlText(this.#url); }
  set href(value) {
    const text = `${value}`;
    const parsed = parseURL(text, null);
    if (parsed === undefined) throw invalidURL(text);
    this.#url = parsed;
    this.#refresh();
  }
  get origin() { return textOf(this.#url).origin; }
  get protocol() { return `${this.#url.scheme}:`; }
  set protocol(value) { parseURL(`${value}:`, null, this.#url, "scheme"); }
  get username() { return this.#url.username; }
  set username(value) {
    if (!cannotHaveCredentials(this.#url)) this.#url.username = percentEncodeAll(usv(value), userinfoSet);
  }
  get password() { return this.#url.password; }
  set password(value) {
    if (!cannotHaveCredentials(this.#url)) this.#url.password = percentEncodeAll(usv(value), userinfoSet);
  }
  get host() { return textOf(this.#url).host; }
  set host(value) { if (this.#url.opaque === null) parseURL(`${value}`, null, this.#url, "host", "host"); }
  get hostname() { return this.#url.host ?? ""; }
  set hostname(value) { if (this.#url.opaque === null) parseURL(`${value}`, null, this.#url, "hostname", "host"); }
  get port() { return this.#url.port === null ? "" : `${this.#url.port}`; }
  set port(value) {
    if (cannotHaveCredentials(this.#url)) return;
    const text = `${value}`;
    if (text === "") this.#url.port = null;
    else parseURL(text, null, this.#url, "port", "port");
  }
  get pathname() { return pathText(this.#url); }
  set pathname(value) {
    if (this.#url.opaque !== null) return;
    this.#url.path = list();
    parseURL(`${value}`, null, this.#url, "path", "pathStart");
  }
  get search() { return this.#url.query === null || this.#url.query === "" ? "" : `?${this.#url.query}`; }
  set search(value) {
    const text = `${value}`;
    if (text === "") {
      this.#url.query = null;
      trimOpaque(this.#url);
    } else {
      this.#url.query = "";
      parseURL(text[0] === "?" ? slice(text, 1) : text, null, this.#url, "query", "query");
    }
    this.#refresh();
  }
  get searchParams() {
    if (this.#params === undefined) {
      this.#params = new URLSearchParams();
      this.#refresh();
      linkParams(this.#params, () => {
        const text = paramsText(this.#params);
        this.#url.query = text === "" ? null : text;
        if (text === "") trimOpaque(this.#url);
      });
    }
    return this.#params;
  }
  get hash() { return this.#url.fragment === null || this.#url.fragment === "" ? "" : `#${this.#url.fragment}`; }
  set hash(value) {
    const text = `${value}`;
    if (text === "") {
      this.#url.fragment = null;
      trimOpaque(this.#url);
      return;
    }
    this.#url.fragment = "";
    parseURL(text[0] === "#" ? slice(text, 1) : text, null, this.#url, "fragment", "fragment");
  }
  toString() { return urlText(this.#url); }
  toJSON() { return urlText(this.#url); }
  static {
    const names = ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "searchParams", "hash"];
    const getters = list();
    for (const name of names) push(getters, getterOf(this.prototype, name));
    push(viewers, (value) => {
      if (!(#url in value)) return undefined;
      const shown = { __proto__: null };
      for (let i = 0; i < names.length; i += 1) shown[names[i]] = getters[i](value);
      return shown;
    });
    enumerate(this.prototype, ...names, "toString", "toJSON");
  }
}
tag(URL, "URL");
define(globalThis, "URL", URL);
