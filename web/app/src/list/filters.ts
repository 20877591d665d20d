// The filters of the list, as its address has them.
import type { Filters } from "../api/processes";
import { href, replace, route } from "../router";

export type FilterName = "state" | "status" | "environment" | "tag" | "text" | "paused";
export const filterNames: FilterName[] = ["state", "status", "environment", "tag", "text", "paused"];

/** The filters of the address. */
export function filters(): Filters {
  const f: Filters = {};
  for (const name of filterNames) {
    const value = route.value.query.get(name);
    if (value) f[name] = value;
  }
  return f;
}

/** Changes a part of the address: a filter, the order. */
export function set(name: string, value: string): void {
  const query = Object.fromEntries(route.value.query);
  replace(href(route.value.path.join("/") || "processes", { ...query, [name]: value }));
}

/** Takes all filters away. */
export function clear(): void {
  const query = Object.fromEntries(route.value.query);
  for (const name of filterNames) delete query[name];
  replace(href(route.value.path.join("/") || "processes", query));
}

/** The chosen values of a filter that takes several. */
export const chosen = (value: string | undefined): string[] => (value ? value.split(",") : []);

export function toggled(value: string | undefined, one: string): string {
  const all = chosen(value);
  return (all.includes(one) ? all.filter((v) => v !== one) : [...all, one]).join(",");
}
