import { useState } from "preact/hooks";

/** A yes or no that this browser remembers. */
export function remembered(name: string, first: boolean): [boolean, (v: boolean) => void] {
  const key = `reeve-output-${name}`;
  const [value, setValue] = useState(() => (localStorage.getItem(key) ?? String(first)) === "true");
  return [
    value,
    (v) => {
      localStorage.setItem(key, String(v));
      setValue(v);
    },
  ];
}
