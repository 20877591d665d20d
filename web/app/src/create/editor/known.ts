// What completion knows: fetched once while an editor is used, and again after
// a minute, as tools come and go.
import { getText } from "../../api/http";
import { services, tools, type Service, type Tool } from "../../api/tools";
import { declarations, type Declarations } from "./declarations";

export interface Known {
  declarations: Declarations;
  services: Service[];
  tools: Tool[];
}

const fresh = 60_000;
let last: { at: number; known: Promise<Known> } | null = null;

export function known(): Promise<Known> {
  if (!last || Date.now() - last.at > fresh) {
    const known = fetchAll();
    last = { at: Date.now(), known };
    known.catch(() => (last = null));
  }
  return last.known;
}

async function fetchAll(): Promise<Known> {
  const [docs, s, t] = await Promise.all([getText("/environments/typescript/docs").catch(() => ""), services(), tools()]);
  return { declarations: declarations(globalsIn(docs)), services: s, tools: t };
}

// The declarations are the first piece of code below the heading Globals.
function globalsIn(docs: string): string {
  return /^## Globals\s+```ts\n([\s\S]*?)\n```/m.exec(docs)?.[1] ?? "";
}
