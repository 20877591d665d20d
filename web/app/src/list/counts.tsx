// How many are in which state; a click shows just those.
import type { Filters } from "../api/processes";
import { count } from "../format";
import { overview } from "../state/feed";
import { set } from "./filters";

export function Counts({ filters: f }: { filters: Filters }) {
  const o = overview.value;
  if (!o) return <div class="counts" />;
  const failed = o.exitStates.failed + o.exitStates.timeout;
  const button = (name: string, n: number, param: "state" | "status" | "paused", value: string, kind = name) => {
    const on = f[param] === value;
    return (
      <button type="button" class={`stat ${kind} ${n > 0 ? "some" : ""}`} aria-pressed={on} onClick={() => set(param, on ? "" : value)}>
        <b>{count(n)}</b> {name}
      </button>
    );
  };
  return (
    <div class="counts" role="group" aria-label="Counts">
      <span class="stat">
        <b>{count(o.total)}</b> in all
      </span>
      {button("running", o.states.running, "state", "running")}
      {button("queued", o.states.queued, "state", "queued")}
      {o.states.terminating > 0 && button("terminating", o.states.terminating, "state", "terminating")}
      {button("paused", o.paused, "paused", "1")}
      {button("failed", failed, "status", "failed,timeout")}
      {button("idle", o.states.idle, "state", "idle")}
    </div>
  );
}
