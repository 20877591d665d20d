// Promises, weak collections and buffers.

function promiseEntries(ctx, value, level) {
  const entries = list();
  const found = detailsOf(value);
  if (found === undefined || found[0] !== "promise") {
    push(entries, "<unknown>");
  } else if (found[1] === "pending") {
    push(entries, "<pending>");
  } else {
    ctx.indent += 2;
    const text = valueText(ctx, found[2], level);
    ctx.indent -= 2;
    push(entries, found[1] === "rejected" ? `<rejected> ${text}` : text);
  }
  return entries;
}

function unknownEntries() {
  const entries = list();
  push(entries, "<items unknown>");
  return entries;
}

function bufferShape(ctx, value, type, constructor, tagText) {
  const keys = list();
  push(keys, "byteLength");
  const others = keysOf(ctx, value);
  for (let i = 0; i < others.length; i += 1) push(keys, others[i]);
  return shape(`${prefixOf(constructor, tagText, type)}{`, "}", keys, type === "ArrayBuffer" ? bufferEntries : sharedEntries);
}

const bufferEntries = (ctx, value, level, form) => {
  form.source = bufferView(value, arrayBufferByteLength(value));
  if (arrayBufferDetached !== undefined && arrayBufferDetached(value)) return single("(detached)");
  return single(contentsText(ctx, new Uint8Array(value)));
};

const sharedEntries = (ctx, value, level, form) => {
  form.source = bufferView(value, sharedByteLength(value));
  return single(contentsText(ctx, new Uint8Array(value)));
};

function single(text) {
  const entries = list();
  push(entries, text);
  return entries;
}

// bufferView is the buffer's own properties and its length beside them.
function bufferView(value, byteLength) {
  const view = { __proto__: null, byteLength };
  const keys = ownKeys(value);
  for (let i = 0; i < keys.length; i += 1) defineProperty(view, keys[i], descriptorOf(value, keys[i]));
  return view;
}

function contentsText(ctx, bytes) {
  const length = typedArrayLength(bytes);
  const shown = min(ctx.maxArray, length);
  let text = "";
  for (let i = 0; i < shown; i += 1) text += (i === 0 ? "" : " ") + padStart(numberToString(bytes[i], 16), 2, "0");
  if (length > shown) text += ` ${more(length - shown, "byte")}`;
  return `[Uint8Contents]: <${text}>`;
}

function viewShape(ctx, value, constructor, tagText) {
  const form = shape(`${prefixOf(constructor, tagText, "DataView")}{`, "}", list());
  form.source = { __proto__: null, byteLength: dataViewByteLength(value), byteOffset: dataViewByteOffset(value), buffer: dataViewBuffer(value) };
  const others = keysOf(ctx, value);
  for (let i = 0; i < others.length; i += 1) defineProperty(form.source, others[i], descriptorOf(value, others[i]));
  const keys = ownKeys(form.source);
  for (let i = 0; i < keys.length; i += 1) push(form.keys, keys[i]);
  return form;
}
