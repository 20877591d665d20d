// What is shown of all processes: a text, and choices.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Filters } from "../api/processes";
import type { Overview } from "../api/types";
import { plainly } from "../format";
import { useKeys } from "../keys";
import { overview } from "../state/feed";
import { Choice, type Option } from "./choice";
import { chosen, clear, type FilterName, filterNames, set, toggled } from "./filters";

export function FilterBar({ filters: f, only = filterNames }: { filters: Filters; only?: FilterName[] }) {
  const o = overview.value;
  const has = (name: FilterName): boolean => only.includes(name);
  return (
    <div class="filters" role="search" aria-label="Filters">
      <TextFilter value={f.text ?? ""} />
      {has("state") && <Choice name="State" options={states(o)} chosen={chosen(f.state)} onChoose={(v) => set("state", toggled(f.state, v))} />}
      {has("status") && <Choice name="Outcome" options={outcomes(o)} chosen={chosen(f.status)} onChoose={(v) => set("status", toggled(f.status, v))} />}
      {has("environment") && (
        <Choice name="Environment" single options={environments(o)} chosen={chosen(f.environment)} onChoose={(v) => set("environment", v === f.environment ? "" : v)} />
      )}
      {has("tag") && <Choice name="Tag" single options={tags(o)} chosen={f.tag ? [f.tag] : []} onChoose={(v) => set("tag", v === f.tag ? "" : v)} />}
      <Chips filters={f} />
    </div>
  );
}

const states = (o: Overview | null): Option[] =>
  (["queued", "running", "terminating", "idle"] as const).map((s) => ({ value: s, name: s, count: o?.states[s] }));

const outcomes = (o: Overview | null): Option[] => [
  { value: "null", name: "none yet", count: o?.exitStates.none },
  ...(["success", "failed", "timeout", "canceled"] as const).map((s) => ({ value: s, name: s, count: o?.exitStates[s] })),
];

const environments = (o: Overview | null): Option[] => Object.entries(o?.environments ?? {}).map(([name, count]) => ({ value: name, name, count }));

const tags = (o: Overview | null): Option[] => (o?.tags ?? []).map((t) => ({ value: t.tag, name: plainly(t.tag), count: t.count }));

// The text is asked for when typing pauses.
const pause = 200;

function TextFilter({ value }: { value: string }) {
  const [text, setText] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => set("text", text.trim()), pause);
    return () => clearTimeout(timer);
  }, [text]);
  useKeys([{ keys: ["/"], label: "Filter by text", group: "List", run: () => input.current?.select() }]);
  return (
    <input
      ref={input}
      type="search"
      class="text-filter"
      aria-label="Filter by text"
      placeholder="Filter: name, command, tag, id…   ( / )"
      value={text}
      onInput={(e) => setText(e.currentTarget.value)}
      onKeyDown={(e) => {
        if (e.key !== "Escape" && e.key !== "Enter") return;
        e.preventDefault();
        if (e.key === "Escape") set("text", "");
        else set("text", text.trim());
        if (e.key === "Enter" || text === "") document.querySelector<HTMLElement>(".virtual")?.focus();
        if (e.key === "Escape") setText("");
      }}
    />
  );
}

const said: Record<FilterName, string> = { state: "state", status: "outcome", environment: "environment", tag: "tag", text: "text", paused: "paused" };

function Chips({ filters: f }: { filters: Filters }) {
  const chips = filterNames.flatMap((name) => {
    const value = f[name];
    if (!value) return [];
    const several = name === "state" || name === "status";
    return (several ? chosen(value) : [value]).map((v) => ({ name, value: v, rest: several ? toggled(value, v) : "" }));
  });
  if (chips.length === 0) return null;
  return (
    <div class="chips">
      {chips.map((c) => (
        <button key={c.name + c.value} type="button" class="chip" aria-label={`Remove the filter ${said[c.name]} ${c.value}`} onClick={() => set(c.name, c.rest)}>
          <span class="quiet">{said[c.name]}</span> {c.name === "paused" ? "" : c.value === "null" ? "none yet" : c.value} <span aria-hidden="true">✕</span>
        </button>
      ))}
      <button type="button" class="plain" onClick={clear}>
        Clear all
      </button>
    </div>
  );
}
