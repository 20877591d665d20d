// What the sandbox declares, read from the TypeScript that the daemon documents
// it with: so completion knows exactly what programs find there.
import { typescriptLanguage } from "@codemirror/lang-javascript";

type Node = ReturnType<typeof typescriptLanguage.parser.parse>["topNode"];

export interface Member {
  name: string;
  type: "function" | "property" | "class" | "variable";
  detail: string; // its signature
  doc: string;
  of?: string; // the name of its type, or of what it returns
  inline?: Members; // its type, where that has no name
  static: boolean;
}

export type Members = Map<string, Member>;

export interface Declarations {
  globals: Members;
  types: Map<string, Members>;
  bases: Map<string, string>; // what a type extends
}

export function declarations(source: string): Declarations {
  const all: Declarations = { globals: new Map(), types: new Map(), bases: new Map() };
  for (let n = typescriptLanguage.parser.parse(source).topNode.firstChild; n; n = n.nextSibling) {
    if (n.name === "InterfaceDeclaration") type(all, source, n, "TypeDefinition", "ObjectType");
    else if (n.name === "AmbientDeclaration") ambient(all, source, n);
  }
  return all;
}

function type(all: Declarations, source: string, n: Node, nameOf: string, bodyOf: string): void {
  const name = part(source, n.getChild(nameOf));
  const body = n.getChild(bodyOf);
  if (body) all.types.set(name, members(source, body));
  const base = n.getChild("extends")?.nextSibling;
  if (base) all.bases.set(name, part(source, base));
}

function ambient(all: Declarations, source: string, outer: Node): void {
  const n = outer.getChild("VariableDeclaration") ?? outer.getChild("AmbientFunctionDeclaration") ?? outer.getChild("ClassDeclaration");
  if (!n) return;
  const name = part(source, n.getChild("VariableDefinition"));
  const m = member(source, n, name, "variable");
  m.doc = docBefore(source, outer);
  if (n.name === "AmbientFunctionDeclaration") m.type = "function";
  if (n.name === "ClassDeclaration") {
    type(all, source, n, "VariableDefinition", "ClassBody");
    Object.assign(m, { type: "class", detail: "", of: name });
  }
  all.globals.set(name, m);
}

const kinds: Record<string, Member["type"]> = { MethodType: "function", MethodDeclaration: "function", PropertyType: "property", PropertyDeclaration: "property" };

function members(source: string, body: Node): Members {
  const all: Members = new Map();
  for (let n = body.firstChild; n; n = n.nextSibling) {
    const name = part(source, n.getChild("PropertyDefinition"));
    if (!kinds[n.name] || !name || name === "constructor" || n.getChild("Privacy")) continue;
    const m = member(source, n, name, kinds[n.name]!);
    if (!all.has(name) || m.doc) all.set(name, m);
  }
  return all;
}

function member(source: string, n: Node, name: string, type: Member["type"]): Member {
  const of = n.getChild("TypeAnnotation");
  const inline = of?.getChild("ObjectType");
  const signature = part(source, n.getChild("ParamList")) + part(source, of);
  return {
    name,
    type,
    detail: inline ? "" : signature.replace(/\s+/g, " ").replace(/(.{70}).+/, "$1…"),
    doc: docBefore(source, n),
    of: part(source, of).replace(/^:\s*/, "").replace(/^Promise<(\w+)>$/, "$1"),
    inline: inline ? members(source, inline) : undefined,
    static: !!n.getChild("static"),
  };
}

const part = (source: string, n: Node | null): string => (n ? source.slice(n.from, n.to) : "");

function docBefore(source: string, n: Node): string {
  const before = n.prevSibling?.name === ";" ? n.prevSibling.prevSibling : n.prevSibling;
  if (before?.name !== "BlockComment") return "";
  return part(source, before).replace(/^\/\*\*?|\*\/$/g, "").replace(/^\s*\* ?/gm, "").trim();
}

/** The members of a type, those of what it extends included. */
export function membersOf(d: Declarations, m: Member): Member[] {
  if (m.inline) return [...m.inline.values()];
  const found = new Map<string, Member>();
  for (let name = m.of; name && d.types.has(name); name = d.bases.get(name)) {
    for (const [key, one] of d.types.get(name)!) if (!found.has(key)) found.set(key, one);
  }
  // Of a class itself what is static, of a thing of it the rest.
  return [...found.values()].filter((one) => one.static === (m.type === "class"));
}
