import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ProcessRecord } from "../../api/types";
import { useKeys } from "../../keys";
import { replace } from "../../router";
import { Dialog } from "../../ui/dialog";
import { attempt, tell } from "../../ui/toast";
import { strip } from "./ansi";
import { OutputClient } from "./client";
import { downloadStream, save } from "./download";
import { address, here, type Place } from "./place";
import type { LineRow, Query, Shown, Stream, Target } from "./protocol";
import { OutputRow } from "./row";
import { Scroller, type ScrollHandle } from "./scroller";
import { SearchBar } from "./search";
import { remembered } from "./settings";
import { Toolbar, toggled } from "./toolbar";

const rowHeight = 20;

export function Output({ process }: { process: ProcessRecord }) {
  const { id } = process;
  const place = here();
  const client = useMemo(() => new OutputClient(id, place.run, place.shown), [id]);
  const scroll = useRef<ScrollHandle>(null);
  const [follow, setFollow] = useState(place.lines === null);
  const [wrap, setWrap] = remembered("wrap", false);
  const [times, setTimes] = remembered("times", false);
  const [searching, setSearching] = useState(false);
  const [query, setQuery] = useState<Query>({ text: "", regex: false, matchCase: false });
  const [at, setAt] = useState<{ target: Target; seq: number; index: number; of: number } | null>(null);
  const [whole, setWhole] = useState<string | null>(null);
  const saving = useRef("");
  const top = useRef(0); // the first row in sight

  useEffect(() => client.start(), [client]);
  useEffect(() => client.scope(place.run), [client, place.run]);
  useEffect(() => client.show(place.shown), [client, place.shown.stdout, place.shown.stderr]);
  useEffect(() => {
    if (process.state !== "idle") client.goOn();
  }, [client, process.state, process.run]);
  useEffect(() => {
    if (place.lines && client.ready.value) client.goTo(place.run ?? process.run, place.lines.from);
  }, [client, client.ready.value, place.run, place.lines?.from]);

  const size = client.size.value;
  // Rows are elsewhere: what was in sight stays in sight.
  useEffect(() => {
    if (!follow && size.anchor >= 0) scroll.current?.toRow(size.anchor);
  }, [size.epoch]);

  client.onFound = (f) => {
    if (f.row < 0) {
      if (f.target === "line") tell("There is no such line.");
      if (f.target === "error") tell("Nothing here looks like an error.");
      return;
    }
    setFollow(false);
    scroll.current?.toRow(f.row);
    if (f.target !== "line") setAt({ target: f.target, seq: f.seq, index: f.index, of: f.of });
  };
  client.onText = (blob) => save(blob, saving.current);
  client.onWhole = (_, text) => setWhole(strip(text));

  const change = (next: Partial<Place>): void => replace(address(id, { ...place, ...next }));
  const step = (target: Target, back: boolean): void => client.step(target, at?.seq ?? (client.row(top.current)?.seq ?? 1) - 1, back);
  const show = (shown: Shown): void => change({ shown });

  function download(stream: Stream | null): void {
    const run = place.run ?? process.run;
    if (stream && (process.state === "idle" || run < process.run)) return void attempt(() => downloadStream(id, run, stream));
    saving.current = `process-${id}${place.run ? `-run-${place.run}` : ""}.${stream ?? "output"}.log`;
    client.text(place.run, stream);
  }

  const linkOf = (l: LineRow, from = l.line, to = l.line): string => address(id, { ...place, run: l.run, lines: { from, to } });
  function number(l: LineRow, range: boolean): void {
    const start = range && place.lines && (place.run ?? process.run) === l.run ? place.lines.from : l.line;
    const to = linkOf(l, Math.min(start, l.line), Math.max(start, l.line));
    setFollow(false);
    replace(to);
    copyLink(to);
  }

  useSearch(client, searching ? query : null, () => step("hit", false));
  const toggleFollow = (): void => {
    setFollow(!follow);
    if (!follow && place.lines) change({ lines: null });
  };
  const group = "Output";
  useKeys([
    { keys: ["/", "Mod+f"], label: "Search", group, run: () => setSearching(true) },
    { keys: ["n"], label: "Next hit", group, run: () => step("hit", false) },
    { keys: ["N"], label: "Previous hit", group, run: () => step("hit", true) },
    { keys: ["e"], label: "Next error", group, run: () => step("error", false) },
    { keys: ["E"], label: "Previous error", group, run: () => step("error", true) },
    { keys: ["f"], label: "Follow the end, or stay", group, run: toggleFollow },
    { keys: ["w"], label: "Wrap long lines", group, run: () => setWrap(!wrap) },
    { keys: ["t"], label: "Times", group, run: () => setTimes(!times) },
    { keys: ["1"], label: "Show stdout", group, run: () => show(toggled(place.shown, "stdout")) },
    { keys: ["2"], label: "Show stderr", group, run: () => show(toggled(place.shown, "stderr")) },
    { keys: ["y"], label: "Copy the link to the marked line", group, run: () => copyLink(address(id, place)) },
  ]);

  if (client.refused.value) return <p class="error">{client.refused.value}</p>;
  const note = client.reading.value ? `Reading the whole output… ${client.reading.value} %` : at?.target === "error" ? `${at.index} of ${at.of} places` : "";
  return (
    <section class="output" aria-label="Output">
      <Toolbar
        runs={size.runs} run={place.run} shown={place.shown} wrap={wrap} times={times} follow={follow} note={note}
        onRun={(run) => change({ run, lines: null })} onShown={show} onWrap={() => setWrap(!wrap)} onTimes={() => setTimes(!times)}
        onFollow={toggleFollow} onSearch={() => setSearching(true)} onError={(back) => step("error", back)} onDownload={download}
      />
      {searching && (
        <SearchBar
          query={query} hits={client.hits.value} at={at?.target === "hit" ? at.index : 0}
          onQuery={(q) => (setAt(null), setQuery(q))} onStep={(back) => step("hit", back)}
          onClose={() => (setSearching(false), setAt(null), scroll.current?.focus())}
        />
      )}
      <Scroller
        handle={scroll} label="Lines" total={size.total} rowHeight={rowHeight} varies={wrap} follow={follow}
        onEnd={setFollow}
        onRange={(from, to) => {
          top.current = from;
          client.look(follow ? { tail: to - from + 20 } : { from, to }, client.row(Math.floor((from + to) / 2))?.seq ?? 0);
        }}
        render={(i, key) => {
          const row = client.row(i);
          const line = row?.kind === "line" ? row : null;
          const marked = !!line && !!place.lines && line.run === (place.run ?? process.run) && line.line >= place.lines.from && line.line <= place.lines.to;
          return (
            <OutputRow
              key={key} row={row} times={times} marked={marked} current={!!line && line.seq === at?.seq}
              link={linkOf} onNumber={number} onWhole={(seq) => client.wholeLine(seq)}
            />
          );
        }}
      />
      {size.total === 0 && <p class="nothing">{client.ready.value ? nothing(process, place.shown) : "Loading…"}</p>}
      {whole !== null && (
        <Dialog title="The whole line" wide onClose={() => setWhole(null)}>
          <pre class="whole">{whole}</pre>
        </Dialog>
      )}
    </section>
  );
}

