// The states from the scheme to the port.

const states = {
  __proto__: null,

  schemeStart(p, c) {
    if (isAlpha(c)) {
      p.buffer += toLowerCase(fromCodePoint(c));
      return to(p, "scheme");
    }
    return p.override ? failed : back(p, "noScheme");
  },

  scheme(p, c) {
    if (isAlpha(c) || isDigit(c) || c === 43 || c === 45 || c === 46) {
      p.buffer += toLowerCase(fromCodePoint(c));
      return undefined;
    }
    if (c === 58) return schemeEnd(p);
    if (p.override) return failed;
    p.buffer = "";
    p.at = -1;
    return to(p, "noScheme");
  },

  noScheme(p, c) {
    const base = p.base;
    if (base === null || (base.opaque !== null && c !== 35)) return failed;
    if (base.opaque !== null) {
      p.url.scheme = base.scheme;
      p.url.opaque = base.opaque;
      p.url.query = base.query;
      p.url.fragment = "";
      return to(p, "fragment");
    }
    return back(p, base.scheme === "file" ? "file" : "relative");
  },

  specialRelativeOrAuthority(p, c) {
    if (c === 47 && p.points[p.at + 1] === 47) {
      p.at += 1;
      return to(p, "ignoreSlashes");
    }
    return back(p, "relative");
  },

  pathOrAuthority(p, c) {
    return c === 47 ? to(p, "authority") : back(p, "path");
  },

  relative(p, c) {
    const { url, base } = p;
    url.scheme = base.scheme;
    if (c === 47) return to(p, "relativeSlash");
    if (c === 92 && isSpecial(url)) return to(p, "relativeSlash");
    takeAuthority(url, base);
    url.path = copyList(base.path);
    url.query = base.query;
    if (c === 63) {
      url.query = "";
      return to(p, "query");
    }
    if (c === 35) {
      url.fragment = "";
      return to(p, "fragment");
    }
    if (c === end) return undefined;
    url.query = null;
    shorten(url);
    return back(p, "path");
  },

  relativeSlash(p, c) {
    if (isSpecial(p.url) && (c === 47 || c === 92)) return to(p, "ignoreSlashes");
    if (c === 47) return to(p, "authority");
    takeAuthority(p.url, p.base);
    return back(p, "path");
  },

  ignoreSlashes(p, c) {
    return c === 47 || c === 92 ? undefined : back(p, "authority");
  },

  authority(p, c) {
    if (c === 64) return takeCredentials(p);
    if (c === end || c === 63 || c === 35 || isSlash(p, c)) {
      if (p.atSign && p.buffer === "") return failed;
      p.at -= pointsOf(p.buffer).length + 1;
      p.buffer = "";
      return to(p, "host");
    }
    p.buffer += fromCodePoint(c);
    return undefined;
  },

  host(p, c) {
    if (p.override && p.url.scheme === "file") return back(p, "fileHost");
    if (c === 58 && !p.inBrackets) {
      if (p.buffer === "" || p.override === "hostname") return failed;
      return takeHost(p) ? to(p, "port") : failed;
    }
    if (c === end || c === 63 || c === 35 || isSlash(p, c)) {
      p.at -= 1;
      if (p.buffer === "" && isSpecial(p.url)) return failed;
      if (p.override && p.buffer === "" && (p.url.username !== "" || p.url.password !== "" || p.url.port !== null)) return failed;
      if (!takeHost(p)) return failed;
      return p.override ? stopped : to(p, "pathStart");
    }
    if (c === 91) p.inBrackets = true;
    if (c === 93) p.inBrackets = false;
    p.buffer += fromCodePoint(c);
    return undefined;
  },

  port(p, c) {
    if (isDigit(c)) {
      p.buffer += fromCodePoint(c);
      return undefined;
    }
    if (c !== end && c !== 63 && c !== 35 && !isSlash(p, c) && !p.override) return failed;
    if (p.buffer !== "") {
      const port = +p.buffer;
      if (port > 65535) return failed;
      p.url.port = port === defaultPorts[p.url.scheme] ? null : port;
      p.buffer = "";
      if (p.override) return stopped;
    }
    return p.override ? failed : back(p, "pathStart");
  },
};
