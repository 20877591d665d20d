// The body of POST /processes, of what a person has typed.
import { Mistake, toApi } from "./convert";
import { fieldsOf } from "./fields";
import { text, type Kind, type Values } from "./kinds";
import { parse } from "./words";

export type Body = Record<string, unknown>;

export function bodyOf(kind: Kind, values: Values): Body {
  const body: Body = { environment: kind };
  for (const f of fieldsOf(kind)) {
    const v = toApi(f, values[f.path]);
    if (v !== undefined) put(body, f.path, v);
  }
  if (kind === "command") command(body, values);
  else body.code = text(values.code);
  if (kind === "agent" && text(values.code).trim() === "") throw new Mistake("code", "Say what the agent shall do.");
  return body;
}

function put(body: Body, path: string, value: unknown): void {
  const names = path.split(".");
  const last = names.pop()!;
  let at = body;
  for (const name of names) at = (at[name] ??= {}) as Body;
  at[last] = value;
}

function command(body: Body, values: Values): void {
  const line = text(values.line);
  if (line.trim() === "") throw new Mistake("line", "Say what to run.");
  const more = body.command as Body | undefined;
  if (values.shell === true) {
    // A script alone is for the shell of the daemon's system; what only a command
    // can have needs a shell by name.
    if (more) Object.assign(more, { program: "sh", args: ["-c", line] });
    else body.code = line;
    return;
  }
  const { words, open } = parse(line);
  if (open) throw new Mistake("line", "A quote is not closed.");
  body.command = { ...more, program: words[0], args: words.slice(1) };
}
