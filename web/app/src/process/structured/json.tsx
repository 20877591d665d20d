// A value as a tree. What is closed is not in the page.
import { useState } from "preact/hooks";
import { plural } from "../../format";
import { copy } from "../copy";

interface Props {
  name: string | number;
  path: string;
  value: unknown;
  open?: boolean;
}

const atOnce = 100; // members that are shown at a time

export function Json({ name, path, value, open = false }: Props) {
  const [isOpen, setOpen] = useState(open);
  if (value === null || typeof value !== "object") {
    return (
      <div class="json-row">
        <span class="json-name">{name}</span>
        <Leaf value={value} />
        <Copies path={path} value={value} />
      </div>
    );
  }
  const count = Array.isArray(value) ? value.length : Object.keys(value).length;
  return (
    <div class="json-branch">
      <div class="json-row">
        <button type="button" class="plain json-name" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {name}
        </button>
        <span class="quiet">{Array.isArray(value) ? plural(count, "item", "items") : plural(count, "field", "fields")}</span>
        <Copies path={path} value={value} />
      </div>
      {isOpen && <Members of={value} path={path} />}
    </div>
  );
}

/** What is in an object or a list, as much at a time as a person can look at. */
export function Members({ of, path, open }: { of: object; path: string; open?: boolean }) {
  const [shown, setShown] = useState(atOnce);
  const members: [string | number, unknown][] = Array.isArray(of) ? of.map((v, i) => [i, v]) : Object.entries(of);
  return (
    <>
      {members.slice(0, shown).map(([n, v]) => (
        <Json key={n} name={n} path={step(path, n)} value={v} open={open} />
      ))}
      {members.length > shown && (
        <button type="button" class="plain" onClick={() => setShown(shown + 10 * atOnce)}>
          {members.length - shown} more
        </button>
      )}
    </>
  );
}

// A path one step further, as JavaScript has it.
function step(path: string, name: string | number): string {
  if (typeof name === "number") return `${path}[${name}]`;
  if (/^[A-Za-z_$][\w$]*$/.test(name)) return path ? `${path}.${name}` : name;
  return `${path}[${JSON.stringify(name)}]`;
}

function Leaf({ value }: { value: unknown }) {
  if (typeof value === "string") return <span class="json-string">{value === "" ? '""' : value}</span>;
  return <span class="json-other">{String(value)}</span>;
}

function Copies({ path, value }: { path: string; value: unknown }) {
  return (
    <span class="json-copies">
      <button type="button" class="plain" aria-label={`Copy the path ${path}`} title={path} onClick={() => copy(path, "The path")}>
        path
      </button>
      <button type="button" class="plain" aria-label={`Copy the value of ${path}`} onClick={() => copy(typeof value === "string" ? value : JSON.stringify(value, null, 2), "The value")}>
        value
      </button>
    </span>
  );
}
