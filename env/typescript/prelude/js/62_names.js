// Domain names to ASCII. This is not the whole of UTS #46: names are mapped by
// lower case and NFKC, and not checked against its tables of what is allowed.

// toASCII returns undefined for a name that cannot be one.
function toASCII(domain) {
  if (!containsAny(domain, (c) => c > 127)) {
    const lower = toLowerCase(domain);
    return includes(lower, "xn--") ? checkedLabels(lower) : lower;
  }
  const mapped = normalize(toLowerCase(normalize(withoutIgnored(domain), "NFKC")), "NFKC");
  return checkedLabels(mapped);
}

// withoutIgnored drops soft hyphens and joiners, and makes full stops of other
// scripts into dots.
function withoutIgnored(text) {
  let result = "";
  for (let i = 0; i < text.length; i += 1) {
    const c = charCodeAt(text, i);
    if (c === 0xad || c === 0x200b || c === 0x2060 || c === 0xfeff || (c >= 0xfe00 && c <= 0xfe0f)) continue;
    result += c === 0x3002 || c === 0xff0e || c === 0xff61 ? "." : text[i];
  }
  return result;
}

function checkedLabels(domain) {
  const labels = splitAt(domain, ".");
  for (let i = 0; i < labels.length; i += 1) {
    const label = labels[i];
    if (startsWith(label, "xn--")) {
      const decoded = punycodeDecode(slice(label, 4));
      if (decoded === undefined || containsAny(decoded, (c) => c < 45 || (c > 126 && c < 160)) || !containsAny(decoded, (c) => c > 127) || normalize(toLowerCase(decoded), "NFC") !== decoded) return undefined;
      if (punycodeEncode(decoded) !== slice(label, 4)) return undefined;
    } else if (containsAny(label, (c) => c > 127)) {
      if (includes(label, "\ufffd")) return undefined;
      labels[i] = `xn--${punycodeEncode(label)}`;
    }
  }
  return join(labels, ".");
}

function adapt(delta, points, first) {
  delta = first ? floor(delta / 700) : delta >> 1;
  delta += floor(delta / points);
  let k = 0;
  for (; delta > 455; k += 36) delta = floor(delta / 35);
  return k + floor((36 * delta) / (delta + 38));
}

const threshold = (k, bias) => (k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias);
const punycodeDigit = (d) => fromCharCode(d < 26 ? d + 97 : d + 22);

function pointsOf(text) {
  const points = list();
  for (let i = 0; i < text.length; i += 1) {
    const point = codePointAt(text, i);
    push(points, point);
    if (point > 0xffff) i += 1;
  }
  return points;
}

function punycodeEncode(text) {
  const points = pointsOf(text);
  let output = "";
  for (let i = 0; i < points.length; i += 1) if (points[i] < 128) output += fromCharCode(points[i]);
  const basic = output.length;
  if (basic > 0) output += "-";
  let n = 128, delta = 0, bias = 72;
  for (let handled = basic; handled < points.length;) {
    let next = 0x7fffffff;
    for (let i = 0; i < points.length; i += 1) if (points[i] >= n && points[i] < next) next = points[i];
    delta += (next - n) * (handled + 1);
    n = next;
    for (let i = 0; i < points.length; i += 1) {
      if (points[i] < n) delta += 1;
      if (points[i] !== n) continue;
      let q = delta;
      for (let k = 36; ; k += 36) {
        const t = threshold(k, bias);
        if (q < t) break;
        output += punycodeDigit(t + ((q - t) % (36 - t)));
        q = floor((q - t) / (36 - t));
      }
      output += punycodeDigit(q);
      bias = adapt(delta, handled + 1, handled === basic);
      delta = 0;
      handled += 1;
    }
    delta += 1;
    n += 1;
  }
  return output;
}

function punycodeDecode(text) {
  const split = lastIndexOf(text, "-");
  const points = pointsOf(split > 0 ? slice(text, 0, split) : "");
  let n = 128, index = 0, bias = 72, at = split >= 0 ? split + 1 : 0;
  while (at < text.length) {
    const before = index;
    for (let weight = 1, k = 36; ; k += 36) {
      if (at >= text.length) return undefined;
      const c = charCodeAt(text, at);
      at += 1;
      const digit = c >= 97 && c <= 122 ? c - 97 : c >= 48 && c <= 57 ? c - 22 : -1;
      if (digit < 0) return undefined;
      index += digit * weight;
      const t = threshold(k, bias);
      if (digit < t) break;
      weight *= 36 - t;
    }
    bias = adapt(index - before, points.length + 1, before === 0);
    n += floor(index / (points.length + 1));
    index %= points.length + 1;
    if (n > 0x10ffff) return undefined;
    for (let i = points.length; i > index; i -= 1) points[i] = points[i - 1];
    points.length += 1;
    points[index] = n;
    index += 1;
  }
  let result = "";
  for (let i = 0; i < points.length; i += 1) result += fromCodePoint(points[i]);
  return result;
}
