// What a process asks of the kernel, and what is done to it, live.
import type { ProcessRecord } from "../../api/types";
import { clock } from "../../format";
import { Virtual } from "../../ui/virtual";
import { type Call, useCalls } from "./use";

export function Trace({ process: p }: { process: ProcessRecord }) {
  const active = p.state !== "idle";
  const { calls, problem } = useCalls(p.id, p.run, active);
  const at = (i: number): Call => calls[calls.length - 1 - i]!;
  if (calls.length === 0) {
    return <p class="nothing-here">{problem || (active ? "Waiting for the next kernel call…" : "Calls are shown as they are made. Run the process again to see them.")}</p>;
  }
  return (
    <section class="events" aria-label="Kernel calls">
      <div class="tools-line">
        <span class="quiet" role="status">
          {problem || `${calls.length} calls, the newest first${active ? "" : "; the run is over"}`}
        </span>
      </div>
      <Virtual count={calls.length} rowHeight={30} role="grid" label="Kernel calls, newest first" row={(i) => <Row key={at(i).number} call={at(i)} />} />
    </section>
  );
}

function Row({ call: c }: { call: Call }) {
  return (
    <div class="event" role="row">
      <span role="gridcell" class="quiet when" title={c.at}>
        {clock(c.at)}
      </span>
      <span role="gridcell" class="quiet num">
        {c.durationMs.toFixed(3)} ms
      </span>
      <span role="gridcell" class="kind">
        {c.call}
      </span>
      <span role="gridcell" class="brief">
        {Object.entries(c.args)
          .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
          .join(" ")}
        {c.error && <span class="error"> {c.error}</span>}
        {c.dropped > 0 && <span class="quiet"> ({c.dropped} before it were not kept)</span>}
      </span>
    </div>
  );
}
