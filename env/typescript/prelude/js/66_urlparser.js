// What states do in several steps, the parser's loop, and its inverse.

for (const name of enumerableKeys(laterStates)) states[name] = laterStates[name];

function schemeEnd(p) {
  const { url, base } = p;
  if (p.override) {
    if (isSpecial(url) !== (defaultPorts[p.buffer] !== undefined)) return stopped;
    if ((url.username !== "" || url.password !== "" || url.port !== null) && p.buffer === "file") return stopped;
    if (url.scheme === "file" && (url.host === "" || url.host === null)) return stopped;
    url.scheme = p.buffer;
    if (url.port === defaultPorts[url.scheme]) url.port = null;
    return stopped;
  }
  url.scheme = p.buffer;
  p.buffer = "";
  if (url.scheme === "file") return to(p, "file");
  if (isSpecial(url)) return to(p, base !== null && base.scheme === url.scheme ? "specialRelativeOrAuthority" : "ignoreSlashes");
  if (p.points[p.at + 1] === 47) {
    p.at += 1;
    return to(p, "pathOrAuthority");
  }
  url.opaque = "";
  return to(p, "opaquePath");
}

function takeCredentials(p) {
  if (p.atSign) p.buffer = `%40${p.buffer}`;
  p.atSign = true;
  const points = pointsOf(p.buffer);
  for (let i = 0; i < points.length; i += 1) {
    if (points[i] === 58 && !p.passwordSeen) {
      p.passwordSeen = true;
      continue;
    }
    const encoded = percentEncode(points[i], userinfoSet);
    if (p.passwordSeen) p.url.password += encoded;
    else p.url.username += encoded;
  }
  p.buffer = "";
  return undefined;
}

function takeHost(p) {
  const host = parseHost(p.buffer, isSpecial(p.url));
  if (host === undefined) return false;
  p.url.host = host;
  p.buffer = "";
  return true;
}

function takeSegment(p, c) {
  const { url, buffer } = p;
  const slash = isSlash(p, c);
  if (isDoubleDot(buffer)) {
    shorten(url);
    if (!slash) push(url.path, "");
  } else if (isSingleDot(buffer)) {
    if (!slash) push(url.path, "");
  } else {
    const drive = url.scheme === "file" && url.path.length === 0 && isDriveText(buffer);
    push(url.path, drive ? `${buffer[0]}:` : buffer);
  }
  p.buffer = "";
}

// parseURL parses into url, which is new unless a setter gives its own and the
// state to begin with. It returns undefined if that fails.
function parseURL(input, base, url = newURL(), override = "", state = "schemeStart") {
  const points = urlPoints(input, override === "");
  const p = {
    __proto__: null, points, at: 0, buffer: "", base, url, override, state, atSign: false, inBrackets: false, passwordSeen: false,
  };
  for (; ; p.at += 1) {
    const c = p.at < points.length ? points[p.at] : end;
    const result = states[p.state](p, c);
    if (result === failed) return undefined;
    if (result === stopped) return url;
    if (p.at >= points.length) return url;
  }
}

// urlPoints lists the code points of the input without tabs and line ends, and
// without controls and spaces around it where so asked.
function urlPoints(input, trimmed) {
  const all = pointsOf(wellFormed(input));
  let from = 0, until = all.length;
  if (trimmed) {
    while (from < until && all[from] <= 32) from += 1;
    while (until > from && all[until - 1] <= 32) until -= 1;
  }
  const points = list();
  for (let i = from; i < until; i += 1) if (all[i] !== 9 && all[i] !== 10 && all[i] !== 13) push(points, all[i]);
  return points;
}

const pathText = (url) => {
  if (url.opaque !== null) return url.opaque;
  let text = "";
  for (let i = 0; i < url.path.length; i += 1) text += `/${url.path[i]}`;
  return text;
};

function urlText(url, withFragment = true) {
  let text = `${url.scheme}:`;
  if (url.host !== null) {
    text += "//";
    if (url.username !== "" || url.password !== "") text += `${url.username}${url.password === "" ? "" : `:${url.password}`}@`;
    text += url.port === null ? url.host : `${url.host}:${url.port}`;
  } else if (url.opaque === null && url.path.length > 1 && url.path[0] === "") text += "/.";
  text += pathText(url);
  if (url.query !== null) text += `?${url.query}`;
  return withFragment && url.fragment !== null ? `${text}#${url.fragment}` : text;
}
