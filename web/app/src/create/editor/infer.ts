// What a name of the program stands for, where that is plain to see: what was
// made by new, or returned by something that is declared.
import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import { membersOf, type Declarations, type Member } from "./declarations";

/** The declared thing that a local name stands for, if that can be seen. */
export function infer(state: EditorState, d: Declarations, name: string): Member | undefined {
  let found: Member | undefined;
  syntaxTree(state).iterate({
    enter: ({ node }) => {
      if (node.name !== "VariableDefinition" || state.sliceDoc(node.from, node.to) !== name) return;
      const value = node.nextSibling?.name === "Equals" ? node.nextSibling.nextSibling : null;
      if (value) found = thing(d, state.sliceDoc(value.from, value.to)) ?? found;
    },
  });
  return found;
}

// thing reads new URL(…), await reeve.spawn(…), reeve.signal.
function thing(d: Declarations, source: string): Member | undefined {
  const made = /^new\s+(\w+)\s*\(/.exec(source);
  if (made) return d.types.has(made[1]!) ? of(made[1]!) : undefined;
  const path = /^(?:await\s+)?([\w$]+(?:\s*\.\s*[\w$]+)*)\s*(\(|$)/.exec(source);
  const member = path && resolve(d, path[1]!.split(/\s*\.\s*/));
  return member?.of && d.types.has(member.of) ? of(member.of) : undefined;
}

const of = (type: string): Member => ({ name: "", type: "variable", detail: "", doc: "", of: type, static: false });

/** What a path of names leads to among what is declared. */
export function resolve(d: Declarations, path: string[]): Member | undefined {
  let at = d.globals.get(path[0]!);
  for (const name of path.slice(1)) at = at && membersOf(d, at).find((m) => m.name === name);
  return at;
}
