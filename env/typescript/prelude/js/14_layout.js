// Where entries of a value go: on one line, in columns, or one below another.

const ofObject = 0, ofArray = 1, besideArray = 2; // what a property belongs to

// layOut joins the entries of a value between its braces. numeric says that all
// are numbers, which are then aligned to the right.
function layOut(ctx, entries, base, open, close, kindOfEntries, level, numeric) {
  const head = base === "" ? open : `${base} ${open}`;
  if (ctx.compact > 0) {
    const before = entries.length;
    if (kindOfEntries === besideArray && before > 6) entries = inColumns(ctx, entries, numeric);
    if (ctx.deepest - level < ctx.compact && before === entries.length) {
      const start = entries.length + ctx.indent + open.length + base.length + 10;
      if (fitsOneLine(ctx, entries, start, base)) {
        const line = join(entries, ", ");
        if (!includes(line, "\n")) return `${head} ${line} ${close}`;
      }
    }
  }
  const indent = `\n${repeat(" ", ctx.indent)}`;
  return `${head}${indent}  ${join(entries, `,${indent}  `)}${indent}${close}`;
}

function fitsOneLine(ctx, entries, start, base) {
  let total = entries.length + start;
  if (total + entries.length > ctx.breakLength) return false;
  for (let i = 0; i < entries.length; i += 1) {
    total += entries[i].length;
    if (total > ctx.breakLength) return false;
  }
  return base === "" || !includes(base, "\n");
}

// inColumns puts many short entries of an array beside each other; about as
// wide as it is high, since a character is two and a half times as high as wide.
function inColumns(ctx, entries, numeric) {
  const elided = entries.length > ctx.maxArray; // its last entry says how many more
  const count = elided ? entries.length - 1 : entries.length;
  const gap = 2;
  const widths = list();
  let total = 0, widest = 0;
  for (let i = 0; i < count; i += 1) {
    const width = widthOf(entries[i]);
    push(widths, width);
    total += width + gap;
    widest = max(widest, width);
  }
  const cell = widest + gap;
  if (cell * 3 + ctx.indent >= ctx.breakLength || (total / cell <= 5 && widest > 6)) return entries;
  const biased = max(cell - 3 - sqrt(cell - total / entries.length), 1);
  const columns = min(
    round(sqrt(2.5 * biased * count) / biased), floor((ctx.breakLength - ctx.indent) / cell), ctx.compact * 4, 15,
  );
  if (columns <= 1) return entries;
  const cells = list();
  for (let i = 0; i < columns; i += 1) {
    let width = 0;
    for (let j = i; j < count; j += columns) width = max(width, widths[j]);
    push(cells, width + gap);
  }
  const rows = list();
  for (let i = 0; i < count; i += columns) push(rows, row(entries, i, min(i + columns, count), widths, cells, numeric));
  if (elided) push(rows, entries[count]);
  return rows;
}

function row(entries, from, to, widths, cells, numeric) {
  let text = "";
  for (let i = from; i < to; i += 1) {
    const last = i === to - 1;
    const entry = last ? entries[i] : `${entries[i]}, `;
    const width = cells[i - from] + entries[i].length - widths[i];
    if (numeric) text += padStart(entry, last ? width - 2 : width, " ");
    else text += last ? entry : padEnd(entry, width, " ");
  }
  return text;
}