// useSearch searches a little after a person has stopped to type, and goes to
// the first hit.
function useSearch(client: OutputClient, query: Query | null, first: () => void): void {
  const text = query?.text ?? "";
  const asked = useRef("");
  useEffect(() => {
    if (!text) return client.search(null);
    const timer = setTimeout(() => {
      asked.current = text;
      client.search(query);
    }, 150);
    return () => clearTimeout(timer);
  }, [client, text, query?.regex, query?.matchCase]);
  const hits = client.hits.value;
  useEffect(() => {
    if (!hits?.over || !hits.count || !asked.current) return;
    asked.current = "";
    first();
  }, [hits]);
}

function nothing(p: ProcessRecord, shown: Shown): string {
  if (p.run === 0) return "It has not run yet.";
  if (!shown.stdout || !shown.stderr) return "Nothing on this stream.";
  if (p.rawOutput === "disabled") return "Its output is not kept.";
  return p.state === "idle" ? "It printed nothing." : "It has printed nothing yet.";
}

function copyLink(to: string): void {
  const url = new URL(to, location.href).href;
  const there = (): void => tell("The link is in the address bar.");
  if (!navigator.clipboard) return there(); // only on https and localhost
  void navigator.clipboard.writeText(url).then(() => tell("The link is copied."), there);
}
