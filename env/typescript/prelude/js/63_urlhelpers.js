// The parser of URLs: the states of the WHATWG URL Standard, one function each.
// A state sees one code point (-1: the end) and answers failed, stopped (only
// under an override, that is for a setter of URL) or nothing to go on.

const failed = 1, stopped = 2, end = -1;
const defaultPorts = { __proto__: null, ftp: 21, file: null, http: 80, https: 443, ws: 80, wss: 443 };
const isSpecial = (url) => defaultPorts[url.scheme] !== undefined;

const newURL = () => ({
  __proto__: null, scheme: "", username: "", password: "", host: null, port: null, path: list(), opaque: null, query: null, fragment: null,
});

function copyList(from) {
  const to = list();
  for (let i = 0; i < from.length; i += 1) push(to, from[i]);
  return to;
}

const isAlpha = (c) => (c >= 97 && c <= 122) || (c >= 65 && c <= 90);
const isDigit = (c) => c >= 48 && c <= 57;
const isDriveText = (text) => text.length === 2 && isAlpha(charCodeAt(text, 0)) && (text[1] === ":" || text[1] === "|");
const isSlash = (p, c) => c === 47 || (c === 92 && isSpecial(p.url));

// startsWithDrive says whether a Windows drive letter stands at a place.
function startsWithDrive(points, at) {
  if (points.length - at < 2 || !isAlpha(points[at]) || (points[at + 1] !== 58 && points[at + 1] !== 124)) return false;
  if (points.length - at === 2) return true;
  const next = points[at + 2];
  return next === 47 || next === 92 || next === 63 || next === 35;
}

function shorten(url) {
  const path = url.path;
  if (path.length === 0) return;
  if (url.scheme === "file" && path.length === 1 && path[0].length === 2 && isAlpha(charCodeAt(path[0], 0)) && path[0][1] === ":") return;
  path.length -= 1;
}

const isSingleDot = (text) => text === "." || toLowerCase(text) === "%2e";
const isDoubleDot = (text) => {
  const lower = toLowerCase(text);
  return lower === ".." || lower === ".%2e" || lower === "%2e." || lower === "%2e%2e";
};

const to = (p, state) => { p.state = state; };
const back = (p, state) => { p.state = state; p.at -= 1; };

function takeAuthority(url, base) {
  url.username = base.username;
  url.password = base.password;
  url.host = base.host;
  url.port = base.port;
}
