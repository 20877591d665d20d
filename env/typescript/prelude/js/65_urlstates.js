// The states of files, paths, queries and fragments.

const laterStates = {
  __proto__: null,

  file(p, c) {
    const { url, base } = p;
    url.scheme = "file";
    url.host = "";
    if (c === 47 || c === 92) return to(p, "fileSlash");
    if (base === null || base.scheme !== "file") return back(p, "path");
    url.host = base.host;
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
    if (startsWithDrive(p.points, p.at)) url.path = list();
    else shorten(url);
    return back(p, "path");
  },

  fileSlash(p, c) {
    if (c === 47 || c === 92) return to(p, "fileHost");
    const { url, base } = p;
    if (base !== null && base.scheme === "file") {
      url.host = base.host;
      const drive = base.path.length > 0 && isDriveText(base.path[0]) && base.path[0][1] === ":";
      if (!startsWithDrive(p.points, p.at) && drive) push(url.path, base.path[0]);
    }
    return back(p, "path");
  },

  fileHost(p, c) {
    if (c !== end && c !== 47 && c !== 92 && c !== 63 && c !== 35) {
      p.buffer += fromCodePoint(c);
      return undefined;
    }
    p.at -= 1;
    if (!p.override && isDriveText(p.buffer)) return to(p, "path");
    if (p.buffer === "") {
      p.url.host = "";
      return p.override ? stopped : to(p, "pathStart");
    }
    const host = parseHost(p.buffer, isSpecial(p.url));
    if (host === undefined) return failed;
    p.url.host = host === "localhost" ? "" : host;
    p.buffer = "";
    return p.override ? stopped : to(p, "pathStart");
  },

  pathStart(p, c) {
    if (isSpecial(p.url)) {
      to(p, "path");
      if (c !== 47 && c !== 92) p.at -= 1;
      return undefined;
    }
    if (!p.override && c === 63) {
      p.url.query = "";
      return to(p, "query");
    }
    if (!p.override && c === 35) {
      p.url.fragment = "";
      return to(p, "fragment");
    }
    if (c !== end) {
      to(p, "path");
      if (c !== 47) p.at -= 1;
    } else if (p.override && p.url.host === null) push(p.url.path, "");
    return undefined;
  },

  path(p, c) {
    if (c !== end && !isSlash(p, c) && (p.override || (c !== 63 && c !== 35))) {
      p.buffer += percentEncode(c, pathSet);
      return undefined;
    }
    takeSegment(p, c);
    if (c === 63 && !p.override) {
      p.url.query = "";
      to(p, "query");
    }
    if (c === 35 && !p.override) {
      p.url.fragment = "";
      to(p, "fragment");
    }
    return undefined;
  },

  opaquePath(p, c) {
    if (c === 63) {
      p.url.query = "";
      return to(p, "query");
    }
    if (c === 35) {
      p.url.fragment = "";
      return to(p, "fragment");
    }
    if (c !== end) p.url.opaque += percentEncode(c, beyond);
    return undefined;
  },

  query(p, c) {
    if (c === 35 && !p.override) {
      p.url.fragment = "";
      return to(p, "fragment");
    }
    if (c !== end) p.url.query += percentEncode(c, isSpecial(p.url) ? specialQuerySet : querySet);
    return undefined;
  },

  fragment(p, c) {
    if (c !== end) p.url.fragment += percentEncode(c, fragmentSet);
    return undefined;
  },
};
