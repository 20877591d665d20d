// Where a person is, in the part of the address after #: it is never sent, so
// every place is a link that works on any daemon.
import { signal } from "@preact/signals";

export interface Route {
  path: string[]; // ["processes", "12", "output"]
  query: URLSearchParams;
}

export const route = signal<Route>(read());

function read(): Route {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  return { path: path.split("/").filter(Boolean).map(decoded), query: new URLSearchParams(query) };
}

// A link may be broken: what is no code stays as it is.
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

addEventListener("hashchange", () => (route.value = read()));

type Query = Record<string, string | number | undefined | null>;

/** The address of a place. */
export function href(path: string, query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") params.set(name, String(value));
  }
  const text = params.toString();
  return `#/${path}${text ? `?${text}` : ""}`;
}

/** Goes to a place. */
export function go(to: string): void {
  location.hash = to;
}

/** Changes the place without a step to go back to: filters, tabs, lines. */
export function replace(to: string): void {
  history.replaceState(null, "", to);
  route.value = read();
}
