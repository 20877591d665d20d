// A command line, cut into words as a shell would, without all else a shell
// does: no variables, no patterns, no pipes.

export interface Words {
  words: string[];
  open: boolean; // a quote is not closed
  wantsShell: boolean; // something in it means more to a shell
}

export function parse(line: string): Words {
  const words: string[] = [];
  let word: string | null = null;
  let quote = "";
  let wantsShell = false;
  for (let i = 0; i < line.length; i++) {
    const c = line[i]!;
    if (quote === "'") {
      if (c === "'") quote = "";
      else word += c;
    } else if (c === "\\" && i + 1 < line.length && (quote === "" || /["\\$`]/.test(line[i + 1]!))) {
      word = (word ?? "") + line[++i];
    } else if (quote === '"') {
      if (c === '"') quote = "";
      else word += c;
      wantsShell ||= c === "$" || c === "`";
    } else if (c === "'" || c === '"') {
      quote = c;
      word ??= "";
    } else if (/\s/.test(c)) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      wantsShell ||= /[|&;<>()$`*?]/.test(c) || (word === null && (c === "~" || c === "#"));
      word = (word ?? "") + c;
    }
  }
  if (word !== null) words.push(word);
  return { words, open: quote !== "", wantsShell };
}
