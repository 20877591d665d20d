// What the dashboard believes of the API, held against the daemon's description
// of it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fieldsOf } from "../src/create/fields";
import { kinds } from "../src/create/kinds";
import { expect, test } from "./daemon";

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  enum?: unknown[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

type Schemas = Record<string, Schema>;

const source = (name: string): string => readFileSync(join(import.meta.dirname, "../src/api", name), "utf8");

// Interfaces whose schema has another name.
const called: Record<string, string> = {
  ProcessRecord: "Record", Command: "CommandRecord", ProcessEvent: "Event", Supervisor: "SupervisorRecord", Child: "ChildRecord", Sample: "UsageSample",
};

/** The interfaces of a file with their fields, as they are written there. */
function interfaces(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [, name, body] of text.matchAll(/^export interface (\w+)[^{]*\{\n([\s\S]*?)^\}/gm)) {
    found.set(name!, [...body!.matchAll(/^  (\w+)\??:/gm)].map((m) => m[1]!));
  }
  return found;
}

const resolved = (s: Schema | undefined, all: Schemas): Schema | undefined =>
  s?.$ref ? all[s.$ref.split("/").at(-1)!] : (s?.anyOf ?? s?.oneOf ?? []).map((c) => resolved(c, all)).find((c) => c?.properties) ?? s;

test("every field that the dashboard reads or sends is in the daemon's description", async ({ daemon }) => {
  const { components } = await daemon.request<{ components: { schemas: Schemas } }>("GET", "/openapi.json");
  const missing: string[] = [];
  for (const file of ["types.ts", "tools.ts"]) {
    for (const [name, fields] of interfaces(source(file))) {
      const schema = components.schemas[called[name] ?? name];
      if (!schema) missing.push(`${name} has no schema`);
      for (const f of fields) if (schema && !schema.properties?.[f]) missing.push(`${name}.${f}`);
    }
  }
  for (const { kind } of kinds) {
    for (const { path } of fieldsOf(kind)) {
      let at: Schema | undefined = components.schemas.Create;
      for (const name of path.split(".")) at = resolved(at?.properties?.[name], components.schemas);
      if (!at) missing.push(`${path} of POST /processes`);
    }
  }
  expect([...new Set(missing)]).toEqual([]);
});
