// The title of the tab: where one is, and how things are.
import { effect, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { route } from "../router";
import { overview } from "../state/feed";
import { places } from "./places";

const named = signal("");

/** Names the page that is shown, as long as it is. */
export function useTitle(name: string): void {
  useEffect(() => {
    named.value = name;
    return () => {
      named.value = "";
    };
  }, [name]);
}

effect(() => {
  const place = places.find((p) => p.path === (route.value.path[0] ?? "processes"));
  const o = overview.value;
  const counts = [];
  if (o && o.states.running > 0) counts.push(`${o.states.running} running`);
  if (o && o.exitStates.failed + o.exitStates.timeout > 0) counts.push(`${o.exitStates.failed + o.exitStates.timeout} failed`);
  document.title = [named.value || place?.name, counts.join(", "), "Reeve"].filter(Boolean).join(" · ");
});
