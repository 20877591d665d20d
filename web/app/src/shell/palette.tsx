// One field to go anywhere: a process by its id or a text, a place, or a key's
// action.
import { useEffect, useState } from "preact/hooks";
import { list } from "../api/processes";
import type { ProcessRecord } from "../api/types";
import { status, title } from "../format";
import { active } from "../keys";
import { go, href } from "../router";
import { Dialog } from "../ui/dialog";
import { complain } from "../ui/toast";

interface Entry {
  key: string;
  name: string;
  hint: string;
  run: () => void;
}

const few = 8;

export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [found, setFound] = useState<ProcessRecord[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(
      () => list({ text: text.trim() }, undefined, few, stop.signal).then((p) => setFound(p.processes), (e) => !stop.signal.aborted && complain(e)),
      text ? 120 : 0,
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text]);
  const entries = [...found.map(processEntry), ...commands(text)];
  const here = Math.min(at, entries.length - 1);
  const run = (e: Entry | undefined): void => {
    if (!e) return;
    onClose();
    e.run();
  };
  const keys = (e: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (step) setAt((here + step + entries.length) % Math.max(1, entries.length));
    else if (e.key === "Enter") run(entries[here]);
    else return;
    e.preventDefault();
  };
  return (
    <Dialog title="Find" onClose={onClose}>
      <div class="palette">
        <input
          type="text"
          role="combobox"
          aria-label="A process, a place or an action"
          placeholder="A process, a place or an action"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={entries[here] ? `palette-${here}` : undefined}
          autofocus
          value={text}
          onInput={(e) => (setText(e.currentTarget.value), setAt(0))}
          onKeyDown={keys}
        />
        <ul id="palette-list" role="listbox" aria-label="Found">
          {entries.map((e, i) => (
            <li key={e.key} id={`palette-${i}`} role="option" aria-selected={i === here} onClick={() => run(e)} onPointerMove={() => setAt(i)}>
              <span>{e.name}</span>
              <span class="quiet">{e.hint}</span>
            </li>
          ))}
        </ul>
        {entries.length === 0 && <p class="quiet">Nothing found.</p>}
      </div>
    </Dialog>
  );
}

const processEntry = (p: ProcessRecord): Entry => ({
  key: `process ${p.id}`,
  name: `${p.id}  ${title(p)}`,
  hint: status(p),
  run: () => go(href(`processes/${p.id}`)),
});

// What a key does can be found by its name, too.
function commands(text: string): Entry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return active()
    .filter((k) => !k.keys.includes("Mod+k") && words.every((w) => k.label.toLowerCase().includes(w)))
    .map((k) => ({ key: `${k.group} ${k.label}`, name: k.label, hint: k.keys[0]!.replace("Mod+", "Ctrl+"), run: k.run }));
}
