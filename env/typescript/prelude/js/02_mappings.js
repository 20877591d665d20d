// Source maps: from a position in the compiled program to the client's own.

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const base64Value = (code) => {
  if (code >= 65 && code <= 90) return code - 65;
  if (code >= 97 && code <= 122) return code - 71;
  if (code >= 48 && code <= 57) return code + 4;
  if (code === 43) return 62;
  return code === 47 ? 63 : -1;
};

// program is what is known of the program that runs; start fills it.
const program = { __proto__: null, id: 0, run: 0, mappings: "", lines: 0, columns: 0, decoded: undefined };

// decodeMappings returns a list of generated lines, each a list of triples in
// one flat list: generated column, original line, original column.
function decodeMappings(text) {
  const lines = list();
  let line = list();
  let column = 0, originalLine = 0, originalColumn = 0, field = 0, value = 0, shift = 0;
  for (let i = 0; i <= text.length; i += 1) {
    const code = i < text.length ? charCodeAt(text, i) : 59;
    if (code === 44 || code === 59) { // , and ;
      if (field >= 4) {
        push(line, column);
        push(line, originalLine);
        push(line, originalColumn);
      }
      field = 0;
      if (code === 59) {
        push(lines, line);
        line = list();
        column = 0;
      }
      continue;
    }
    const digit = base64Value(code);
    if (digit < 0) return lines;
    value += (digit & 31) * 2 ** shift;
    if (digit & 32) {
      shift += 5;
      continue;
    }
    const delta = value % 2 === 1 ? -(value - 1) / 2 : value / 2;
    if (field === 0) column += delta;
    else if (field === 2) originalLine += delta;
    else if (field === 3) originalColumn += delta;
    field += 1;
    value = 0;
    shift = 0;
  }
  return lines;
}

// originalPosition maps a position counted from 1, and returns "line:column"
// counted from 1, too.
function originalPosition(line, column) {
  let row = line - 1 - program.lines;
  let cell = column - 1;
  if (row === 0) cell -= program.columns;
  if (row < 0 || cell < 0) return `${max(row, 0) + 1}:${max(cell, 0) + 1}`;
  if (program.mappings === "") return `${row + 1}:${cell + 1}`;
  program.decoded ??= decodeMappings(program.mappings);
  const triples = row < program.decoded.length ? program.decoded[row] : undefined;
  if (triples === undefined || triples.length === 0) return `${row + 1}:${cell + 1}`;
  let low = 0, high = triples.length / 3 - 1;
  while (low < high) {
    const middle = ceil((low + high) / 2);
    if (triples[middle * 3] <= cell) low = middle;
    else high = middle - 1;
  }
  return `${triples[low * 3 + 1] + 1}:${triples[low * 3 + 2] + 1}`;
}
