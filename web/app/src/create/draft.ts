// What is typed and not yet run. It survives a reload of the tab, but for what is
// secret: values of variables, input, and where to notify whom.
import { fieldsOf } from "./fields";
import { rows, type Kind, type Values } from "./kinds";

// The page of a process writes one for commands: the command of a finding.
const key = (kind: Kind): string => `reeve-draft-${kind}`;

export function load(kind: Kind): Values {
  try {
    return JSON.parse(sessionStorage.getItem(key(kind)) ?? "{}") as Values;
  } catch {
    return {};
  }
}

/** Keeps a draft; secret parts of it are left out. */
export function save(kind: Kind, values: Values): void {
  const kept: Values = { ...values };
  for (const f of fieldsOf(kind)) {
    if (!f.secret || !(f.path in kept)) continue;
    if (f.kind === "pairs") kept[f.path] = rows(kept[f.path]).map((r) => ({ name: r.name, value: "" }));
    else delete kept[f.path];
  }
  if (Object.keys(kept).length === 0) return sessionStorage.removeItem(key(kind));
  try {
    sessionStorage.setItem(key(kind), JSON.stringify(kept));
  } catch {
    sessionStorage.removeItem(key(kind)); // too large to keep: better none than an old one
  }
}
