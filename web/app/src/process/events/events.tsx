// All events of a process, newest first.
import { useState } from "preact/hooks";
import type { ProcessEvent, ProcessRecord } from "../../api/types";
import { clock } from "../../format";
import { href, replace, route } from "../../router";
import { Dialog } from "../../ui/dialog";
import { Virtual } from "../../ui/virtual";
import { copy } from "../copy";
import { allKinds, brief } from "./kinds";
import { type Kinds, useEvents } from "./use";

const lines = "output_appended,output_elided";

export function Events({ process }: { process: ProcessRecord }) {
  const chosen = route.value.query.get("kind") ?? "";
  const kinds: Kinds = chosen === "all" ? {} : chosen ? { kind: chosen } : { except: lines };
  const { events, loading, older, whole } = useEvents(process.id, kinds);
  const [open, setOpen] = useState<ProcessEvent | null>(null);
  const at = (i: number): ProcessEvent => events[events.length - 1 - i]!;
  return (
    <section class="events" aria-label="Events">
      <div class="tools-line">
        <label class="inline">
          Kind
          <select value={chosen} onChange={(e) => replace(href(`processes/${process.id}/events`, { kind: e.currentTarget.value }))}>
            <option value="">All but output lines</option>
            <option value="all">All</option>
            {allKinds.map((k) => (
              <option key={k} value={k}>
                {k}
              </option>
            ))}
          </select>
        </label>
        <span class="quiet" role="status">
          {loading ? "Loading…" : `${events.length}${whole ? "" : "+"} events`}
        </span>
      </div>
      <Virtual
        count={events.length}
        rowHeight={30}
        role="grid"
        label="Events, newest first"
        keyOf={(i) => (i < events.length ? at(i).seq : undefined)}
        indexOf={(seq) => {
          const i = events.findLastIndex((e) => e.seq === seq);
          return i < 0 ? -1 : events.length - 1 - i;
        }}
        onEnd={older}
        row={(i) => {
          const e = at(i);
          return (
            <div key={e.seq} class="event" role="row" onClick={() => setOpen(e)}>
              <span role="gridcell" class="quiet num">
                {e.seq}
              </span>
              <span role="gridcell" class="quiet when" title={e.at}>
                {clock(e.at)}
              </span>
              <span role="gridcell" class="kind">
                <button type="button" class="plain" onClick={(ev) => (ev.stopPropagation(), setOpen(e))}>
                  {e.kind}
                </button>
              </span>
              <span role="gridcell" class="brief">
                {brief(e)}
              </span>
            </div>
          );
        }}
      />
      {open && (
        <Dialog title={`${open.kind} · ${open.seq}`} wide onClose={() => setOpen(null)}>
          <pre class="json">{JSON.stringify(open, null, 2)}</pre>
          <footer>
            <button type="button" onClick={() => copy(JSON.stringify(open, null, 2), "The event")}>
              Copy
            </button>
          </footer>
        </Dialog>
      )}
    </section>
  );
}
