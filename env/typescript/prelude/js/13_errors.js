// How an error is shown: its stack, with the name a class gave it, and without
// what its cause says again.

const get = (object, key) => {
  try {
    return object[key];
  } catch {
    return undefined;
  }
};

function errorText(ctx, error, constructor, tagText, keys) {
  const nameValue = get(error, "name");
  const name = typeof nameValue === "string" ? nameValue : nameValue === undefined || nameValue === null ? "Error" : safeString(nameValue);
  let stack = stackOf(error);
  hideShown(keys, error, stack);
  if (carries(error, "cause") && !contains(keys, "cause")) push(keys, "cause");
  if (isArray(get(error, "errors")) && !contains(keys, "errors")) push(keys, "errors");
  stack = properName(stack, constructor, name, tagText);
  const message = get(error, "message");
  let after = typeof message === "string" && message !== "" ? indexOf(stack, message) : -1;
  if (after > 0) after += message.length;
  const frames = indexOf(stack, "\n    at", max(after, 0));
  if (frames < 0) stack = `[${stack}]`;
  else stack = slice(stack, 0, frames + 1) + sharedWithCause(error, slice(stack, frames + 1));
  return ctx.indent === 0 ? stack : indentLines(stack, ctx.indent);
}

function safeString(value) {
  try {
    return typeof value === "symbol" ? symbolToString(value) : String(value);
  } catch {
    return "";
  }
}

const carries = (object, key) => {
  try {
    return key in object;
  } catch {
    return false;
  }
};

function contains(from, value) {
  for (let i = 0; i < from.length; i += 1) if (from[i] === value) return true;
  return false;
}

// hideShown takes the keys away that the stack shows already.
function hideShown(keys, error, stack) {
  let kept = 0;
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i];
    if (key === "name" || key === "message" || key === "stack") {
      const value = get(error, key);
      if (typeof value === "string" && includes(stack, value)) continue;
    }
    keys[kept++] = key;
  }
  keys.length = kept;
}

// properName puts the name of the class where the stack has only that of its
// ancestor: class MyError extends Error says "MyError: …".
function properName(stack, constructor, name, tagText) {
  let length = name.length;
  const next = stack[length];
  const begins = endsWith(name, "Error") && startsWith(stack, name) && (stack.length === length || next === ":" || next === "\n");
  if (constructor !== null && !begins) return stack;
  let fallback = "Error";
  if (constructor === null) {
    fallback = leadingName(stack);
    length = fallback.length;
    fallback = fallback || "Error";
  }
  const prefix = slice(prefixOf(constructor, tagText, fallback), 0, -1);
  if (name === prefix) return stack;
  if (!includes(prefix, name)) return `${prefix} [${name}]${slice(stack, length)}`;
  return length === 0 ? `${prefix}: ${stack}` : prefix + slice(stack, length);
}

// leadingName is what a stack says before its first colon or frame.
function leadingName(stack) {
  let end = 0;
  while (end < stack.length) {
    const c = charCodeAt(stack, end);
    if (!isWordStart(c) && !(c >= 48 && c <= 57) && c !== 32 && c !== 45) break;
    end += 1;
  }
  const rest = slice(stack, end);
  const name = slice(stack, 0, end);
  return rest === "" || rest[0] === ":" || startsWith(rest, "\n    at") ? name : "";
}

function splitLines(text) {
  const lines = list();
  for (let from = 0; from <= text.length;) {
    let to = indexOf(text, "\n", from);
    if (to < 0) to = text.length;
    push(lines, slice(text, from, to));
    from = to + 1;
  }
  return lines;
}

function indentLines(text, columns) {
  return join(splitLines(text), `\n${repeat(" ", columns)}`);
}

// sharedWithCause leaves out the frames that the cause, shown below, has too.
function sharedWithCause(error, text) {
  const cause = get(error, "cause");
  if (!isObject(cause) || !isError(cause)) return text;
  const causeStack = stackOf(cause);
  const start = indexOf(causeStack, "\n    at");
  if (start < 0) return text;
  const own = splitLines(text), theirs = splitLines(slice(causeStack, start + 1));
  for (let i = 0; i < own.length - 3; i += 1) {
    let at = 0;
    while (at < theirs.length && theirs[at] !== own[i]) at += 1;
    if (theirs.length - at <= 3) continue;
    let length = 1;
    while (i + length < own.length && at + length < theirs.length && own[i + length] === theirs[at + length]) length += 1;
    if (length > 3) return withoutLines(own, i + 1, length - 2);
  }
  return text;
}

function withoutLines(lines, from, count) {
  const kept = list();
  for (let i = 0; i < lines.length; i += 1) {
    if (i === from) push(kept, `    ... ${count} lines matching cause stack trace ...`);
    if (i < from || i >= from + count) push(kept, lines[i]);
  }
  return join(kept, "\n");
}
