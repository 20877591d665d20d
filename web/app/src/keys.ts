// Keys. Whoever handles one says so here, so that ? can show all that work now.
import { useEffect, useRef } from "preact/hooks";
import { signal } from "@preact/signals";

export interface Key {
  keys: string[]; // as KeyboardEvent.key has them; "g p" is one after the other; "Mod+Enter" also in text fields
  label: string;
  group: string;
  run: () => void;
}

const layers: { current: Key[] }[] = [];

/** Counts changes, for those who show the keys. */
export const changed = signal(0);

/** The keys that work now; of two for the same key the newer one wins. */
export function active(): Key[] {
  return layers.flatMap((l) => l.current);
}

/** Handles keys while the component is shown. */
export function useKeys(keys: Key[]): void {
  const layer = useRef(keys);
  layer.current = keys;
  useEffect(() => {
    layers.push(layer);
    changed.value++;
    return () => {
      layers.splice(layers.indexOf(layer), 1);
      changed.value++;
    };
  }, []);
}

let prefix = "";
let prefixed = 0;

export function listen(): void {
  addEventListener("keydown", (e) => {
    if (e.defaultPrevented || e.altKey) return;
    const mod = e.ctrlKey || e.metaKey;
    const name = mod ? `Mod+${e.key}` : e.key;
    if (!mod && (typing(e.target) || pressing(e) || document.querySelector("dialog[open]"))) return;
    const sequence = prefix && Date.now() - prefixed < 1000 ? `${prefix} ${name}` : "";
    prefix = "";
    const found = find(sequence) ?? find(name);
    if (found) {
      e.preventDefault();
      found.run();
    } else if (begins(name)) {
      prefix = name;
      prefixed = Date.now();
    }
  });
}

function find(name: string): Key | undefined {
  return name ? active().findLast((k) => k.keys.includes(name)) : undefined;
}

function begins(name: string): boolean {
  return active().some((k) => k.keys.some((s) => s.startsWith(`${name} `)));
}

function typing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && /^(checkbox|radio|button|submit)$/.test(target.type)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || !!target.closest(".xterm");
}

// What has the focus is pressed by these keys; they are not ours then. Arrows go
// through the radio buttons of a group.
function pressing(e: KeyboardEvent): boolean {
  if (!(e.target instanceof Element)) return false;
  if (e.target.matches("input[type=radio]") && e.key.startsWith("Arrow")) return true;
  return (e.key === "Enter" || e.key === " ") && e.target.matches("a, button, input, summary, [role=button], [role=tab], [role=menuitem]");
}
