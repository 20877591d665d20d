// One field to go anywhere: a process by its id or a text, a place, or a key's
// action.
import { useEffect, useState } from "preact/hooks";
import { get } from "../api/http";
import type { Page } from "../api/processes";
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

interface Found {
  text: string; // what was asked for
  processes: ProcessRecord[];
}

const few = 8;

async function search(text: string, signal: AbortSignal): Promise<Found> {
  const page = await get<Page>("/processes", { text, limit: few, include: "code" }, signal);
  return { text, processes: page.processes };
}

export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [found, setFound] = useState<Found>({ text: "", processes: [] });
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(
      () => search(text.trim(), stop.signal).then(setFound, (e) => !stop.signal.aborted && complain(e)),
      text ? 120 : 0,
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text]);
  // Those of an earlier text are shown until newer ones come, if they match.
  const matching = found.text === text.trim() ? found.processes : found.processes.filter((p) => matches(p, text));
  const entries = [...matching.map(processEntry), ...commands(text)];
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

function matches(p: ProcessRecord, text: string): boolean {
  const all = [p.id, title(p), p.ref, p.environment, ...p.tags].join(" ").toLowerCase();
  return all.includes(text.trim().toLowerCase());
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
