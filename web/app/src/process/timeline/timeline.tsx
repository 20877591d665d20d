// What happened when: phases, steps, calls, children and signals on one axis.
import { useEffect, useMemo, useState } from "preact/hooks";
import { byIds } from "../../api/processes";
import type { ProcessEvent, ProcessRecord } from "../../api/types";
import { clock, duration } from "../../format";
import { useKeys } from "../../keys";
import { go, href, replace, route } from "../../router";
import { now } from "../../ui/clock";
import { useEvents } from "../events/use";
import { Chart } from "./chart";
import { type Item, itemsOf, shownKinds, spell } from "./model";
import { type Span, within, zoomed } from "./scale";
import { ItemTable } from "./table";

const deep = 5000; // events

export function Timeline({ process: p }: { process: ProcessRecord }) {
  const { events, loading, whole: complete } = useEvents(p.id, { kind: shownKinds }, deep);
  const query = route.value.query;
  const run = query.get("run") === "all" ? null : Number(query.get("run")) || Math.max(1, p.run);
  const asTable = query.get("as") === "table";
  const children = useChildren(events, p.state !== "idle");
  const items = useMemo(() => itemsOf(events, children, run), [events, children, run]);
  const [part, setPart] = useState<Span | null>(null);
  const [selected, setSelected] = useState("");
  const [hovered, setHovered] = useState("");
  const goesOn = items.some((i) => i.to === null);
  const at = goesOn ? now.value : 0;
  const whole = extent(items, at);
  const span = part ? within(part, whole) : whole;
  const shown = items.find((i) => i.key === (hovered || selected)) ?? null;

  const change = (next: Record<string, string | number | null>): void => {
    replace(href(`processes/${p.id}/timeline`, { run: query.get("run"), as: query.get("as"), ...next }));
  };
  const zoom = (factor: number): void => setPart(zoomed(span, whole, factor));
  const pan = (share: number): void => {
    const by = (span.to - span.from) * share;
    if (part) setPart(within({ from: span.from + by, to: span.to + by }, whole));
  };
  const step = (by: number): void => {
    const order = items.toSorted((a, b) => a.from - b.from);
    const i = order.findIndex((o) => o.key === selected);
    const to = order[i < 0 ? (by > 0 ? 0 : order.length - 1) : Math.min(order.length - 1, Math.max(0, i + by))];
    if (!to) return;
    setSelected(to.key);
    if (part && (to.from < span.from || to.from > span.to)) setPart(within({ from: to.from - (span.to - span.from) / 2, to: to.from + (span.to - span.from) / 2 }, whole));
  };
  const open = (): void => {
    if (shown?.process) go(href(`processes/${shown.process}`));
  };
  const group = "Timeline";
  useKeys([
    { keys: ["+", "="], label: "Closer", group, run: () => zoom(0.5) },
    { keys: ["-"], label: "Further away", group, run: () => zoom(2) },
    { keys: ["0"], label: "All of it", group, run: () => setPart(null) },
    { keys: ["ArrowLeft", "h"], label: "Earlier", group, run: () => pan(-0.25) },
    { keys: ["ArrowRight", "l"], label: "Later", group, run: () => pan(0.25) },
    { keys: ["j"], label: "Next item", group, run: () => step(1) },
    { keys: ["k"], label: "Previous item", group, run: () => step(-1) },
    { keys: ["Enter"], label: "Open the child that is selected", group, run: open },
    { keys: ["a"], label: "Chart or table", group, run: () => change({ as: asTable ? null : "table" }) },
  ]);

  return (
    <section class="timeline" aria-label="Timeline">
      <div class="tools-line">
        {p.run > 1 && (
          <select aria-label="Which run" value={run ?? "all"} onChange={(e) => (setPart(null), change({ run: e.currentTarget.value }))}>
            <option value="all">All runs</option>
            {Array.from({ length: Math.min(p.run, 200) }, (_, i) => p.run - i).map((n) => (
              <option key={n} value={n}>
                Run {n}
              </option>
            ))}
          </select>
        )}
        <button type="button" aria-label="Closer" title="Closer (+)" onClick={() => zoom(0.5)}>
          +
        </button>
        <button type="button" aria-label="Further away" title="Further away (-)" onClick={() => zoom(2)}>
          −
        </button>
        <button type="button" title="All of it (0)" disabled={!part} onClick={() => setPart(null)}>
          All
        </button>
        <button type="button" aria-pressed={asTable} title="As a table (a)" onClick={() => change({ as: asTable ? null : "table" })}>
          Table
        </button>
        <span class="quiet">
          {items.length > 0 && duration(span.to - span.from)}
          {!complete && !loading && " · only the newest events"}
        </span>
      </div>
      {items.length === 0 ? (
        <p class="nothing-here">{loading ? "Loading…" : "Nothing has happened yet."}</p>
      ) : asTable ? (
        <ItemTable items={items} start={whole.from} />
      ) : (
        <>
          <Chart items={items} span={span} whole={whole} now={at} selected={selected} onSpan={setPart} onSelect={setSelected} onHover={setHovered} />
          <Details item={shown} start={whole.from} />
        </>
      )}
    </section>
  );
}

function Details({ item: i, start }: { item: Item | null; start: number }) {
  return (
    <div class="timeline-details" role="status">
      {i ? (
        <>
          <span class={`dot ${i.tone}`} aria-hidden="true" /> {spell(i, start)}
          <span class="quiet"> · {clock(new Date(i.from).toISOString())}</span>
          {i.process && (
            <>
              {" "}
              <a href={href(`processes/${i.process}`)}>Open process {i.process}</a>
            </>
          )}
        </>
      ) : (
        <span class="quiet">Point at something, or press j and k. Drag to look closer; the wheel zooms.</span>
      )}
    </div>
  );
}

function extent(items: Item[], at: number): Span {
  let [from, to] = [Infinity, -Infinity];
  for (const i of items) {
    from = Math.min(from, i.from);
    to = Math.max(to, i.to ?? at);
  }
  return { from, to: Math.max(to, from + 10) + (to - from) * 0.02 }; // room for what is at the end
}

const most = 1000; // children whose records are fetched

// useChildren is the records of the children that the events name.
function useChildren(events: ProcessEvent[], active: boolean): Map<number, ProcessRecord> {
  const [records, setRecords] = useState(new Map<number, ProcessRecord>());
  const ids = [...new Set(events.filter((e) => e.kind === "child_spawned").map((e) => Number(e.child)))].slice(-most);
  const tick = active ? Math.floor(now.value / 2000) : 0;
  useEffect(() => {
    if (ids.length === 0) return;
    let gone = false;
    void byIds(ids).then(
      (all) => !gone && setRecords(new Map(all.map((r) => [r.id, r]))),
      () => {}, // they are drawn as moments
    );
    return () => {
      gone = true;
    };
  }, [ids.join(), tick]);
  return records;
}
