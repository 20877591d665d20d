// JSON Schemas of parameters, as people read them.

export interface Parameter {
  name: string;
  type: string;
  required: boolean;
  description: string;
  bounds: string; // what else must hold
  inner: Parameter[]; // of an object
}

type Schema = Record<string, unknown>;

const isSchema = (v: unknown): v is Schema => typeof v === "object" && v !== null && !Array.isArray(v);

// How much of a schema is shown. Third parties write them, and one that refers to
// itself in many places has no end.
const mostParameters = 500;
const mostChoices = 100;

interface Budget {
  left: number;
}

/** The properties of an object schema, required ones first. */
export function parameters(schema: unknown, root: unknown = schema, depth = 0, budget: Budget = { left: mostParameters }): Parameter[] {
  const s = resolve(schema, root);
  const properties = isSchema(s.properties) ? s.properties : {};
  const required = Array.isArray(s.required) ? s.required : [];
  const shown = Object.entries(properties).slice(0, Math.max(0, budget.left));
  budget.left -= shown.length;
  const all = shown.map(([name, p]) => parameter(name, p, required.includes(name), root, depth, budget));
  return all.sort((a, b) => Number(b.required) - Number(a.required));
}

function parameter(name: string, schema: unknown, required: boolean, root: unknown, depth: number, budget: Budget): Parameter {
  const s = resolve(schema, root);
  const object = s.type === "array" ? resolve(s.items, root) : s;
  return {
    name,
    required,
    type: typeText(s, root),
    description: typeof s.description === "string" ? s.description : "",
    bounds: bounds(s),
    inner: depth < 4 ? parameters(object, root, depth + 1, budget) : [],
  };
}

// References point into the schema they stand in.
function resolve(schema: unknown, root: unknown): Schema {
  for (let left = 8; left > 0 && isSchema(schema) && typeof schema.$ref === "string"; left--) {
    let at: unknown = root;
    for (const name of schema.$ref.replace(/^#\/?/, "").split("/").filter(Boolean)) {
      at = isSchema(at) ? at[name.replace(/~1/g, "/").replace(/~0/g, "~")] : undefined;
    }
    schema = at;
  }
  return isSchema(schema) ? schema : {};
}

/** A type in a few words. */
export function typeText(schema: unknown, root: unknown = schema, depth = 0, budget: Budget = { left: mostChoices }): string {
  const s = resolve(schema, root);
  if (depth > 4 || budget.left-- <= 0) return "any";
  if (Array.isArray(s.enum)) return s.enum.slice(0, mostChoices).map((v) => JSON.stringify(v)).join(" | ");
  if ("const" in s) return JSON.stringify(s.const);
  for (const key of ["anyOf", "oneOf"]) {
    const choices = s[key];
    if (Array.isArray(choices)) return [...new Set(choices.slice(0, mostChoices).map((c) => typeText(c, root, depth + 1, budget)))].join(" | ");
  }
  if (Array.isArray(s.type)) return s.type.join(" | ");
  if (s.type === "array") return `${typeText(s.items, root, depth + 1, budget)}[]`;
  return typeof s.type === "string" ? s.type : isSchema(s.properties) ? "object" : "any";
}

const words: [string, string][] = [
  ["minimum", "at least"],
  ["maximum", "at most"],
  ["exclusiveMinimum", "more than"],
  ["exclusiveMaximum", "less than"],
  ["minLength", "length from"],
  ["maxLength", "length to"],
  ["minItems", "items from"],
  ["maxItems", "items to"],
  ["format", "format"],
  ["pattern", "matches"],
  ["default", "default"],
];

function bounds(s: Schema): string {
  return words
    .filter(([key]) => s[key] !== undefined)
    .map(([key, word]) => `${word} ${typeof s[key] === "string" ? s[key] : JSON.stringify(s[key])}`)
    .join(", ");
}
