// What can be done to one process now, as buttons: the likely ones at hand, the
// others in a menu.
import type { ProcessRecord } from "../api/types";
import { go, href } from "../router";
import { Menu, type Item } from "../ui/menu";
import { pause, resume, signal } from "./control";
import { destroy } from "./destroy";
import { kill } from "./kill";
import { rerun, resumeAgent } from "./rerun";

interface Props {
  process: ProcessRecord;
  more?: Item[]; // what only the place knows of
}

export function Actions({ process: p, more = [] }: Props) {
  const ids = [p.id];
  const active = p.state !== "idle";
  return (
    <div class="actions" role="group" aria-label="Actions">
      {active && p.paused && (
        <button type="button" class="primary" title="Resume (p)" onClick={() => void resume(ids)}>
          Resume
        </button>
      )}
      {active && !p.paused && p.state === "running" && (
        <button type="button" title="Pause (p)" onClick={() => void pause(ids)}>
          Pause
        </button>
      )}
      {active && (
        <button type="button" class="danger" title="Kill (K)" onClick={() => void kill(ids)}>
          Kill
        </button>
      )}
      {!active && (
        <button type="button" title="Run again (r)" onClick={() => void rerun(ids)}>
          {p.run > 0 ? "Run again" : "Run"}
        </button>
      )}
      <Menu label="More" title="More actions" items={[...(active ? whileActive(p) : whileIdle(p)), ...more]} />
    </div>
  );
}

function whileActive(p: ProcessRecord): Item[] {
  const ids = [p.id];
  return [
    { name: "Send SIGTERM", hint: "s t", run: () => void signal(ids, "term") },
    { name: "Send SIGINT", hint: "s i", run: () => void signal(ids, "int") },
    { name: "Kill only this one", danger: true, run: () => void kill(ids, { tree: false }) },
    { name: "Kill now", danger: true, run: () => void kill(ids, { now: true }) },
  ];
}

function whileIdle(p: ProcessRecord): Item[] {
  const items: Item[] = [];
  if (p.environment === "agent" && p.run > 0) items.push({ name: "Go on from the last step", hint: "R", run: () => void resumeAgent([p.id]) });
  items.push({
    name: "Delete",
    hint: "d",
    danger: true,
    run: () => void destroy([p.id]).then((n) => n > 0 && go(href("processes"))),
  });
  return items;
}
