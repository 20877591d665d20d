// Completion of programs: the sandbox's globals, the tools of this daemon and
// their parameters. Names of the program itself and keywords come from CodeMirror.
import { completionPath, scopeCompletionSource } from "@codemirror/lang-javascript";
import { syntaxTree } from "@codemirror/language";
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import type { Tool } from "../../api/tools";
import { infer, resolve } from "./infer";
import { memberInfo, toolInfo } from "./info";
import { known, type Known } from "./known";
import { membersOf, type Member } from "./declarations";
import { parameters } from "../../tools/schema";

// What the language itself has; the browser's own is as good as the sandbox's.
const language = scopeCompletionSource(
  Object.fromEntries(
    ["Array", "BigInt", "Boolean", "Date", "Error", "JSON", "Map", "Math", "Number", "Object", "Promise", "RegExp", "Set", "String", "Symbol", "Uint8Array", "WeakMap", "encodeURIComponent", "decodeURIComponent", "parseInt", "parseFloat", "isNaN"]
      .map((name) => [name, (globalThis as unknown as Record<string, unknown>)[name]]),
  ),
);

export async function complete(context: CompletionContext): Promise<CompletionResult | null> {
  const inCall = toolCall(context);
  const at = completionPath(context);
  if (!at && !inCall) return null;
  const k = await known();
  if (context.aborted) return null;
  const word = context.matchBefore(/[\w$]*/);
  const from = word?.from ?? context.pos;
  if (inCall) {
    const tool = k.tools.find((t) => t.service === inCall.service && t.name === inCall.tool);
    if (tool) return { from, options: parameters(tool.params).map(parameterOption), validFor: /^[\w$]*$/ };
  }
  if (!at || (at.path.length === 0 && at.name === "" && !context.explicit)) return null;
  const options = at.path.length === 0 ? globals(k) : inside(k, [...at.path], context);
  if (options.length > 0) return { from, options, validFor: /^[\w$]*$/ };
  return language(context);
}

const globals = (k: Known): Completion[] => [...k.declarations.globals.values()].map(memberOption);

// inside offers what a path such as reeve.services.shop.tools has.
function inside(k: Known, path: string[], context: CompletionContext): Completion[] {
  if (path[0] === "reeve" || path[0] === "cyrnel") {
    if (path[1] === "services") return services(k, path.slice(2), context);
  }
  let at = infer(context.state, k.declarations, path[0]!);
  if (at) for (const name of path.slice(1)) at = at && membersOf(k.declarations, at).find((m) => m.name === name);
  else at = resolve(k.declarations, path);
  return at && at.type !== "function" ? membersOf(k.declarations, at).map(memberOption) : [];
}

function services(k: Known, path: string[], context: CompletionContext): Completion[] {
  const [service, word, tool] = path;
  if (service === undefined) return k.services.map((s) => named(s.name, { label: s.name, type: "namespace", detail: s.state, info: s.description }, context));
  const tools = k.tools.filter((t) => t.service === service);
  if (word === undefined) return tools.length > 0 ? [{ label: "tools", type: "property", info: "What this service can do." }] : [];
  if (word !== "tools") return [];
  if (tool === undefined) return tools.map((t) => named(t.name, toolOption(t), context));
  return tools.some((t) => t.name === tool) ? [{ label: "invoke", type: "method", info: "The same as calling the tool." }] : [];
}

// named writes a name that is no identifier as ["the-name"].
function named(name: string, option: Completion, context: CompletionContext): Completion {
  if (/^[A-Za-z_$][\w$]*$/.test(name)) return option;
  return {
    ...option,
    apply: (view, _, from, to) => {
      const dot = context.state.sliceDoc(from - 1, from) === "." ? 1 : 0;
      const insert = `[${JSON.stringify(name)}]`;
      view.dispatch({ changes: { from: from - dot, to, insert }, selection: { anchor: from - dot + insert.length } });
    },
  };
}

const memberOption = (m: Member): Completion => ({
  label: m.name,
  type: m.type,
  detail: m.type === "variable" ? "" : m.detail,
  info: m.doc || m.detail ? () => memberInfo(m) : undefined,
});

function toolOption(t: Tool): Completion {
  const names = parameters(t.params).map((p) => (p.required ? p.name : `${p.name}?`));
  const asks = { allow: "", ask: " · asks a person", deny: " · denied" }[t.permission];
  return { label: t.name, type: "method", detail: `({${names.length ? ` ${names.join(", ")} ` : ""}})${asks}`, info: () => toolInfo(t), boost: t.permission === "deny" ? -50 : 1 };
}

const parameterOption = (p: ReturnType<typeof parameters>[number]): Completion => ({
  label: p.name,
  type: "property",
  detail: p.type,
  apply: `${p.name}: `,
  info: p.description || undefined,
  boost: p.required ? 2 : 0,
});

// toolCall finds the tool in whose parameter object the cursor is, before a name.
function toolCall(context: CompletionContext): { service: string; tool: string } | null {
  const node = syntaxTree(context.state).resolveInner(context.pos, -1);
  const object = node.name === "ObjectExpression" ? node : node.name === "PropertyDefinition" ? node.parent?.parent : null;
  if (object?.name !== "ObjectExpression" || object.parent?.name !== "ArgList") return null;
  const callee = object.parent.parent?.firstChild;
  if (!callee || (node.name === "ObjectExpression" && !/[{,]\s*$/.test(context.state.sliceDoc(object.from, context.pos)))) return null;
  const path = /\.services\.([\w$]+)\.tools\.([\w$]+)(\.invoke)?$/.exec(context.state.sliceDoc(callee.from, callee.to).replace(/\s+/g, ""));
  return path && { service: path[1]!, tool: path[2]! };
}
