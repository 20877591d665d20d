// console.table.

const cellOptions = { __proto__: null, depth: 0, maxArrayLength: 3, breakLength: Infinity };

// cellText shows a value of a cell: objects inside are only named.
function cellText(value) {
  const ctx = contextOf(cellOptions);
  if (isObject(value) && proxyOf(value) === undefined && typeof value === "object" && ownKeys(value).length > 2) ctx.depth = -1;
  return inspectIn(ctx, value);
}

// tableText lays out a table, or is undefined for what has no rows.
function tableText(data, columns) {
  if (typeof data !== "object" || data === null) return undefined;
  try {
    const known = kindOf(data);
    if (known === "map") return mapTable(data);
    if (known === "set") return setTable(data);
    return rowsTable(data, columns);
  } catch {
    return undefined;
  }
}

function column(title) {
  return { __proto__: null, title, cells: list() };
}

function mapTable(data) {
  const index = column("(iteration index)"), keys = column("Key"), values = column("Values");
  mapForEach(data, (value, key) => {
    push(index.cells, `${index.cells.length}`);
    push(keys.cells, cellText(key));
    push(values.cells, cellText(value));
  });
  return drawTable([index, keys, values], index.cells.length);
}

function setTable(data) {
  const index = column("(iteration index)"), values = column("Values");
  setForEach(data, (value) => {
    push(index.cells, `${index.cells.length}`);
    push(values.cells, cellText(value));
  });
  return drawTable([index, values], index.cells.length);
}

function rowsTable(data, only) {
  const index = column("(index)"), values = column("Values");
  const columns = list(), byKey = new Map();
  push(columns, index);
  const add = (key) => {
    const made = column(key);
    mapSet(byKey, key, made);
    push(columns, made);
  };
  if (isArray(only)) for (let i = 0; i < only.length; i += 1) add(safeText(only[i]));
  const keys = enumerableKeys(data);
  let plain = false;
  for (let i = 0; i < keys.length; i += 1) {
    push(index.cells, keys[i]);
    const item = get(data, keys[i]);
    if (!isObject(item)) {
      plain = true;
      values.cells[i] = cellText(item);
      continue;
    }
    const names = enumerableKeys(item);
    for (let k = 0; k < names.length; k += 1) {
      if (!mapHas(byKey, names[k])) {
        if (isArray(only)) continue;
        add(names[k]);
      }
      mapGet(byKey, names[k]).cells[i] = cellText(get(item, names[k]));
    }
  }
  if (plain) push(columns, values);
  return drawTable(columns, keys.length);
}

function drawTable(columns, rows) {
  const widths = list();
  for (let i = 0; i < columns.length; i += 1) {
    let width = widthOf(columns[i].title);
    for (let r = 0; r < rows; r += 1) width = max(width, widthOf(columns[i].cells[r] ?? ""));
    push(widths, width + 2);
  }
  const rule = (left, middle, right) => {
    let text = left;
    for (let i = 0; i < widths.length; i += 1) text += (i === 0 ? "" : middle) + repeat("─", widths[i]);
    return text + right;
  };
  const line = (cellOf) => {
    let text = "│";
    for (let i = 0; i < columns.length; i += 1) {
      const cell = cellOf(columns[i]);
      text += ` ${cell}${repeat(" ", widths[i] - widthOf(cell) - 1)}│`;
    }
    return text;
  };
  const lines = list();
  push(lines, rule("┌", "┬", "┐"));
  push(lines, line((c) => c.title));
  push(lines, rule("├", "┼", "┤"));
  for (let r = 0; r < rows; r += 1) push(lines, line((c) => c.cells[r] ?? ""));
  push(lines, rule("└", "┴", "┘"));
  return join(lines, "\n");
}
